/// JSON text that is passed on in pieces while it is written, so that it is never in memory as a whole.
package struct JSONWriter: ByteSink {
  /// The size in bytes from which a piece is passed on.
  private static let pieceSize = 32 << 10

  private var piece: [UInt8] = []
  private let pass: (UnsafeBufferPointer<UInt8>) -> Bool
  /// True if no more text is wanted. What is written then has no effect, and lists end early.
  package private(set) var isStopped = false

  /// A writer without text. `pass` gets each piece, and returns false if it wants no more.
  package init(_ pass: @escaping (UnsafeBufferPointer<UInt8>) -> Bool) { self.pass = pass }

  /// Adds a byte.
  package mutating func append(_ byte: UInt8) {
    piece.append(byte)
    if piece.count >= Self.pieceSize { finish() }
  }

  /// Adds bytes.
  package mutating func append(bytes: UnsafeBufferPointer<UInt8>) {
    if piece.count + bytes.count >= Self.pieceSize { finish() }
    guard bytes.count < Self.pieceSize else { return passOn(bytes) }
    piece.append(contentsOf: bytes)
  }

  /// Passes on the last piece.
  package mutating func finish() {
    let full = piece
    piece.removeAll(keepingCapacity: true)
    full.withUnsafeBufferPointer { passOn($0) }
  }

  private mutating func passOn(_ bytes: UnsafeBufferPointer<UInt8>) {
    if !isStopped, !bytes.isEmpty { isStopped = !pass(bytes) }
  }
}

extension JSONWriter {
  /// Adds a value.
  package mutating func append(_ json: JSON) { json.serialize(to: &self) }

  /// Adds a list of `elements`, each of which `write` adds.
  package mutating func append<Elements: Sequence>(
    list elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if isStopped { break }
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      write(element, &self)
    }
    append(UInt8(ascii: "]"))
  }

  /// Adds the name of a member of an object.
  mutating func append(member name: String, isFirst: inout Bool) {
    if !isFirst { append(UInt8(ascii: ",")) }
    isFirst = false
    append(JSON(name))
    append(UInt8(ascii: ":"))
  }

  /// Adds the members of `json`, if it is an object.
  mutating func append(membersOf json: JSON, isFirst: inout Bool) {
    guard case .object(let object) = json else { return }
    for member in object.members {
      append(member: member.name, isFirst: &isFirst)
      append(member.value)
    }
  }
}
