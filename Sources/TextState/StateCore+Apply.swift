import EditModel

extension StateCore {
  /// Does an edit, which must fit, and says what became of paragraphs.
  func apply(_ action: EditAction, _ probe: inout some ApplyProbe) -> ParagraphEvents {
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
    return replacement.units.withUnsafeBufferPointer {
      replace(action.range.bounds, $0, action.attributes, &probe)
    }
  }

  /// Any edit of characters.
  @inline(never)
  func replace(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>, _ attributes: AttributeChange,
    tellsEvents: Bool = true, _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    typing = TypingRange()
    // Text and paragraphs at the joints are looked at several times.
    if length > 0, !units.leafTouches(range.lowerBound, range.lowerBound) {
      units.takeOut(leafHolding: max(range.lowerBound - 1, 0))
    }
    paragraphRecords.takeOut(leafHolding: paragraphPlace(at: range.lowerBound).index)
    let splice = ParagraphSplice(self, replacing: range, with: new)
    probe.finished(.locate)
    let runs = runs(leftOn: range, newCount: new.count, attributes)
    probe.finished(.attributes)
    var plan = splice.plan(in: self, new, runs: runs, tellsEvents: tellsEvents)
    probe.finished(.paragraphs)

    replaceRuns(range, with: runs)
    probe.finished(.attributes)
    units.replace(range, with: new)
    probe.finished(.text)
    replaceParagraphs(splice.oldIndices, with: &plan.records)
    paragraphPlace = splice.first
    return ParagraphEvents(plan.events, after: plan.removed)
  }

  /// True where `range` of the text holds the units of `other`, which are as many.
  func unitsEqual(_ range: Range<Int>, _ other: UnsafeBufferPointer<UInt16>) -> Bool {
    var (equal, index) = (true, 0)
    units.withChunks(in: range) { chunk in
      guard equal else { return }
      equal = other[index..<index + chunk.count].elementsEqual(chunk)
      index += chunk.count
    }
    return equal
  }

  /// True where two ranges of the text, which are as long, hold the same units. O(length), some
  /// units a nanosecond.
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
