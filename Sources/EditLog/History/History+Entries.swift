import EditLogFormat
public import EditModel

extension History {
  /// Runs `body` on the entries after the edit `after`, up to the edit `last` and the events that
  /// follow it, in order. Events that follow the edit `after` itself are left out, but if `after`
  /// is 0, all events are included.
  ///
  /// Entries before damage are passed to `body`. To skip the damage, pass an `after` beyond it.
  ///
  /// - Throws: `LogError.damaged` at the first block that does not decode; what `body` throws.
  public func forEachEntry(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil,
    _ body: (consuming HistoryEntry) throws -> Void
  ) throws {
    let last = min(last ?? lastSequence, lastSequence)
    guard after < last || after == 0 else { return }
    // Starts after the edit, unless that would skip events: those at 0 come before edit 1.
    let first = after == 0 ? 0 : after + 1
    try forEachPiece(from: first, { $0 as any Error }) { piece throws(any Error) in
      guard piece.mayHold(through: last, in: self) else { return false }
      if case .block(let segment, let block) = piece, !block.header.isLong {
        let columns = try columns(of: block, segment)
        try segment.reading(block) { () throws(CodecError) in try columns.checkEntries() }
        try columns.forEachEntry(after: after, through: last, body)
        return true
      }
      let entries = try entries(of: piece)
      let start = entries.partitionPoint { !$0.isIn(after: after, through: .max) }
      for entry in entries[start...] {
        guard entry.place <= last else { break }
        try body(entry)
      }
      return true
    }
  }

  /// Runs `body` on the number and the origin of each edit up to `last`, in order, and on a function that
  /// gives its writer. What the edits change is not read.
  ///
  /// - Throws: as `forEachEntry`.
  package func forEachOrigin(
    through last: SequenceNumber,
    _ body: (SequenceNumber, Origin, _ writer: () -> EditWriter) throws -> Void
  ) throws {
    guard last > 0 else { return }
    try forEachPiece(from: 1, { $0 as any Error }) { piece throws(any Error) in
      guard piece.mayHold(through: last, in: self) else { return false }
      if case .block(let segment, let block) = piece, !block.header.isLong {
        let columns = try columns(of: block, segment)
        do { try columns.forEachOrigin(through: last, body) } catch let error as CodecError {
          try segment.reading(block) { () throws(CodecError) in throw error }
        }
        return true
      }
      for case .edit(let edit) in try entries(of: piece) where edit.sequence <= last {
        try body(edit.sequence, edit.origin) { EditWriter(of: edit) }
      }
      return true
    }
  }

  /// Runs `body` on the edits after `after` and through `last` as spans, in order: replay
  /// applies a typing run at once. Spans that extend beyond this range are cut.
  ///
  /// - Throws: as `forEachEntry`.
  public func forEachSpan(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil,
    _ body: (EditSpan) throws -> Void
  ) throws {
    let last = min(last ?? lastSequence, lastSequence)
    guard after < last else { return }
    try forEachPiece(from: after + 1, { $0 as any Error }) { piece throws(any Error) in
      guard piece.mayHold(through: last, in: self) else { return false }
      try spans(of: piece).withUnsafeBufferPointer { spans in
        // Most replays begin and end inside a block.
        var index = spans.partitionPoint { $0.last <= after }
        // An iterator would copy each span, and count references for it.
        while index < spans.count, spans[index].first <= last {
          if spans[index].first > after, spans[index].last <= last {
            try body(spans[index])
          } else {
            try body(spans[index].part(after: after, through: last))
          }
          index += 1
        }
      }
      return true
    }
  }

  /// True if a sealed block after the edit `after` holds a single edit with a long text.
  package func hasLongEdit(after: SequenceNumber) throws(LogError) -> Bool {
    var isFound = false
    try forEachPiece(from: after + 1, { $0 }) { piece throws(LogError) in
      if case .block(_, let block) = piece { isFound = block.header.isLong }
      return !isFound
    }
    return isFound
  }

  /// As `forEachSpan`, but a long text that is the only edit of a sealed block is not read: its span
  /// has no units. `body` gets the number of units that each span inserts; nil if it changes only
  /// attributes.
  package func forEachSpanLength(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil,
    _ body: (_ span: EditSpan, _ insertedLength: Int?) throws -> Void
  ) throws {
    let last = min(last ?? lastSequence, lastSequence)
    guard after < last else { return }
    try forEachPiece(from: after + 1, { $0 as any Error }) { piece throws(any Error) in
      guard piece.mayHold(through: last, in: self) else { return false }
      if case .block(let segment, let block) = piece,
        let long = try segment.longSpanWithoutText(of: block)
      {
        if long.span.last > after, long.span.first <= last {
          try body(long.span, long.insertedLength)
        }
        return true
      }
      for span in try spans(of: piece) where span.last > after && span.first <= last {
        let part = span.part(after: after, through: last)
        try body(part, part.insertedLength)
      }
      return true
    }
  }

  private func spans(of piece: Piece) throws(LogError) -> [EditSpan] {
    if case .block(let segment, let block) = piece {
      if let spans = segment.longSpans(of: block) { return spans }
      let columns = try columns(of: block, segment)
      return try segment.reading(block) { () throws(CodecError) in try columns.spans() }
    }
    return try entries(of: piece).compactMap {
      if case .edit(let edit) = $0 { EditSpan(edit.action, at: edit.sequence) } else { nil }
    }
  }

  /// The edit of this number; nil if it is after the horizon, or 0.
  public func edit(at sequence: SequenceNumber) throws(LogError) -> Edit? {
    guard (1...max(lastSequence, 1)).contains(sequence) else { return nil }
    var found: Edit?
    try forEachPiece(from: sequence, { $0 }) { piece throws(LogError) in
      found = try edit(at: sequence, in: piece)
      return found == nil && piece.mayHold(through: sequence, in: self)
    }
    return found
  }

  /// The edit of this number; nil if the piece does not have it.
  private func edit(
    at sequence: SequenceNumber, in piece: Piece
  ) throws(LogError) -> Edit? {
    if case .block(let segment, let block) = piece, !block.header.isLong {
      let columns = try columns(of: block, segment)
      return try segment.reading(block) { () throws(CodecError) in
        try columns.edit(at: sequence)
      }
    }
    let entries = try entries(of: piece)
    // Events share the number of the edit before them, which comes first.
    for entry in entries[entries.partitionPoint({ $0.place < sequence })...] {
      guard case .edit(let edit) = entry else { continue }
      return edit.sequence == sequence ? edit : nil
    }
    return nil
  }

  /// The time of the edit of this number; nil if it is after the horizon, or 0. Nothing is decoded
  /// if all entries of its piece have the same time: an edit may be as long as the text.
  public func time(ofEdit sequence: SequenceNumber) throws(LogError) -> Timestamp? {
    guard (1...max(lastSequence, 1)).contains(sequence) else { return nil }
    var found: Timestamp?
    try forEachPiece(from: sequence, { $0 }) { piece throws(LogError) in
      found = onlyTime(of: piece, ifItHas: sequence)
      return false
    }
    if let found { return found }
    return try edit(at: sequence)?.time
  }

  /// The time of all entries of a piece, if they have the same time and the edit `sequence` is one
  /// of them.
  private func onlyTime(of piece: Piece, ifItHas sequence: SequenceNumber) -> Timestamp? {
    switch piece {
    case .block(_, let block):
      let header = block.header
      let hasEdit = header.firstSequence <= sequence && sequence <= header.lastSequence
      return hasEdit && header.firstTime == header.lastTime ? header.firstTime : nil
    case .chunk(let index):
      let chunk = unsealed.chunks[index]
      let hasEdit = chunk.before < sequence && sequence <= chunk.last
      return hasEdit && chunk.firstTime == chunk.lastTime ? chunk.firstTime : nil
    }
  }

  /// The newest edit that is not after `time`; 0 if all are.
  ///
  /// The index of the blocks is searched first; one block is decoded.
  public func sequence(at time: Timestamp) throws(LogError) -> SequenceNumber {
    let chunk = unsealed.chunks.partitionPoint { $0.firstTime <= time } - 1
    if chunk >= 0 { return try sequence(at: time, in: .chunk(chunk)) }
    guard let sealed else { return 0 }
    // Segments are few and each knows its first time.
    for position in (0..<sealed.count).reversed() {
      let segment = try sealed.segment(position)
      let block = segment.index.blocks.partitionPoint { $0.header.firstTime <= time } - 1
      if block >= 0 {
        return try sequence(at: time, in: .block(segment, segment.index.blocks[block]))
      }
    }
    return 0
  }

  private func sequence(at time: Timestamp, in piece: Piece) throws(LogError) -> SequenceNumber {
    let entries = try entries(of: piece)
    return entries[..<entries.partitionPoint { $0.time <= time }].last?.place ?? 0
  }

  /// The events that follow the edit `sequence`, before the next one; all that come before the first edit
  /// if it is 0. Reads only the parts of the history that may have them.
  package func events(after sequence: SequenceNumber) throws(LogError) -> [HistoryEvent] {
    var events: [HistoryEvent] = []
    try sealed?.forEach { segment in
      let all = segment.index.events
      let first = all.partitionPoint { $0.after < sequence }
      events += all[first...].prefix { $0.after == sequence }
    }
    let first = unsealed.chunks.partitionPoint { $0.last < sequence }
    for index in first..<unsealed.chunks.count {
      let chunk = unsealed.chunks[index]
      guard chunk.before <= sequence else { break }
      if chunk.eventCount == 0 { continue }
      let entries = try entries(of: .chunk(index))
      for case .event(let event) in entries[entries.partitionPoint { $0.place < sequence }...] {
        guard event.after == sequence else { break }
        events.append(event)
      }
    }
    return events
  }

  /// The events of the history, in order. Reads the segments' footers, not their blocks.
  public func events() throws(LogError) -> [HistoryEvent] {
    var events: [HistoryEvent] = []
    try sealed?.forEach { events += $0.index.events }
    for chunk in unsealed.chunks.indices where unsealed.chunks[chunk].eventCount > 0 {
      for case .event(let event) in try entries(of: .chunk(chunk)) { events.append(event) }
    }
    return events
  }

  /// The versions that have a name, in the order they got it: the last mark of a name counts. O(events).
  public func marks() throws(LogError) -> [(label: String, sequence: SequenceNumber)] {
    try markEvents().compactMap { event in
      if case .mark(let label, let sequence) = event.kind { (label, sequence) } else { nil }
    }
  }

  /// The last mark of each name, in order. O(events).
  package func markEvents() throws(LogError) -> [HistoryEvent] {
    var (labels, marks) = (Set<ExactString>(), [HistoryEvent]())
    for event in try events().reversed() {
      guard case .mark(let label, _) = event.kind, labels.insert(ExactString(label)).inserted
      else { continue }
      marks.append(event)
    }
    return marks.reversed()
  }

  /// The last request of each client's run, so that a resend after a restart gets its old answer.
  public func sessions() throws(LogError) -> [SessionID: SessionMark] {
    var sessions: [SessionID: SessionMark] = [:]
    try sealed?.forEach { segment in
      sessions.merge(segment.index.sessions) { $1 }
    }
    for chunk in unsealed.chunks.indices {
      for entry in try entries(of: .chunk(chunk)) { sessions.note(entry) }
    }
    return sessions
  }
}

extension EditSpan {
  /// The edits after `after` and through `last`; there is at least one.
  fileprivate func part(after: SequenceNumber, through last: SequenceNumber) -> EditSpan {
    let skipped = after < first ? 0 : Int(after - first) + 1
    return self[skipped..<Int(min(self.last, last) - first) + 1]
  }
}
