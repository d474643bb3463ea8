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

  /// Does the edit, which must fit, if it is one of these. O(1) beside the edit before, else
  /// O(log n).
  @inline(__always)
  func typeLocally(_ action: EditAction) -> LocalEdit {
    guard case .inherit = action.attributes, let replacement = action.replacement else {
      return .elsewhere
    }
    return typeLocally(action.range, replacement.units.span)
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

  /// As `typeLocally`, where more than one unit is put in, or units take the place of others.
  @inline(never)
  private func replaceLocally(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>
  ) -> LocalEdit {
    if new.firstTerminator(from: 0) != nil { return .elsewhere }
    if new.count == range.count, unitsEqual(range, new) { return .nothing }
    guard reach(range.lowerBound, range.upperBound, newCount: new.count) else { return .elsewhere }
    units.replace(range, with: new)
    return .edited(grow(by: new.count - range.count))
  }

  /// The paragraph and the run of the last edit grow by so many units.
  @inline(__always)
  private func grow(by change: Int) -> ParagraphEvent {
    let place = paragraphPlace
    let old = place.start..<place.start + paragraphRecords[place.index].length
    let id = paragraphRecords.updateInLeaf(
      place.index, by: ParagraphMeasure(units: change, lineFeeds: 0)
    ) { $0.length += change }.id
    runRecords.updateInLeaf(runPlace.index, by: change) { $0.length += change }
    return .edited(
      index: place.index,
      descriptor: ParagraphDescriptor(
        id: id, range: UTF16Range(old.lowerBound..<old.upperBound + change)),
      oldRange: UTF16Range(old))
  }

  /// Makes the paragraph, the run and the leaf of text there those of the last edit. False where
  /// the edit is not local, or is one at which these have an end: others deal with them.
  @inline(__always)
  private func reach(_ lower: Int, _ upper: Int, newCount: Int) -> Bool {
    if isAtHand(lower, upper, newCount: newCount) { return true }
    return length > 0 && goTo(lower, upper) && isAtHand(lower, upper, newCount: newCount)
  }

  @inline(__always)
  private func isAtHand(_ lower: Int, _ upper: Int, newCount: Int) -> Bool {
    guard units.leafTakes(newCount, inPlaceOf: lower, upper), lower > units.start.index,
      // A CR before the edit may be about to meet its LF, or to lose it.
      units.leaf[lower &- units.start.index &- 1] != .carriageReturn
    else { return false }

    let paragraph = paragraphPlace
    guard lower >= paragraph.start, paragraphRecords.leafHolds(paragraph.index) else {
      return false
    }
    let end = paragraph.start &+ paragraphRecords[paragraph.index].length
    guard upper < end || upper == end && paragraph.index == paragraphCount - 1 else {
      return false
    }

    // Something of the run stays, and what is put in goes on with it.
    let run = runPlace
    return lower > run.start && runRecords.leafHolds(run.index)
      && upper <= run.start &+ runRecords[run.index].length
  }

  /// Goes where an edit of these bounds could be local. False where it cannot be.
  @inline(never)
  private func goTo(_ lower: Int, _ upper: Int) -> Bool {
    guard lower > 0 else { return false }
    units.takeOut(leafHolding: lower < upper ? lower : lower - 1)
    paragraphPlace = paragraphPlace(at: lower)
    paragraphRecords.takeOut(leafHolding: paragraphPlace.index)
    runPlace = runPlace(at: lower - 1)
    runRecords.takeOut(leafHolding: runPlace.index)
    return true
  }
}
