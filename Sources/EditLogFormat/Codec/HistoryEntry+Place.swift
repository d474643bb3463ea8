public import EditModel

/// Where an entry stands in its history, and when it was.
@usableFromInline
package struct EntryPlace: Hashable, Sendable {
  @usableFromInline
  package var isEdit: Bool
  /// The sequence number of an edit, or of the edit an event follows.
  @usableFromInline
  package var place: SequenceNumber
  @usableFromInline
  package var time: Timestamp

  /// The place of the entry of these bytes, from its meta alone; the content is not looked at.
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

  /// The sequence number of an edit, or of the edit an event follows.
  @inlinable package var place: SequenceNumber {
    switch self {
    case .edit(let edit): edit.sequence
    case .event(let event): event.after
    }
  }
  /// The place of the entry before it.
  @inlinable package var before: SequenceNumber { isEdit ? place - 1 : place }
  /// When the edit or the event was.
  @inlinable package var time: Timestamp {
    switch self {
    case .edit(let edit): edit.time
    case .event(let event): event.time
    }
  }
  @inlinable package var isEdit: Bool { if case .edit = self { true } else { false } }
  /// The client's run that sent it, and its request's number.
  @usableFromInline
  package var source: (session: SessionID, counter: UInt64)? {
    switch self {
    case .edit(let edit): edit.session.map { ($0, edit.counter) }
    case .event(let event): event.session.map { ($0, event.counter) }
    }
  }

  /// True if the entry is in a history after `after` and through `last`: events come after
  /// the edit they follow, so those at `after` itself belong to what was before.
  @inlinable package func isIn(after: SequenceNumber, through last: SequenceNumber) -> Bool {
    place <= last && (place > after || (place == 0 && after == 0))
  }

  /// The entry of these bytes, which hold nothing else.
  @usableFromInline
  package init(_ bytes: EntryBytes) throws(CodecError) {
    var meta = ByteReader(bytes.meta)
    var content = ByteReader(bytes.content)
    self = try RecordCodec.decode(meta: &meta, content: &content)
    try meta.expectEnd()
    try content.expectEnd()
  }
}
