import EditModel

/// Edits inside one paragraph and one attribute run that put in no terminator: all typing but
/// Return. They change a few numbers besides the text.
extension StateCore {
  /// What became of an edit that was tried as one of these.
  enum LocalEdit {
    /// It is another, and nothing was changed.
    case elsewhere
    /// It was done, and changes nothing.
    case nothing
    /// It was done.
    case edited(ParagraphEvent)
  }

  /// Does the edit, if it is one of these; then it fits. O(1) beside the edit before, else
  /// O(log n).
  @inline(__always)
  func typeLocally(_ action: EditAction) -> LocalEdit {
    guard case .inherit = action.attributes, let replacement = action.replacement else {
      return .elsewhere
    }
    // More than a leaf can hold.
    if replacement.count > UInt16.leafCountMax { return .elsewhere }
    return replacement.withUnits { typeLocally(action.range, $0) }
  }

  /// As above, for the replacement of characters that inherit their attributes.
  @inline(__always)
  func typeLocally(_ range: UTF16Range, _ new: Span<UInt16>) -> LocalEdit {
    let (lower, upper) = (range.location, range.upperBound)
    if new.count == 1, lower == upper {
      let unit = new[0]
      if unit.endsParagraph || !reach(lower, upper, newCount: 1) { return .elsewhere }
      units.insertInLeaf(unit, at: lower)
      return .edited(grow(by: 1))
    }
    if new.isEmpty, lower < upper {
      guard reach(lower, upper, newCount: 0) else { return .elsewhere }
      units.removeInLeaf(lower..<upper)
      return .edited(grow(by: lower - upper))
    }
    return new.withUnsafeBufferPointer { replaceLocally(lower..<upper, $0) }
  }

  /// As `typeLocally`, for more than one inserted unit, or if units are replaced.
  @inline(never)
  private func replaceLocally(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>
  ) -> LocalEdit {
    if new.firstTerminator(from: 0) != nil { return .elsewhere }
    guard reach(range.lowerBound, range.upperBound, newCount: new.count) else { return .elsewhere }
    if new.count == range.count, unitsEqual(range, new) { return .nothing }
    units.replace(range, with: new)
    return .edited(grow(by: new.count - range.count))
  }

  /// The paragraph and the run of the last edit grow by `change` units.
  @inline(__always)
  private func grow(by change: Int) -> ParagraphEvent {
    let old = UTF16Range(uncheckedLocation: paragraphPlace.start, length: typing.paragraphLength)
    paragraphRecords.updateInLeaf(
      paragraphPlace.index, by: ParagraphMeasure(units: change, lineFeeds: 0)
    ) { $0.length += change }
    runRecords.updateInLeaf(runPlace.index, by: RunMeasure(units: change)) { $0.length += change }
    typing.upper &+= change
    typing.paragraphLength &+= change
    return .edited(
      index: paragraphPlace.index,
      descriptor: ParagraphDescriptor(
        id: typing.paragraph,
        range: UTF16Range(uncheckedLocation: old.location, length: typing.paragraphLength)),
      oldRange: old)
  }

  /// True if the edit is local, so that it can be done in the checked-out leaves, which are then
  /// those of the edit.
  @inline(__always)
  func reach(_ lower: Int, _ upper: Int, newCount: Int) -> Bool {
    if !typing.holds(lower, upper), !openTypingRange(lower, upper) { return false }
    // A CR before the edit may be about to meet its LF, or to lose it.
    return units.leafTakes(newCount, inPlaceOf: lower, upper)
      && units[lower &- 1] != .carriageReturn
  }

  /// Opens the range in which an edit of these bounds could be local. Returns false if there is
  /// none.
  @inline(never)
  private func openTypingRange(_ lower: Int, _ upper: Int) -> Bool {
    typing = TypingRange()
    // While the range is open, the text grows by no more than a leaf takes.
    guard lower > 0, upper <= length, length <= EditAction.textLengthMax - UInt16.leafCountMax,
      units.leafTouches(lower, upper) || checkOutText(lower, upper)
    else { return false }
    paragraphPlace = paragraphPlace(at: lower)
    paragraphRecords.checkOut(leafHolding: paragraphPlace.index)
    runPlace = runPlace(at: lower - 1)
    runRecords.checkOut(leafHolding: runPlace.index)

    let paragraph = paragraphRecords[paragraphPlace.index]
    let isLast = paragraphPlace.index == paragraphCount - 1
    let range = TypingRange(
      // Part of the run stays, and inserted text continues it.
      lower: max(paragraphPlace.start, runPlace.start + 1, units.start.index),
      upper: min(
        paragraphPlace.start + paragraph.length - (isLast ? 0 : 1),
        runPlace.start + runRecords[runPlace.index].length, units.start.index + units.leaf.count),
      paragraph: paragraph.id, paragraphLength: paragraph.length)
    guard range.holds(lower, upper) else { return false }
    typing = range
    return true
  }

  private func checkOutText(_ lower: Int, _ upper: Int) -> Bool {
    units.checkOut(leafHolding: lower < upper ? lower : lower - 1)
    return units.leafTouches(lower, upper)
  }
}

/// Where edits are local: inside one paragraph, one run and one leaf of text, all of them those
/// of the last edit. Empty after any edit that is not local.
struct TypingRange {
  /// Bounds between which an edit must lie.
  var lower = 1
  var upper = 0
  /// The paragraph there.
  var paragraph = ParagraphID(sequence: 0, ordinal: 0)
  var paragraphLength = 0

  @inline(__always)
  func holds(_ lower: Int, _ upper: Int) -> Bool { lower >= self.lower && upper <= self.upper }
}
