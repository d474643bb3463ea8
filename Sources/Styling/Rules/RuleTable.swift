import EditModel

/// A table of a file of rules, read strictly: a key that it may not have is refused.
struct RuleTable {
  let name: String
  let kind: RuleTableKind
  private let table: TOMLTable

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - name: What it is called in errors, such as `[[patterns]]`.
  ///   - kind: The keys that it may have.
  /// - Throws: `RulesError` at the first key that is not one of them.
  init(_ table: TOMLTable, _ name: String, _ kind: RuleTableKind) throws(RulesError) {
    (self.table, self.name, self.kind) = (table, name, kind)
    let names = kind.keys.map(\.name)
    for entry in table.entries where !names.contains(entry.key) {
      let near = NearName.of(entry.key, in: names).map { "did you mean \($0)? " } ?? ""
      throw RulesError(
        entry.keyPlace,
        "\(name) has no key \(entry.key.shown); \(near)the keys are \(names.joined(separator: ", "))"
      )
    }
    for key in kind.keys where key.isRequired && table[key.name] == nil {
      throw RulesError(table.place, "\(name) must have the key \(key.name)")
    }
  }

  var place: TextPlace { table.place }

  /// The place of a key's value, or of the table.
  func place(of key: String) -> TextPlace { table[key]?.place ?? table.place }

  /// An error at the value of a key.
  func error(_ key: String, _ problem: String) -> RulesError {
    RulesError(place(of: key), "\(key) of \(name) \(problem)")
  }

  private func node(_ key: String) -> TOMLNode? {
    assert(kind.keys.contains { $0.name == key }, "\(key) is not declared in RuleTableKind")
    return table[key]
  }

  private func mismatch(_ key: String, _ node: TOMLNode, _ wanted: String) -> RulesError {
    error(key, "must be \(wanted), not \(node.kind)")
  }

  // MARK: Values

  /// A string of at most `lengthMax` bytes, and at least one; nil if the key is absent.
  func string(_ key: String, lengthMax: Int = 256) throws(RulesError) -> String? {
    guard let node = node(key) else { return nil }
    guard case .string(let text) = node.value else { throw mismatch(key, node, "a string") }
    try checkLength(key, text, lengthMax)
    return text
  }

  private func checkLength(_ key: String, _ text: String, _ lengthMax: Int) throws(RulesError) {
    guard (1...lengthMax).contains(text.utf8.count) else {
      throw error(key, "must have 1 to \(lengthMax) bytes, and has \(text.utf8.count)")
    }
  }

  /// True or false; nil if the key is absent.
  func bool(_ key: String) throws(RulesError) -> Bool? {
    guard let node = node(key) else { return nil }
    guard case .bool(let value) = node.value else { throw mismatch(key, node, "true or false") }
    return value
  }

  /// An integer in `bounds`; nil if the key is absent.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws(RulesError) -> Int? {
    guard let node = node(key) else { return nil }
    guard case .integer(let value) = node.value else { throw mismatch(key, node, "an integer") }
    guard let value = Int(exactly: value), bounds.contains(value) else {
      throw error(key, "must be from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return value
  }

  /// The value of a key that is one of some names; nil if the key is absent.
  func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ key: String, _ type: Value.Type
  ) throws(RulesError) -> Value? {
    guard let text = try string(key) else { return nil }
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue)
      let near = NearName.of(text, in: names).map { "; did you mean \($0)?" } ?? ""
      throw error(
        key, "must be one of \(names.joined(separator: ", ")); found \(text.shown)\(near)")
    }
    return value
  }

  /// Strings: an array of them, or one. Empty if the key is absent.
  func strings(
    _ key: String, countMax: Int, lengthMax: Int = 256
  ) throws(RulesError) -> [(text: String, place: TextPlace)] {
    guard let node = node(key) else { return [] }
    var nodes = [node]
    if case .array(let array) = node.value { nodes = array.nodes }
    try checkCount(key, nodes.count, countMax)
    var strings: [(String, TextPlace)] = []
    for node in nodes {
      guard case .string(let text) = node.value else {
        throw RulesError(
          node.place, "\(key) of \(name) must have strings only, and this is \(node.kind)")
      }
      try checkLength(key, text, lengthMax)
      strings.append((text, node.place))
    }
    return strings
  }

  private func checkCount(_ key: String, _ count: Int, _ countMax: Int) throws(RulesError) {
    guard count <= countMax else {
      throw error(key, "has \(count) members, and the maximum is \(countMax)")
    }
  }

  /// The table of a key; nil if the key is absent.
  func table(
    _ key: String, _ kind: RuleTableKind
  ) throws(RulesError) -> RuleTable? {
    guard let node = node(key) else { return nil }
    guard case .table(let table) = node.value else { throw mismatch(key, node, "a table") }
    return try RuleTable(table, "[\(key)]", kind)
  }

  /// The tables of an array of a key. Empty if the key is absent.
  func tables(
    _ key: String, _ kind: RuleTableKind, countMax: Int
  ) throws(RulesError) -> [RuleTable] {
    guard let node = node(key) else { return [] }
    guard case .array(let array) = node.value else {
      throw mismatch(key, node, "an array of tables, [[\(key)]],")
    }
    try checkCount(key, array.nodes.count, countMax)
    var tables: [RuleTable] = []
    for node in array.nodes {
      guard case .table(let table) = node.value else {
        throw RulesError(node.place, "\(key) must have tables only, and this is \(node.kind)")
      }
      tables.append(try RuleTable(table, "[[\(key)]]", kind))
    }
    return tables
  }

  /// The tables of a table whose keys are names of the file's choice, in the order of the file. Empty if
  /// the key is absent.
  func named(
    _ key: String, _ kind: RuleTableKind, countMax: Int
  ) throws(RulesError) -> [(name: String, place: TextPlace, table: RuleTable)] {
    var tables: [(String, TextPlace, RuleTable)] = []
    for entry in try entries(key, countMax: countMax) {
      guard case .table(let table) = entry.node.value else {
        throw RulesError(entry.node.place, "\(key).\(entry.key.shown) must be a table")
      }
      let title = "[\(key).\(entry.key.shown)]"
      tables.append((entry.key, entry.keyPlace, try RuleTable(table, title, kind)))
    }
    return tables
  }

  /// The entries of a table whose keys are names of the file's choice.
  func entries(_ key: String, countMax: Int) throws(RulesError) -> [TOMLTable.Entry] {
    guard let node = node(key) else { return [] }
    guard case .table(let table) = node.value else { throw mismatch(key, node, "a table") }
    try checkCount(key, table.entries.count, countMax)
    for entry in table.entries where !(1...256).contains(entry.key.utf8.count) {
      throw RulesError(entry.keyPlace, "the name of a member of \(key) must have 1 to 256 bytes")
    }
    return table.entries
  }

  /// The value of a key, whatever it is; nil if the key is absent.
  func any(_ key: String) -> TOMLNode? { node(key) }
}
