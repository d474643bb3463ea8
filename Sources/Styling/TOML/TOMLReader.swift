import EditModel

/// Reads TOML 1.0 (toml.io), without dates and times, which no file of rules has. Unlike readers that
/// give the place of a syntax error only, it knows the line of every key. O(size).
package struct TOMLReader {
  /// The largest file in bytes.
  static let sizeMax = 1 << 20
  /// The maximum depth of arrays and tables in each other, and of the parts of a key.
  static let depthMax = 16

  private let scalars: [Unicode.Scalar]
  private var next = 0
  private var line = 1
  private var lineStart = 0

  private init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The table of a file.
  ///
  /// - Throws: `RulesError` at the first place that is not TOML.
  package static func table(of text: String) throws(RulesError) -> TOMLTable {
    guard text.utf8.count <= sizeMax else {
      throw RulesError(
        TextPlace(line: 1, column: 1),
        "the file has \(text.utf8.count) bytes, and the maximum is \(sizeMax)")
    }
    var reader = TOMLReader(text)
    return try reader.file()
  }

  // MARK: Characters

  var place: TextPlace { TextPlace(line: line, column: next - lineStart + 1) }

  var peek: Unicode.Scalar? { next < scalars.count ? scalars[next] : nil }

  func peek(at distance: Int) -> Unicode.Scalar? {
    next + distance < scalars.count ? scalars[next + distance] : nil
  }

  mutating func advance() {
    if scalars[next] == "\n" { (line, lineStart) = (line + 1, next + 1) }
    next += 1
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    advance()
    return true
  }

  mutating func take(_ text: String) -> Bool {
    guard scalars[next...].starts(with: text.unicodeScalars) else { return false }
    for _ in text.unicodeScalars { advance() }
    return true
  }

  mutating func skipSpaces() {
    while peek == " " || peek == "\t" { advance() }
  }

  /// Skips spaces, ends of lines and comments.
  mutating func skipLines() throws(RulesError) {
    while true {
      skipSpaces()
      try skipComment()
      guard takeLineEnd() else { return }
    }
  }

  private mutating func takeLineEnd() -> Bool {
    if peek == "\r", peek(at: 1) == "\n" { advance() }
    return take("\n")
  }

  private mutating func skipComment() throws(RulesError) {
    guard take("#") else { return }
    while let scalar = peek, scalar != "\n", !(scalar == "\r" && peek(at: 1) == "\n") {
      try refuseControl(scalar)
      advance()
    }
  }

  func refuseControl(_ scalar: Unicode.Scalar) throws(RulesError) {
    guard scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\t" else {
      throw RulesError(
        place, "there is a control character here; write it as an escape in a string")
    }
  }

  private mutating func endLine() throws(RulesError) {
    skipSpaces()
    try skipComment()
    guard next == scalars.count || takeLineEnd() else {
      throw RulesError(place, "only a comment may follow on this line")
    }
  }

  // MARK: The file

  private mutating func file() throws(RulesError) -> TOMLTable {
    let root = TOMLTable(place, .header)
    var current = root
    while true {
      try skipLines()
      guard let scalar = peek else { return root }
      if scalar == "[" {
        current = try header(in: root)
      } else {
        try assignment(in: current, depth: 0)
      }
      try endLine()
    }
  }

  private mutating func header(in root: TOMLTable) throws(RulesError) -> TOMLTable {
    let start = place
    advance()
    let isArray = take("[")
    let path = try key()
    guard take("]"), !isArray || take("]") else {
      throw RulesError(place, "the name of the table must end with \(isArray ? "]]" : "]") here")
    }
    var table = root
    for part in path.dropLast() { table = try child(part, of: table, .implied) }
    let last = path[path.count - 1]
    if isArray { return try member(last, of: table, start) }
    guard let node = table[last.name] else {
      let new = TOMLTable(start, .header)
      table.add(last.name, last.place, TOMLNode(place: start, value: .table(new)))
      return new
    }
    guard case .table(let found) = node.value, found.origin == .implied else {
      throw Self.twice(last, node.place)
    }
    found.origin = .header
    return found
  }

  /// A new member of an array of tables.
  private func member(
    _ key: Key, of table: TOMLTable, _ start: TextPlace
  ) throws(RulesError) -> TOMLTable {
    let new = TOMLTable(start, .header)
    let member = TOMLNode(place: start, value: .table(new))
    if let node = table[key.name] {
      guard case .array(let array) = node.value, array.isOfTables else {
        throw Self.twice(key, node.place)
      }
      array.nodes.append(member)
      return new
    }
    let array = TOMLArray(isOfTables: true)
    array.nodes.append(member)
    table.add(key.name, key.place, TOMLNode(place: start, value: .array(array)))
    return new
  }

  /// The table below a part of a key. The last member is meant if it is an array of tables.
  private func child(
    _ key: Key, of table: TOMLTable, _ origin: TOMLTable.Origin
  ) throws(RulesError) -> TOMLTable {
    guard let node = table[key.name] else {
      let new = TOMLTable(key.place, origin)
      table.add(key.name, key.place, TOMLNode(place: key.place, value: .table(new)))
      return new
    }
    switch node.value {
    case .table(let found) where found.origin != .inline: return found
    case .array(let array) where array.isOfTables:
      if case .table(let found)? = array.nodes.last?.value { return found }
    default: break
    }
    throw Self.twice(key, node.place)
  }

  private static func twice(_ key: Key, _ place: TextPlace) -> RulesError {
    RulesError(key.place, "\(key.name.shown) has a value already, on line \(place.line)")
  }

  private mutating func assignment(in table: TOMLTable, depth: Int) throws(RulesError) {
    let path = try key()
    guard take("=") else { throw RulesError(place, "after a key, = and a value must follow") }
    skipSpaces()
    var table = table
    for part in path.dropLast() { table = try child(part, of: table, .dotted) }
    let last = path[path.count - 1]
    if let node = table[last.name] { throw Self.twice(last, node.place) }
    table.add(last.name, last.place, try value(depth: depth))
  }

  // MARK: Keys

  private struct Key {
    let name: String
    let place: TextPlace
  }

  /// The parts of a key with dots, and the spaces around it.
  private mutating func key() throws(RulesError) -> [Key] {
    var parts: [Key] = []
    repeat {
      skipSpaces()
      let start = place
      let name =
        switch peek {
        case "\"", "'": try string(mayHaveLines: false)
        default: bareKey()
        }
      guard let name else { throw RulesError(start, "a key is expected here") }
      parts.append(Key(name: name, place: start))
      guard parts.count <= Self.depthMax else {
        throw RulesError(start, "a key may have at most \(Self.depthMax) parts")
      }
      skipSpaces()
    } while take(".")
    return parts
  }

  private mutating func bareKey() -> String? {
    var name = ""
    while let scalar = peek, Self.isBare(scalar) {
      name.unicodeScalars.append(scalar)
      advance()
    }
    return name.isEmpty ? nil : name
  }

  private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(RulesError) -> TOMLNode {
    let start = place
    guard depth < Self.depthMax else {
      throw RulesError(start, "values may be at most \(Self.depthMax) deep in each other")
    }
    switch peek {
    case "\"", "'":
      guard let text = try string(mayHaveLines: true) else { break }
      return TOMLNode(place: start, value: .string(text))
    case "[": return TOMLNode(place: start, value: .array(try array(depth: depth + 1)))
    case "{": return TOMLNode(place: start, value: .table(try inlineTable(depth: depth + 1)))
    default: break
    }
    var word = ""
    while let scalar = peek, Self.isBare(scalar) || scalar == "." || scalar == "+" || scalar == ":"
    {
      word.unicodeScalars.append(scalar)
      advance()
    }
    guard let value = TOMLNumber.value(of: word) else {
      throw RulesError(
        start,
        word.isEmpty
          ? "a value is expected here"
          : "\(word.shown) is not a value; strings stand in quotes, dates are not used")
    }
    return TOMLNode(place: start, value: value)
  }

  private mutating func array(depth: Int) throws(RulesError) -> TOMLArray {
    let array = TOMLArray(isOfTables: false)
    let start = place
    advance()
    while true {
      try skipLines()
      if take("]") { return array }
      guard peek != nil else { throw RulesError(start, "the array has no ]") }
      array.nodes.append(try value(depth: depth))
      try skipLines()
      if take(",") { continue }
      guard take("]") else { throw RulesError(place, "a comma or ] is expected here") }
      return array
    }
  }

  private mutating func inlineTable(depth: Int) throws(RulesError) -> TOMLTable {
    let table = TOMLTable(place, .header)
    advance()
    skipSpaces()
    if !take("}") {
      while true {
        try assignment(in: table, depth: depth)
        skipSpaces()
        if take("}") { break }
        guard take(",") else {
          throw RulesError(place, "a comma or } is expected here; the table must be on one line")
        }
        skipSpaces()
      }
    }
    close(table)
    return table
  }

  /// Nothing can be added to an inline table, nor to the tables that its keys made.
  private func close(_ table: TOMLTable) {
    table.origin = .inline
    for entry in table.entries {
      if case .table(let child) = entry.node.value, child.origin == .dotted { close(child) }
    }
  }
}
