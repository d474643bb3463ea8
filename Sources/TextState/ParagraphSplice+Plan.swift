import EditModel

extension ParagraphSplice {
  /// The records that take the place of the old ones, and the events that tell of it.
  struct Plan {
    /// True if the caller asked for the events.
    let tellsEvents: Bool
    /// True if the new paragraphs are many: then they have neither records nor events here.
    let isBulk: Bool
    var records: [ParagraphRecord] = []
    var events: [ParagraphEvent] = []
    /// The paragraphs from which the first and the last new one have text, if they are many.
    var insertedSources: (first: ParagraphID?, last: ParagraphID?)
    /// Removed paragraphs, if they are too many for single events.
    var removed: RemovedParagraphs?
  }

  /// Plans the splice of `state`, in which `runs` are going to be the attribute runs of the new
  /// units. O(edit), however many paragraphs go.
  func plan(
    in state: StateCore, _ new: some InsertedUnits, runs: RunsLeft, tellsEvents: Bool,
    isBulk: Bool
  ) -> Plan {
    var plan = Plan(tellsEvents: tellsEvents, isBulk: isBulk)
    let count = isBulk ? pieceCount - newPieces.count : pieceCount
    plan.records.reserveCapacity(count)
    if tellsEvents {
      plan.events.reserveCapacity(count + min(removedIndices.count, 16))
      addRemovals(to: &plan, state)
    }
    if isBulk {
      plan.insertedSources = (
        source(ofPiece: newPieces.lowerBound, state),
        source(ofPiece: newPieces.upperBound - 1, state)
      )
    }
    addPieces(to: &plan, state, new, runs)
    return plan
  }

  /// The new paragraphs, as indices of the state after the edit.
  var insertedIndices: Range<Int> {
    first.index + newPieces.lowerBound..<first.index + newPieces.upperBound
  }

  /// The paragraphs that are gone, highest index first.
  private func addRemovals(to plan: inout Plan, _ state: StateCore) {
    let removed = removedIndices
    guard !removed.isEmpty else { return }
    var mergedInto: ParagraphID?
    if removedLeavesText, let keeper = oldParagraph(ofPiece: 0) {
      mergedInto = state.paragraphRecords[first.index + keeper].id
    }
    guard removed.count <= RemovedParagraphs.eagerCountMax else {
      plan.removed = RemovedParagraphs(removed, of: state.copy(), lastIsMergedInto: mergedInto)
      return
    }
    var place = last
    if place.index == removed.upperBound { state.stepBack(&place) }
    for index in removed.reversed() {
      plan.events.append(
        .removed(
          index: index, descriptor: state.descriptor(at: place),
          mergedInto: index == removed.upperBound - 1 ? mergedInto : nil))
      if index > removed.lowerBound { state.stepBack(&place) }
    }
  }

  /// The new paragraphs in order, with their events.
  private func addPieces(
    to plan: inout Plan, _ state: StateCore, _ new: some InsertedUnits, _ runs: RunsLeft
  ) {
    var (start, ordinal) = (first.start, UInt32(0))
    // The old paragraph that the next piece from the front pairs with.
    var front = first
    forEachPiece(new) { piece in
      let number = piece.number
      let range = start..<start + piece.length
      start = range.upperBound
      let index = first.index + number

      guard let old = oldParagraph(ofPiece: number) else {
        if plan.isBulk { return }
        let id = ParagraphID(sequence: state.sequence + 1, ordinal: ordinal)
        ordinal += 1
        plan.records.append(
          ParagraphRecord(id: id, length: piece.length, endsInLF: piece.endsInLF))
        guard plan.tellsEvents else { return }
        plan.events.append(
          .inserted(
            index: index, descriptor: ParagraphDescriptor(id: id, range: UTF16Range(range)),
            splitFrom: source(ofPiece: number, state)))
        return
      }
      let place = old == oldIndices.count - 1 ? last : front
      if place.index < last.index { state.stepForward(&front) }
      let record = state.paragraphRecords[place.index]
      let before = ParagraphDescriptor(
        id: record.id, range: UTF16Range(place.start..<place.start + record.length))
      plan.records.append(
        ParagraphRecord(
          id: record.id, length: piece.length, endsInLF: piece.endsInLF, label: record.label))
      guard plan.tellsEvents else { return }
      let survivor = Survivor(
        index: index, before: before, range: range,
        shared: (
          number == 0 && old == 0 ? head : 0,
          number == pieceCount - 1 && old == oldIndices.count - 1 ? tail : 0
        ))
      if let event = event(of: survivor, state, new, runs) { plan.events.append(event) }
    }
  }

  /// The old paragraph from which a new piece has units; nil if it has none.
  private func source(ofPiece piece: Int, _ state: StateCore) -> ParagraphID? {
    if piece == 0, head > 0 { return state.paragraphRecords[first.index].id }
    if piece == pieceCount - 1, tail > 0 { return state.paragraphRecords[last.index].id }
    return nil
  }
}

extension ParagraphSplice {
  /// A paragraph that keeps its identity.
  private struct Survivor {
    /// Its index after the edit.
    let index: Int
    /// Its descriptor before the edit.
    let before: ParagraphDescriptor
    /// Its range after the edit.
    let range: Range<Int>
    /// The numbers of units at its start and end that do not change: P and S, if they belonged to
    /// it.
    let shared: (head: Int, tail: Int)
  }

  /// The event of a survivor; nil if its units and attributes are the same.
  private func event(
    of survivor: Survivor, _ state: StateCore, _ new: some InsertedUnits,
    _ runs: RunsLeft
  ) -> ParagraphEvent? {
    let before = survivor.before.range
    let descriptor = ParagraphDescriptor(
      id: survivor.before.id, range: UTF16Range(survivor.range))
    // Usually the length decides.
    guard before.length == survivor.range.count else {
      return .edited(index: survivor.index, descriptor: descriptor, oldRange: before)
    }
    let shared = survivor.shared
    let lower = before.location + shared.head
    let old = lower..<max(lower, before.upperBound - shared.tail)
    let newLower = survivor.range.lowerBound + shared.head
    let after = newLower..<max(newLower, survivor.range.upperBound - shared.tail)
    guard unitsEqual(old, after, state, new) else {
      return .edited(index: survivor.index, descriptor: descriptor, oldRange: before)
    }
    if isOneRun(old, after, state, runs) { return nil }
    let changed = changedSpan(state.runs(in: old), self.runs(in: after, state, runs))
    guard let changed else { return nil }
    return .attributesChanged(
      index: survivor.index, descriptor: descriptor,
      range: UTF16Range(newLower + changed.lowerBound..<newLower + changed.upperBound))
  }

  /// True if `after` of the text after the edit holds the units that `old` holds now. None of
  /// `after` lies before the edit.
  private func unitsEqual(
    _ old: Range<Int>, _ after: Range<Int>, _ state: StateCore,
    _ new: some InsertedUnits
  ) -> Bool {
    let inserted = newOffsets(after)
    guard state.unitsEqual(old.prefix(inserted.count), new.extracting(inserted)) else {
      return false
    }
    let suffix = oldOffsets(afterEditIn: after)
    return state.unitsEqual(old.dropFirst(inserted.count), suffix)
  }

  /// True if one attribute run holds both, as it is now: then nothing can have changed.
  private func isOneRun(
    _ old: Range<Int>, _ after: Range<Int>, _ state: StateCore, _ runs: RunsLeft
  ) -> Bool {
    guard case .inherited(let run) = runs, !old.isEmpty else { return false }
    let suffix = oldOffsets(afterEditIn: after)
    let lower = min(old.lowerBound, suffix.isEmpty ? old.lowerBound : suffix.lowerBound)
    let place = state.runPlace(at: lower)
    let record = state.runRecords[place.index]
    return record.set == run.set
      && max(old.upperBound, suffix.upperBound) <= place.start + record.length
  }

  /// The runs that `after` of the text after the edit is going to have. As above.
  private func runs(
    in after: Range<Int>, _ state: StateCore, _ runs: RunsLeft
  ) -> [RunRecord] {
    runs.records.cut(to: newOffsets(after)) + state.runs(in: oldOffsets(afterEditIn: after))
  }

  /// The part of s inside `after`, a range of the text after the edit.
  private func newOffsets(_ after: Range<Int>) -> Range<Int> {
    let end = range.lowerBound + newCount
    let bounds = after.clamped(to: range.lowerBound..<end)
    return bounds.lowerBound - range.lowerBound..<bounds.upperBound - range.lowerBound
  }

  /// The offsets before the edit of the units of `after` that come after s.
  private func oldOffsets(afterEditIn after: Range<Int>) -> Range<Int> {
    let end = range.lowerBound + newCount
    let change = newCount - range.count
    let lower = max(after.lowerBound, end)
    return lower - change..<max(after.upperBound, lower) - change
  }
}
