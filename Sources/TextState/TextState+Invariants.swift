import EditModel

extension TextState {
  /// The first violated invariant of those listed at `TextState`; nil if all hold. O(length); for
  /// tests.
  package func invariantViolation() -> String? { core.invariantViolation() }
}

extension StateCore {
  fileprivate func invariantViolation() -> String? {
    treeViolation() ?? paragraphViolation() ?? identifierViolation() ?? runViolation()
      ?? placeViolation()
  }

  private func treeViolation() -> String? {
    if let found = units.invariantViolation() { return "text: \(found)" }
    if let found = paragraphRecords.invariantViolation() { return "paragraphs: \(found)" }
    if let found = runRecords.invariantViolation() { return "runs: \(found)" }
    return births.invariantViolation().map { "births: \($0)" }
  }

  private func paragraphViolation() -> String? {
    guard paragraphCount > 0 else { return "no paragraph" }
    let text = units.elements(in: 0..<length)
    var (start, lineFeeds) = (0, 0)
    for index in 0..<paragraphCount {
      let record = paragraphRecords[index]
      let end = start + record.length
      guard end <= text.count else { return "paragraph \(index) ends after the text" }
      let isLast = index == paragraphCount - 1
      guard isLast || end > start else { return "paragraph \(index) is empty" }
      for offset in start..<end
      where isTerminatorEnd(offset, text) != (offset == end - 1 && !isLast) {
        return "paragraph \(index) has a wrong terminator at \(offset)"
      }
      guard record.endsInLF == (!isLast && text[end - 1] == .lineFeed) else {
        return "paragraph \(index) has a wrong line flag"
      }
      lineFeeds += record.endsInLF ? 1 : 0
      start = end
    }
    guard start == text.count else { return "paragraphs cover \(start) of \(text.count)" }
    let counted = paragraphRecords.measure.lineFeeds
    return lineFeeds == counted ? nil : "\(counted) LFs counted, not \(lineFeeds)"
  }

  /// True if the unit is the last one of a terminator.
  private func isTerminatorEnd(_ offset: Int, _ text: [UInt16]) -> Bool {
    guard text[offset] == .carriageReturn else { return text[offset].endsParagraph }
    return offset + 1 == text.count || text[offset + 1] != .lineFeed
  }

  private func identifierViolation() -> String? {
    let records = paragraphRecords.elements(in: 0..<paragraphCount)
    let ids = records.map(\.id).sorted()
    if let last = ids.last, last.sequence > sequence { return "paragraph \(last) is too new" }
    if let pair = zip(ids, ids.dropFirst()).first(where: { $0 == $1 }) {
      return "paragraph \(pair.0) repeated"
    }
    let labels = records.map(\.label)
    if zip(labels, labels.dropFirst()).contains(where: { $0 >= $1 }) {
      return "labels do not ascend"
    }
    for (index, id) in records.map(\.id).enumerated() where position(of: id)?.index != index {
      return "paragraph \(id) is not found"
    }
    return nil
  }

  private func runViolation() -> String? {
    var (covered, before): (Int, SetNumber?) = (0, nil)
    for index in 0..<runRecords.count {
      let record = runRecords[index]
      guard record.length > 0 else { return "run \(index) is empty" }
      guard record.set.index < table.count else { return "run \(index) has no attribute set" }
      guard record.set != before else { return "run \(index) equals the one before" }
      (covered, before) = (covered + record.length, record.set)
    }
    return covered == length ? nil : "runs cover \(covered) of \(length)"
  }

  private func placeViolation() -> String? {
    var place = ParagraphPlace()
    while place.index < min(paragraphPlace.index, paragraphCount) { stepForward(&place) }
    guard place.index == paragraphPlace.index, place.index < paragraphCount,
      place.start == paragraphPlace.start, place.line == paragraphPlace.line
    else { return "the paragraph of the last edit is misplaced" }
    let start = (0..<min(runPlace.index, runRecords.count)).reduce(0) {
      $0 + runRecords[$1].length
    }
    let isPlaced = runPlace.index <= runRecords.count && runPlace.start == start
    return isPlaced ? nil : "the run of the last edit is misplaced"
  }
}
