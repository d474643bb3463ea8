/// A value of a TOML file, with its place.
package struct TOMLNode {
  package enum Value {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case array(TOMLArray)
    case table(TOMLTable)
  }

  let place: TextPlace
  package let value: Value

  /// The kind of the value, in words.
  package var kind: String {
    switch value {
    case .string: "a string"
    case .integer: "an integer"
    case .double: "a number with a fraction"
    case .bool: "true or false"
    case .array: "an array"
    case .table: "a table"
    }
  }
}

/// The array of a TOML file. The reader adds to it while it reads; no other code changes it.
package final class TOMLArray {
  var nodes: [TOMLNode] = []
  /// True if its members are `[[tables]]`, to which more may be added.
  let isOfTables: Bool

  init(isOfTables: Bool) { self.isOfTables = isOfTables }
}

/// The table of a TOML file: keys in the order of the file. The reader adds to it while it reads;
/// no other code changes it.
package final class TOMLTable {
  package struct Entry {
    package let key: String
    let keyPlace: TextPlace
    package let node: TOMLNode
  }

  enum Origin {
    /// A key with dots, or the header of a table below it, made it. Its own header may follow.
    case implied
    /// Its header was read.
    case header
    /// Keys with dots made it. No header may follow.
    case dotted
    /// It is complete.
    case inline
  }

  let place: TextPlace
  var origin: Origin
  package private(set) var entries: [Entry] = []
  private var indices: [String: Int] = [:]

  init(_ place: TextPlace, _ origin: Origin) { (self.place, self.origin) = (place, origin) }

  subscript(key: String) -> TOMLNode? { indices[key].map { entries[$0].node } }

  /// Adds a key that is not there.
  func add(_ key: String, _ keyPlace: TextPlace, _ node: TOMLNode) {
    indices[key] = entries.count
    entries.append(Entry(key: key, keyPlace: keyPlace, node: node))
  }
}
