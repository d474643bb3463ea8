public import EditModel

/// One record in the body of a batch. Its bytes are in the buffer from which it was read.
@usableFromInline
package enum JournalRecord {
  /// From here on, the document with the number `document` has this name.
  case name(document: UInt64, DocumentID)
  /// The salt of a link of the document's hash chain; it comes before the link's first record.
  case salt(document: UInt64, link: UInt64, [UInt8])
  /// An entry of a document, in the form of `EntryList`'s chunks: its index, edits and events
  /// counted together from 1, and its bytes.
  case entry(document: UInt64, row: UnsafeRawBufferPointer)
  /// The document is forgotten from here on. The rest of it is being removed or, if `isDone`, was
  /// removed before this was written.
  case forget(document: UInt64, isDone: Bool)

  private enum Tag: UInt8 {
    case entry = 0
    case name = 1
    case salt = 2
    case forget = 3
    case forgotten = 4
  }

  package static func write(name: DocumentID, document: UInt64, to body: inout ByteWriter) {
    body.write(Tag.name.rawValue)
    body.write(varint: document)
    body.write(string: name.name)
  }

  package static func write(
    salt: [UInt8], link: UInt64, document: UInt64, to body: inout ByteWriter
  ) {
    body.write(Tag.salt.rawValue)
    body.write(varint: document)
    body.write(varint: link)
    body.write(bytes: salt)
  }

  package static func write(forget document: UInt64, isDone: Bool, to body: inout ByteWriter) {
    body.write((isDone ? Tag.forgotten : Tag.forget).rawValue)
    body.write(varint: document)
  }

  /// Returns the offset of the row of the entry in `body`.
  @discardableResult
  package static func write(
    _ entry: EntryBytes, index: UInt64, document: UInt64, to body: inout ByteWriter
  ) -> Int {
    body.write(Tag.entry.rawValue)
    body.write(varint: document)
    let start = body.count
    entry.write(index: index, to: &body)
    return start
  }

  @inlinable
  static func readNumber(_ body: inout ByteReader) throws(CodecError) -> UInt64 {
    let number = try body.readVarint()
    guard number > 0, number <= StoreLayout.numberMax else { throw body.error(.tooLarge) }
    return number
  }

  /// Reads an entry from `body`, as `read` does. Returns nil, and reads nothing, if the next record
  /// is not an entry. Most records are entries, and recovery reads millions of them.
  @inlinable @inline(__always)
  package static func readEntry(
    _ body: inout ByteReader
  ) throws(CodecError) -> (document: UInt64, row: UnsafeRawBufferPointer)? {
    guard body.nextByte == 0 else { return nil }
    _ = try body.readByte()
    let document = try readNumber(&body)
    var start = body
    _ = try readNumber(&body)
    _ = try EntryBytes(&body)
    return (document, try start.readBytes(body.offset - start.offset))
  }

  /// Reads a record from `body`.
  package static func read(_ body: inout ByteReader) throws(CodecError) -> JournalRecord {
    guard let tag = Tag(rawValue: try body.readByte()) else { throw body.error(.unknown) }
    let document = try readNumber(&body)
    switch tag {
    case .entry:
      var start = body
      _ = try readNumber(&body)
      _ = try EntryBytes(&body)
      return .entry(document: document, row: try start.readBytes(body.offset - start.offset))
    case .name:
      let name = try body.readString(sizeMax: DocumentID.sizeMax)
      guard let id = DocumentID(stored: name) else { throw body.error(.name) }
      return .name(document: document, id)
    case .salt:
      let link = try readNumber(&body)
      let salt = [UInt8](try body.readBytes(DocumentChain.saltSize))
      return .salt(document: document, link: link, salt)
    case .forget, .forgotten: return .forget(document: document, isDone: tag == .forgotten)
    }
  }
}
