public import EditModel

/// The place of an entry in its history, and its time.
@usableFromInline
package struct EntryPlace: Hashable, Sendable {
  @usableFromInline
  package var isEdit: Bool
  /// The sequence number of an edit, or of the edit that an event follows.
  @usableFromInline
  package var place: SequenceNumber
  @usableFromInline
  package var time: Timestamp

  /// The place of the entry with these bytes, from its meta. The content is not read.
  @inlinable
  package init(_ bytes: EntryBytes) throws(CodecError) {
    var meta = ByteReader(bytes.meta)
    self = try RecordCodec.decodePlace(&meta, contentSize: bytes.content.count)
  }

  @inlinable
  package init(isEdit: Bool, place: SequenceNumber, time: Timestamp) {
    (self.isEdit, self.place, self.time) = (isEdit, place, time)
  }
}

extension HistoryEntry {
  @inlinable package var entryPlace: EntryPlace {
    EntryPlace(isEdit: isEdit, place: place, time: time)
  }

  /// The sequence number of an edit, or of the edit that an event follows.
  @inlinable package var place: SequenceNumber {
    switch self {
    case .edit(let edit): edit.sequence
    case .event(let event): event.after
    }
  }
  /// The place of the entry before it.
  @inlinable package var before: SequenceNumber { isEdit ? place - 1 : place }
  /// The time of the edit or event.
  @inlinable package var time: Timestamp {
    switch self {
    case .edit(let edit): edit.time
    case .event(let event): event.time
    }
  }
  @inlinable package var isEdit: Bool { if case .edit = self { true } else { false } }
  /// The client's run that sent it, and the number of its request.
  @usableFromInline
  package var source: (session: SessionID, counter: UInt64)? {
    switch self {
    case .edit(let edit): edit.session.map { ($0, edit.counter) }
    case .event(let event): event.session.map { ($0, event.counter) }
    }
  }

  /// True if the entry is in a history after `after` and through `last`: an event comes after the
  /// edit that it follows, so events at `after` itself do not count.
  @inlinable package func isIn(after: SequenceNumber, through last: SequenceNumber) -> Bool {
    place <= last && (place > after || (place == 0 && after == 0))
  }

  /// The entry with these bytes, which contain nothing else.
  @usableFromInline
  package init(_ bytes: EntryBytes) throws(CodecError) {
    var meta = ByteReader(bytes.meta)
    var content = ByteReader(bytes.content)
    self = try RecordCodec.decode(meta: &meta, content: &content)
    try meta.expectEnd()
    try content.expectEnd()
  }
}
