import EditModel

/// A Return in a paragraph, and the removal of one terminator: the most common edits that make or
/// end a paragraph, without a plan. They give what `replace` gives, without events.
extension StateCore {
  /// Does the edit if it inserts one LF, and perhaps other text, inside a paragraph, a run and a
  /// leaf, as `typeLocally` says; then it fits. Returns false, and changes nothing, if it is another
  /// edit. O(units) beside the edit before, else O(log n).
  func splitLocally(at offset: Int, _ new: UnsafeBufferPointer<UInt16>) -> Bool {
    guard let feed = new.firstTerminator(from: 0), new[feed] == .lineFeed,
      new.extracting(feed + 1..<new.count).firstTerminator(from: 0) == nil,
      reach(offset, offset, newCount: new.count)
    else { return false }
    let place = paragraphPlace
    let old = paragraphRecords[place.index]
    let (before, after) = (offset - place.start, place.start + old.length - offset)
    // With nothing but a terminator after it, a paragraph keeps its identity above; that one has two
    // units at most.
    guard before > 0 || after > 2,
      paragraphRecords.leafTakes(1, inPlaceOf: place.index, place.index)
    else { return false }
    let newIsFirst = before == 0
    let newIndex = newIsFirst ? place.index : place.index + 1
    guard let label = label(forOneAt: newIndex) else { return false }

    units.replace(offset..<offset, with: new)
    let first = before + feed + 1
    let second = after + new.count - feed - 1
    let id = ParagraphID(sequence: sequence + 1, ordinal: 0)
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
    return true
  }

  /// Does the edit if it removes the end of a paragraph and the start of the next, with one
  /// terminator between them, inside one run and one leaf; then it fits. Returns false, and changes
  /// nothing, if it is another edit. O(units) beside the edit before, else O(log n).
  func joinLocally(_ range: Range<Int>) -> Bool {
    // Nearly all are Backspace at the start of a line.
    guard range.count <= 64, !range.isEmpty, range.lowerBound > 0 else { return false }
    let place = paragraphPlace(at: range.lowerBound)
    let first = paragraphRecords[place.index]
    let end = place.start + first.length
    guard place.start < range.lowerBound, range.upperBound >= end, place.index + 1 < paragraphCount
    else { return false }
    paragraphRecords.checkOut(leafHolding: place.index)
    guard paragraphRecords.leafHolds(place.index + 1) else { return false }
    let second = paragraphRecords[place.index + 1]
    let isLast = place.index + 2 == paragraphCount
    guard
      range.upperBound < end + second.length || isLast && range.upperBound == end + second.length
    else { return false }
    if !units.leafTouches(range.lowerBound, range.upperBound) {
      units.checkOut(leafHolding: range.lowerBound)
    }
    // A CR before the edit may be about to meet an LF.
    guard units.leafTakes(0, inPlaceOf: range.lowerBound, range.upperBound),
      units[range.lowerBound - 1] != .carriageReturn
    else { return false }
    let runPlace = runPlace(at: range.lowerBound - 1)
    runRecords.checkOut(leafHolding: runPlace.index)
    guard range.upperBound <= runPlace.start + runRecords[runPlace.index].length else {
      return false
    }

    units.replace(range, with: [])
    let joined = ParagraphRecord(
      id: first.id, length: first.length + second.length - range.count,
      endsInLF: second.endsInLF, label: first.label)
    paragraphRecords.update(place.index, joined)
    paragraphRecords.replace(place.index + 1..<place.index + 2, with: [])
    (paragraphPlace, self.runPlace) = (place, runPlace)
    runRecords.updateInLeaf(runPlace.index, by: RunMeasure(units: -range.count)) {
      $0.length -= range.count
    }
    typing = TypingRange()
    compactBirthsIfNeeded()
    return true
  }
}
