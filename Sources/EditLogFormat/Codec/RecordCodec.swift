public import EditModel

/// One history entry in row form, for the journal and for the hash chain. It refers to no other.
///
/// A record is two byte strings. `content` is what a user wrote: text, attribute names and values,
/// labels of marks. `meta` is everything else, including the size of the content. The layout is in
/// the article Blocks.
@usableFromInline
package enum RecordCodec {
  /// The maximum sequence number. Its successor is still a number.
  @inlinable package static var sequenceMax: SequenceNumber { SequenceNumber(Int64.max) }

  @usableFromInline
  enum Flag {
    @inlinable static var event: UInt8 { 1 << 0 }
    @inlinable static var replacement: UInt8 { 1 << 1 }
    @inlinable static var transaction: UInt8 { 1 << 2 }
    @inlinable static var author: UInt8 { 1 << 3 }
    @inlinable static var session: UInt8 { 1 << 4 }
    @inlinable static var counter: UInt8 { 1 << 5 }
    @inlinable static var clientTime: UInt8 { 1 << 6 }
    @inlinable static var selection: UInt8 { 1 << 7 }
    @inlinable static var ofEdits: UInt8 {
      replacement | transaction | author | session | counter | clientTime | selection
    }
    @inlinable static var ofEvents: UInt8 { event | author | session | counter }
  }

  /// Appends an entry. Equal entries give equal bytes.
  ///
  /// An edit must lie in a text of at most `EditAction.textLengthMax` units, before and after,
  /// and its transaction must not start after it.
  package static func encode(
    _ entry: HistoryEntry, meta: inout ByteWriter, content: inout ByteWriter
  ) {
    switch entry {
    case .edit(let edit): encode(edit, meta: &meta, content: &content)
    case .event(let event): encode(event, meta: &meta, content: &content)
    }
  }

  /// Reads an entry from `meta` and `content`.
  ///
  /// - Throws: `CodecError` if the bytes are not the encoding of an entry.
  package static func decode(
    meta: inout ByteReader, content: inout ByteReader
  ) throws(CodecError) -> HistoryEntry {
    let place = meta
    let flags = try meta.readByte()
    if flags & Flag.event == 0 {
      guard flags & ~Flag.ofEdits == 0 else { throw place.error(.unknown) }
      return .edit(try decodeEdit(flags, &meta, &content))
    }
    guard flags & ~Flag.ofEvents == 0 else { throw place.error(.unknown) }
    return .event(try decodeEvent(flags, &meta, &content))
  }

  /// The place of the entry whose meta is at the front of `meta`, and whose content has
  /// `contentSize` bytes. Nothing after the time is read.
  @inlinable @inline(__always)
  static func decodePlace(
    _ meta: inout ByteReader, contentSize: Int
  ) throws(CodecError) -> EntryPlace {
    let flags = try meta.readByte()
    let isEdit = flags & Flag.event == 0
    guard flags & ~(isEdit ? Flag.ofEdits : Flag.ofEvents) == 0 else { throw meta.error(.unknown) }
    _ = try meta.readByte()
    let place = try meta.readVarint()
    guard place <= sequenceMax, place > 0 || !isEdit else { throw meta.error(.place) }
    if isEdit {
      // Location, length, new length.
      for _ in 0..<(flags & Flag.replacement == 0 ? 2 : 3) { _ = try meta.readVarint() }
    }
    guard try meta.readVarint() == contentSize else { throw meta.error(.mismatch) }
    return EntryPlace(isEdit: isEdit, place: place, time: Timestamp(nanoseconds: try meta.read()))
  }

  /// True if a record is an edit with a selection, by its flags.
  static func hasSelection(_ record: EntryBytes) -> Bool {
    guard let flags = record.meta.first else { return false }
    return flags & Flag.event == 0 && flags & Flag.selection != 0
  }

  // MARK: What edits and events share

  static func flags(author: String?, session: SessionID?, counter: UInt64) -> UInt8 {
    (author == nil ? 0 : Flag.author) | (session == nil ? 0 : Flag.session)
      | (counter == 0 ? 0 : Flag.counter)
  }

  static func encodeSource(
    author: String?, session: SessionID?, counter: UInt64, to meta: inout ByteWriter
  ) {
    if let author { meta.write(string: author) }
    if let session { meta.write(string: session.name) }
    if counter != 0 { meta.write(varint: counter) }
  }

  static func decodeSource(
    _ flags: UInt8, _ meta: inout ByteReader
  ) throws(CodecError) -> (author: String?, session: SessionID?, counter: UInt64) {
    let author = flags & Flag.author == 0 ? nil : try meta.readString()
    let session = flags & Flag.session == 0 ? nil : try decodeSession(&meta)
    let counter = flags & Flag.counter == 0 ? 0 : try decodeNonzero(&meta)
    return (author, session, counter)
  }

  static func decodeSession(_ reader: inout ByteReader) throws(CodecError) -> SessionID {
    let place = reader
    guard let session = SessionID(try reader.readString(sizeMax: SessionID.sizeMax)) else {
      throw place.error(.name)
    }
    return session
  }

  /// A number that must not be 0, because 0 is expressed by its absence.
  static func decodeNonzero(_ reader: inout ByteReader) throws(CodecError) -> UInt64 {
    let place = reader
    let value = try reader.readVarint()
    guard value != 0 else { throw place.error(.overlong) }
    return value
  }
}
