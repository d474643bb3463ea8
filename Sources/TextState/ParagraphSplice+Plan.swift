import EditModel

extension ParagraphSplice {
  /// The records that take the place of the old ones, and the events of those.
  struct Plan {
    var records: [ParagraphRecord] = []
    var events: [ParagraphEvent] = []
  }

  /// Plans the splice of `state`, in which `runs` are going to be the attribute runs of the new
  /// units. O(edit), however many paragraphs go.
  func plan(
    in state: StateCore, runs: [RunRecord]
  ) -> (records: [ParagraphRecord], events: ParagraphEvents) {
    var plan = Plan()
    plan.records.reserveCapacity(pieces.count)
    addPieces(to: &plan, state, runs)
    if removedIndices.isEmpty { return (plan.records, ParagraphEvents(plan.events)) }
    let isMany = removedIndices.count > RemovedParagraphs.eagerCountMax
    let removed = RemovedParagraphs(
      removedIndices, of: isMany ? state.copy() : state,
      lastIsMergedInto: removedLeavesText ? plan.records[0].id : nil)
    return (plan.records, ParagraphEvents(removed, plan.events))
  }

  /// The new paragraphs in order, with their events.
  private func addPieces(to plan: inout Plan, _ state: StateCore, _ runs: [RunRecord]) {
    var (start, ordinal) = (first.start, UInt32(0))
    // The old paragraph that the next piece from the front pairs with.
    var front = first
    for (number, piece) in pieces.enumerated() {
      let range = start..<start + piece.length
      start = range.upperBound
      let index = first.index + number

      guard let old = oldParagraph(ofPiece: number) else {
        let id = ParagraphID(sequence: state.sequence + 1, ordinal: ordinal)
        ordinal += 1
        plan.records.append(
          ParagraphRecord(id: id, length: piece.length, endsInLF: piece.endsInLF))
        plan.events.append(
          .inserted(
            index: index, descriptor: ParagraphDescriptor(id: id, range: UTF16Range(range)),
            splitFrom: source(ofPiece: number, state)))
        continue
      }
      let place = old == oldIndices.count - 1 ? last : front
      if place.index < last.index { state.stepForward(&front) }
      let before = state.descriptor(at: place)
      plan.records.append(
        ParagraphRecord(
          id: before.id, length: piece.length, endsInLF: piece.endsInLF,
          label: state.paragraphRecords[place.index].label))
      let survivor = Survivor(
        index: index, before: before, range: range,
        shared: (
          number == 0 && old == 0 ? head : 0,
          number == pieces.count - 1 && old == oldIndices.count - 1 ? tail : 0
        ))
      if let event = event(of: survivor, state, runs) { plan.events.append(event) }
    }
  }

  /// The old paragraph from which a new piece takes units, where it takes any.
  private func source(ofPiece piece: Int, _ state: StateCore) -> ParagraphID? {
    if piece == 0, head > 0 { return state.paragraphRecords[first.index].id }
    if piece == pieces.count - 1, tail > 0 { return state.paragraphRecords[last.index].id }
    return nil
  }
}

extension ParagraphSplice {
  /// A paragraph that keeps its identity.
  private struct Survivor {
    /// Its index after the edit.
    let index: Int
    /// What it was.
    let before: ParagraphDescriptor
    /// Where it is after the edit.
    let range: Range<Int>
    /// Units at its start and end that stay as they are: P and S, where they were its own.
    let shared: (head: Int, tail: Int)
  }

  /// What happened to a survivor; nil where its units and attributes are what they were.
  private func event(
    of survivor: Survivor, _ state: StateCore, _ runs: [RunRecord]
  ) -> ParagraphEvent? {
    let (before, shared) = (survivor.before.range.bounds, survivor.shared)
    let descriptor = ParagraphDescriptor(
      id: survivor.before.id, range: UTF16Range(survivor.range))
    let old =
      before.lowerBound
      + shared.head..<max(before.lowerBound + shared.head, before.upperBound - shared.tail)
    let lower = survivor.range.lowerBound + shared.head
    let after = lower..<max(lower, survivor.range.upperBound - shared.tail)
    guard before.count == survivor.range.count, unitsEqual(old, after, state) else {
      return .edited(
        index: survivor.index, descriptor: descriptor, oldRange: survivor.before.range)
    }
    let changed = changedSpan(state.runs(in: old), self.runs(in: after, state, runs))
    guard let changed else { return nil }
    return .attributesChanged(
      index: survivor.index, descriptor: descriptor,
      range: UTF16Range(lower + changed.lowerBound..<lower + changed.upperBound))
  }

  /// True where `new` of the text after the edit holds the units that `old` holds now. None of
  /// `new` lies before the edit.
  private func unitsEqual(_ old: Range<Int>, _ after: Range<Int>, _ state: StateCore) -> Bool {
    let inserted = newOffsets(after)
    guard state.unitsEqual(old.prefix(inserted.count), new[inserted]) else { return false }
    let behind = oldOffsets(behindEditIn: after)
    return zip(old.dropFirst(inserted.count), behind).allSatisfy { state.units[$0] == state.units[$1] }
  }

  /// The runs that `after` of the text after the edit is going to have. As above.
  private func runs(
    in after: Range<Int>, _ state: StateCore, _ runs: [RunRecord]
  ) -> [RunRecord] {
    runs.cut(to: newOffsets(after)) + state.runs(in: oldOffsets(behindEditIn: after))
  }

  /// The part of s inside `after`, a range of the text after the edit.
  private func newOffsets(_ after: Range<Int>) -> Range<Int> {
    let end = range.lowerBound + new.count
    let bounds = after.clamped(to: range.lowerBound..<end)
    return bounds.lowerBound - range.lowerBound..<bounds.upperBound - range.lowerBound
  }

  /// Where the units of `after` that lie behind s are before the edit.
  private func oldOffsets(behindEditIn after: Range<Int>) -> Range<Int> {
    let end = range.lowerBound + new.count
    let change = new.count - range.count
    let lower = max(after.lowerBound, end)
    return lower - change..<max(after.upperBound, lower) - change
  }
}
