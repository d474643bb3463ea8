import EditModel

/// A Return in a paragraph, and the removal of one terminator: the most common edits that make or
/// end a paragraph, without a plan. They give what `replace` gives.
extension StateCore {
  /// Does the edit if it is one of these; its units inherit their attributes. Returns the paragraph
  /// events, none unless `tellsEvents`; nil, and changes nothing, if it is another edit. O(units)
  /// beside the edit before, else O(log n).
  @inline(__always)
  func splitOrJoinLocally(
    _ range: Range<Int>, _ new: UnsafeBufferPointer<UInt16>, tellsEvents: Bool
  ) -> ParagraphEvents? {
    if range.isEmpty {
      return splitLocally(at: range.lowerBound, new, of: sequence + 1, tellsEvents: tellsEvents)
    }
    return new.isEmpty ? joinLocally(range, tellsEvents: tellsEvents) : nil
  }

  /// Does the edits that insert `new` unit by unit, if one of the units is LF and all are inside a
  /// paragraph, a run and a leaf, as `typeLocally` says; then they fit. Returns false, and changes
  /// nothing, if they are others. O(units) beside the edit before, else O(log n).
  func typeReturnLocally(at offset: Int, _ new: UnsafeBufferPointer<UInt16>) -> Bool {
    splitLocally(at: offset, new, of: nil, tellsEvents: false) != nil
  }

  /// As `splitOrJoinLocally`, for an edit of this number that inserts one LF, and perhaps other
  /// text, inside a paragraph, a run and a leaf, as `typeLocally` says; then it fits. If `number` is
  /// nil, each unit is inserted by an edit of its own.
  @inline(__always)
  private func splitLocally(
    at offset: Int, _ new: UnsafeBufferPointer<UInt16>, of number: SequenceNumber?,
    tellsEvents: Bool
  ) -> ParagraphEvents? {
    guard let feed = new.firstTerminator(from: 0), new[feed] == .lineFeed,
      new.extracting(feed + 1..<new.count).firstTerminator(from: 0) == nil,
      reach(offset, offset, newCount: new.count)
    else { return nil }
    let place = paragraphPlace
    let old = paragraphRecords[place.index]
    let (before, after) = (offset - place.start, place.start + old.length - offset)
    // With nothing but a terminator after it, a paragraph keeps its identity above.
    let newIsFirst =
      before == 0 && (number != nil || feed == 0) && hasContent(after, upTo: place, old)
    guard paragraphRecords.leafTakes(1, inPlaceOf: place.index, place.index) else { return nil }
    let newIndex = newIsFirst ? place.index : place.index + 1
    let first = before + feed + 1
    let second = after + new.count - feed - 1
    // Nothing but a terminator before it leaves a paragraph as it is.
    var isEdited = !newIsFirst || second != old.length
    if tellsEvents, !newIsFirst, first == old.length {
      // The paragraph keeps its length. Its text and attributes must be compared with the old.
      guard offset + after <= runPlace.start + runRecords[runPlace.index].length else { return nil }
      isEdited = !unitsEqual(offset..<offset + after, new.extracting(0..<after))
    }
    guard let label = label(forOneAt: newIndex) else { return nil }

    units.replace(offset..<offset, with: new)
    let id = ParagraphID(sequence: number ?? sequence + UInt64(feed) + 1, ordinal: 0)
    let born = ParagraphRecord(
      id: id, length: newIsFirst ? first : second, endsInLF: newIsFirst || old.endsInLF,
      label: label)
    let kept = ParagraphRecord(
      id: old.id, length: newIsFirst ? second : first, endsInLF: !newIsFirst || old.endsInLF,
      label: old.label)
    paragraphRecords.update(place.index, kept)
    paragraphRecords.insertInLeaf(born, at: newIndex)
    births.append(BirthRecord(born))
    runRecords.updateInLeaf(runPlace.index, by: RunMeasure(units: new.count)) {
      $0.length += new.count
    }
    typing = TypingRange()
    // The next edit is most likely after the Return.
    stepForward(&paragraphPlace)
    guard tellsEvents else { return ParagraphEvents() }
    let upper = place.start + first
    let inserted = ParagraphEvent.inserted(
      index: newIndex,
      descriptor: ParagraphDescriptor(
        id: id, start: newIsFirst ? place.start : upper, length: born.length),
      splitFrom: newIsFirst || after == 0 ? nil : old.id)
    guard isEdited else { return ParagraphEvents(inserted) }
    let edited = ParagraphEvent.edited(
      index: newIsFirst ? newIndex + 1 : place.index,
      descriptor: ParagraphDescriptor(
        id: old.id, start: newIsFirst ? upper : place.start, length: kept.length),
      oldRange: UTF16Range(uncheckedLocation: place.start, length: old.length))
    return ParagraphEvents(newIsFirst ? [inserted, edited] : [edited, inserted])
  }

  /// True if the last `count` units of a paragraph hold anything besides its terminator.
  @inline(__always)
  private func hasContent(
    _ count: Int, upTo place: ParagraphPlace, _ record: ParagraphRecord
  ) -> Bool {
    // No terminator has more than two units, so that the text usually need not be read.
    if count > 2 { return true }
    let isLast = place.index == paragraphCount - 1
    return count > (isLast ? 0 : terminatorLength(before: place.start + record.length))
  }

  /// As `splitOrJoinLocally`, for an edit that removes the end of a paragraph, or all of it, and the start
  /// of the next, with one terminator between them, inside one run and one leaf; then it fits.
  private func joinLocally(_ range: Range<Int>, tellsEvents: Bool) -> ParagraphEvents? {
    // Nearly all are Backspace at the start of a line, or remove a line.
    guard range.count <= 64, range.lowerBound > 0 else { return nil }
    let place = paragraphPlace(at: range.lowerBound)
    let first = paragraphRecords[place.index]
    let end = place.start + first.length
    guard range.upperBound >= end, place.index + 1 < paragraphCount else { return nil }
    paragraphRecords.checkOut(leafHolding: place.index)
    guard paragraphRecords.leafHolds(place.index + 1) else { return nil }
    let second = paragraphRecords[place.index + 1]
    let isLast = place.index + 2 == paragraphCount
    guard
      range.upperBound < end + second.length || isLast && range.upperBound == end + second.length
    else { return nil }
    if !units.leafTouches(range.lowerBound, range.upperBound) {
      units.checkOut(leafHolding: range.lowerBound)
    }
    // A CR before the edit may be about to meet an LF.
    guard units.leafTakes(0, inPlaceOf: range.lowerBound, range.upperBound),
      units[range.lowerBound - 1] != .carriageReturn
    else { return nil }
    let runPlace = runPlace(at: range.lowerBound - 1)
    runRecords.checkOut(leafHolding: runPlace.index)
    guard range.upperBound <= runPlace.start + runRecords[runPlace.index].length else {
      return nil
    }
    let tail = end + second.length - range.upperBound
    // The paragraph above keeps its identity, unless only text of the one below stays.
    let firstStays = place.start < range.lowerBound || tail == 0
    let (kept, gone) = firstStays ? (first, second) : (second, first)
    let keptStart = firstStays ? place.start : end
    var isEdited = true
    if tellsEvents, gone.length == range.count {
      // The paragraph keeps its length. Its text and attributes must be compared with the old, unless they
      // stay where they are.
      isEdited = firstStays
      if firstStays {
        guard tail <= 2,
          range.upperBound + tail <= runPlace.start + runRecords[runPlace.index].length
        else { return nil }
        isEdited = !unitsEqual(range.lowerBound..<end, range.upperBound..<range.upperBound + tail)
      }
    }

    units.replace(range, with: UnsafeBufferPointer(start: nil, count: 0))
    let joined = ParagraphRecord(
      id: kept.id, length: first.length + second.length - range.count,
      endsInLF: second.endsInLF, label: kept.label)
    paragraphRecords.update(place.index, joined)
    paragraphRecords.replace(place.index + 1..<place.index + 2, with: [])
    (paragraphPlace, self.runPlace) = (place, runPlace)
    runRecords.updateInLeaf(runPlace.index, by: RunMeasure(units: -range.count)) {
      $0.length -= range.count
    }
    typing = TypingRange()
    compactBirthsIfNeeded()
    guard tellsEvents else { return ParagraphEvents() }
    let leavesText = place.start < range.lowerBound && tail > 0
    let removed = ParagraphEvent.removed(
      index: firstStays ? place.index + 1 : place.index,
      descriptor: ParagraphDescriptor(
        id: gone.id, start: firstStays ? end : place.start, length: gone.length),
      mergedInto: leavesText ? kept.id : nil)
    guard isEdited else { return ParagraphEvents(removed) }
    return ParagraphEvents([
      removed,
      .edited(
        index: place.index,
        descriptor: ParagraphDescriptor(id: kept.id, start: place.start, length: joined.length),
        oldRange: UTF16Range(uncheckedLocation: keptStart, length: kept.length)),
    ])
  }
}

extension ParagraphDescriptor {
  fileprivate init(id: ParagraphID, start: Int, length: Int) {
    self.init(id: id, range: UTF16Range(uncheckedLocation: start, length: length))
  }
}
