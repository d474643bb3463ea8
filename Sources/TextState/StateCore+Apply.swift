import EditModel

extension StateCore {
  /// Applies an edit that fits the text. Returns the paragraph events; none unless `tellsEvents`.
  func apply(
    _ action: EditAction, tellsEvents: Bool = true, _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    switch typeLocally(action) {
    case .edited(let event):
      probe.finished(.text)
      return ParagraphEvents(event)
    case .nothing: return ParagraphEvents()
    case .elsewhere: break
    }
    guard let replacement = action.replacement else {
      defer { probe.finished(.attributes) }
      return restyle(action)
    }
    if let bytes = replacement.latin1, bytes.count > units.limits.leafCountMax {
      return bytes.withUnsafeBufferPointer {
        replace(
          action.range.bounds, ByteUnits(bytes: $0), action.attributes, tellsEvents: tellsEvents,
          &probe)
      }
    }
    return replacement.units.withUnsafeBufferPointer { new in
      if case .inherit = action.attributes,
        let events = splitOrJoinLocally(action.range.bounds, new, tellsEvents: tellsEvents)
      {
        probe.finished(.paragraphs)
        return events
      }
      return replace(
        action.range.bounds, new, action.attributes, tellsEvents: tellsEvents, &probe)
    }
  }

  /// Any edit of characters.
  @inline(never)
  func replace(
    _ range: Range<Int>, _ new: some InsertedUnits, _ attributes: AttributeChange,
    tellsEvents: Bool = true, _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    typing = TypingRange()
    // Text and paragraphs at the joints are read several times.
    if length > 0, !units.leafTouches(range.lowerBound, range.lowerBound) {
      units.checkOut(leafHolding: max(range.lowerBound - 1, 0))
    }
    paragraphRecords.checkOut(leafHolding: paragraphPlace(at: range.lowerBound).index)
    let splice = ParagraphSplice(self, replacing: range, with: new)
    probe.finished(.locate)
    let runs = runs(leftOn: range, newCount: new.count, attributes)
    probe.finished(.attributes)
    let isBulk = splice.newPieces.count > births.limits.leafCountMax
    var plan = splice.plan(in: self, new, runs: runs, tellsEvents: tellsEvents, isBulk: isBulk)
    probe.finished(.paragraphs)

    replaceRuns(range, with: runs)
    probe.finished(.attributes)
    if isBulk {
      var reader = ParagraphSplice.PieceReader()
      replaceParagraphs(splice.oldIndices, with: plan.records, around: splice.newPieces) {
        // There are as many as were counted.
        guard let piece = splice.next(&reader, new) else { preconditionFailure("no piece is left") }
        return (piece.length, piece.endsInLF)
      }
    } else {
      replaceParagraphs(splice.oldIndices, with: &plan.records)
    }
    paragraphPlace = splice.first
    probe.finished(.paragraphs)
    new.replace(range, of: units)
    probe.finished(.text)
    guard isBulk, tellsEvents else { return ParagraphEvents(plan.events, after: plan.removed) }
    let inserted = InsertedParagraphs(
      splice.insertedIndices, of: copy(), sources: plan.insertedSources)
    return ParagraphEvents(plan.events, after: plan.removed, around: inserted)
  }

  /// True if `range` of the text holds the units of `other`, which has the same length.
  func unitsEqual(_ range: Range<Int>, _ other: some InsertedUnits) -> Bool {
    var (equal, index) = (true, 0)
    units.withChunks(in: range) { chunk in
      guard equal else { return }
      equal = chunk.indices.allSatisfy { chunk[$0] == other[index + $0] }
      index += chunk.count
    }
    return equal
  }

  /// True if two ranges of the text with the same length hold the same units. O(length): several
  /// units per nanosecond.
  func unitsEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    var offset = 0
    while offset < left.count {
      let count = min(4096, left.count - offset)
      let lower = left.lowerBound + offset
      let block = units.elements(in: right.lowerBound + offset..<right.lowerBound + offset + count)
      let isEqual = block.withUnsafeBufferPointer { unitsEqual(lower..<lower + count, $0) }
      if !isEqual { return false }
      offset += count
    }
    return true
  }
}
