package import EditModel

extension DecodedBlock {
  /// Calls `body` with the entries after the edit `after`, and up to the edit `last` and the events
  /// that follow it, in order. Events that follow the edit `after` itself are left out, but if
  /// `after` is 0, all events are included. O(entries passed on + 128) after the first time, which
  /// reads the columns of all edits.
  ///
  /// - Throws: What `body` throws. `CodecError`, before anything is passed on, if the columns hold
  ///   an error anywhere; not after `checkEntries`.
  package func forEachEntry(
    after: SequenceNumber, through last: SequenceNumber,
    _ body: (consuming HistoryEntry) throws -> Void
  ) throws {
    try walk(after: after, through: last, { $0 as any Error }, body)
  }

  /// Calls `body` with the number and the origin of each edit through `last`, in order, and with a
  /// function that gives its writer. No edit is made. O(edits).
  ///
  /// - Throws: What `body` throws. `CodecError` at the first edit that does not decode.
  package func forEachOrigin(
    through last: SequenceNumber,
    _ body: (SequenceNumber, Origin, _ writer: () -> EditWriter) throws -> Void
  ) throws {
    let spans = try spans()
    var decoder = try columns.reading { (reader) throws(CodecError) in
      let (preface, columns, _) = try open(&reader)
      return try provenance(preface, columns)
    }
    var sequence = header.firstSequence
    let end = sequence + UInt64(edits(after: 0, through: last).count)
    for span in spans {
      let shape = span.shape
      for _ in 0..<min(span.count, Int(end - sequence)) {
        let origin = try decoder.advance(shape, sequence: sequence).origin
        try body(sequence, origin) { decoder.writer }
        sequence += 1
      }
    }
    withExtendedLifetime(self) {}
  }

  /// - Throws: `CodecError` if the columns hold an error anywhere.
  package func checkEntries() throws(CodecError) { _ = try marks(try spans()) }

  /// All entries, edits and events, in order.
  package func entries() throws(CodecError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    entries.reserveCapacity(header.editCount + header.eventCount)
    try walk { entries.append($0) }
    return entries
  }

  /// True if the block holds these entries, and no others.
  package func holds(_ entries: ArraySlice<HistoryEntry>) throws(CodecError) -> Bool {
    var next = entries.startIndex
    var isEqual = true
    try walk { entry in
      isEqual = isEqual && next < entries.endIndex && entry == entries[next]
      next += 1
    }
    return isEqual && next == entries.endIndex
  }

  private func walk(_ body: (HistoryEntry) -> Void) throws(CodecError) {
    try walk(after: 0, through: .max, { $0 }) { (entry) throws(CodecError) in body(entry) }
  }

  /// As `forEachEntry`. `wrap` makes an error of the columns one of `body`'s.
  @inline(__always)
  private func walk<Failure: Error>(
    after: SequenceNumber, through last: SequenceNumber, _ wrap: (CodecError) -> Failure,
    _ body: (consuming HistoryEntry) throws(Failure) -> Void
  ) throws(Failure) {
    let (spans, events): ([EditSpan], [HistoryEvent])
    var mark: ProvenanceMark?
    let edits = edits(after: after, through: last)
    do throws(CodecError) {
      spans = try self.spans()
      let marks = try marks(spans)
      events = try self.events()
      mark = edits.isEmpty ? nil : try self.mark(before: edits.lowerBound, spans, marks)
    } catch { throw wrap(error) }
    var nextEvent = after == 0 ? 0 : events.partitionPoint { $0.after <= after }
    let eventEnd = max(nextEvent, events.partitionPoint { $0.after <= last })

    var sequence = header.firstSequence + UInt64(edits.lowerBound)
    let end = header.firstSequence + UInt64(edits.upperBound)
    if var place = mark.take() {
      while sequence < end {
        let span = spans[place.span]
        let (shape, actions) = (span.shape, SpanActions(span))
        for index in place.index..<min(span.count, place.index + Int(end - sequence)) {
          while nextEvent < eventEnd, events[nextEvent].after < sequence {
            try body(.event(events[nextEvent]))
            nextEvent += 1
          }
          let stamp: ProvenanceDecoder.Stamp
          do throws(CodecError) {
            stamp = try place.decoder.advance(shape, sequence: sequence)
          } catch { throw wrap(error) }
          try body(place.decoder.entry(actions[index], stamp, sequence: sequence))
          sequence += 1
        }
        (place.span, place.index) = (place.span + 1, 0)
      }
    }
    for event in events[nextEvent..<eventEnd] { try body(.event(event)) }
    withExtendedLifetime(self) {}
  }

  /// The edits of the block after `after` and through `last`, counted from 0.
  private func edits(after: SequenceNumber, through last: SequenceNumber) -> Range<Int> {
    let before = header.firstSequence - 1
    let lower = after <= before ? 0 : Int(min(after - before, UInt64(header.editCount)))
    let upper = last <= before ? 0 : Int(min(last - before, UInt64(header.editCount)))
    return lower..<max(lower, upper)
  }
}
