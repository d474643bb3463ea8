import EditModel
import EditProtocol
import TextGrid
import TextState

// The way from the shown version to the goal.
extension ScrubState {
  /// Edits that are applied for one input, at most: some milliseconds.
  private static let stepsAtOnce = 20_000

  /// Edits through which the cursor walks, at most. A text of this length is asked for instead if it is
  /// further: the longer the text, the dearer it is.
  private var walkMax: UInt64 { 4_096 + UInt64((cursor?.text.length ?? 0) / 256) }

  /// Goes as far to the goal as the edits in memory lead, and asks for what is missing.
  mutating func settle() {
    searchSteps()
    walk()
    guard let cursor else { return }
    if cursor.sequence == goal {
      // What was shown is not new any more.
      if goal == latest { seen = latest }
      finishMotion()
      prefetch(around: goal)
    }
    updateShownText()
    updateRequests()
  }

  private mutating func walk() {
    guard let start = cursor else { return askText() }
    guard start.sequence != goal else { return }
    guard distance(start.sequence, goal) <= walkMax else { return askText() }
    var (cursor, count) = (start, 0)
    self.cursor = nil
    defer { self.cursor = cursor }
    while cursor.sequence != goal, count < Self.stepsAtOnce {
      let isForward = cursor.sequence < goal
      let number = isForward ? cursor.sequence + 1 : cursor.sequence
      guard let edit = window[number] else {
        askEdits(number)
        return
      }
      let range = isForward ? edit.range : edit.editedRange
      guard isForward ? cursor.stepForward(edit) : cursor.stepBack(edit) else {
        return askText()
      }
      if edit.text != nil {
        shift(past: range, by: isForward ? edit.changeInLength : -edit.changeInLength)
      }
      count += 1
    }
  }

  /// Asks for the text of the goal. One text is asked for at a time: when it comes, the goal may be
  /// another one.
  private mutating func askText() {
    let isAsked = outstanding.contains { if case .text = $0 { true } else { false } }
    if !isAsked { ask(.text(goal)) }
  }

  private func distance(_ a: SequenceNumber, _ b: SequenceNumber) -> UInt64 {
    a < b ? b - a : a - b
  }

  /// Keeps the view where it is while text before it changes.
  private mutating func shift(past range: UTF16Range, by change: Int) {
    if range.upperBound <= top { top += change } else { top = min(top, range.location) }
    if range.upperBound <= place { place += change } else { place = min(place, range.location) }
  }

  /// Asks for the edits on both sides of a version, before they are needed.
  private mutating func prefetch(around version: SequenceNumber) {
    window.touch(version)
    prefetchBack(to: version)
    let margin = EditWindow.blockLength
    let numbers = [
      version, version + 1, version > margin ? version - margin : 1, version + margin,
    ]
    for number in numbers where number >= 1 && number <= latest { askEdits(number) }
  }

  /// Asks for earlier blocks while the cursor goes back: the more at once, the further it went. The text before
  /// the first edit of an answer is made for each answer, which costs more than the edits of a block, and the
  /// text after it is kept for the next block only.
  private mutating func prefetchBack(to version: SequenceNumber) {
    defer { rest = version }
    guard version < rest, rest - version <= EditWindow.blockLength else {
      if version != rest { blocksBack = 1 }
      return
    }
    let near = version - min(version, Self.blocksAhead * EditWindow.blockLength)
    guard near > 0, window[near] == nil,
      let request = window.request(before: version, blockCount: blocksBack),
      case .edits(_, let through) = request, !isAsked(through)
    else { return }
    ask(request)
    blocksBack = min(2 * blocksBack, Self.blocksBackMax)
  }

  /// The number of blocks that are there before the cursor while it goes back, and of blocks that are asked
  /// for at once.
  private static let (blocksAhead, blocksBackMax) = (SequenceNumber(4), SequenceNumber(16))

  /// Asks for the block of an edit, if it is neither there nor asked for.
  mutating func askEdits(_ number: SequenceNumber) {
    guard window[number] == nil, !isAsked(number) else { return }
    ask(EditWindow.request(for: number, latest: latest))
  }

  /// True if an answer with the edit is awaited.
  private func isAsked(_ number: SequenceNumber) -> Bool {
    outstanding.contains {
      if case .edits(let after, let through) = $0 {
        after < number && number <= through
      } else {
        false
      }
    }
  }

  /// Looks at what changed.
  private mutating func finishMotion() {
    guard focus != .stay, let cursor else { return }
    switch focus {
    case .stay: return
    case .offset(let offset): place = offset
    case .change:
      guard goal > 0 else {
        place = 0
        break
      }
      guard let edit = window[goal] else { return }
      place = edit.editedRange.location
    }
    place = min(max(place, 0), cursor.text.length)
    focus = .stay
    updateShownText()
    showPlace()
  }

  // MARK: - Goals

  /// Goes to a version.
  mutating func go(to version: SequenceNumber, _ focus: Focus = .change) {
    goal = min(version, latest)
    self.focus = focus
    pending = nil
  }

  /// As `go(to:)`, so that Backspace leads back.
  mutating func jump(to version: SequenceNumber, _ focus: Focus = .change) {
    back.append((goal, place))
    if back.count > 1_000 { back.removeFirst() }
    go(to: version, focus)
  }

  /// Goes a number of edits on, or back.
  mutating func goByEdits(_ count: Int) {
    let far = min(count.magnitude, UInt(latest))
    go(to: count < 0 ? goal - min(goal, UInt64(far)) : goal + min(latest - goal, UInt64(far)))
  }

  /// Goes a number of undo steps on, or back; to those of the author, or to versions of the paragraph, if
  /// only these are wanted.
  mutating func goBySteps(_ count: Int) {
    if let paragraph { return goByVersions(paragraph.versions, count, "version of the paragraph") }
    let unit = author.map { PendingSteps.Unit.author($0) } ?? .undoStep
    if var pending, pending.unit == unit {
      pending.count += count
      self.pending = pending
    } else {
      pending = PendingSteps(unit: unit, count: count, from: goal)
    }
  }

  /// Goes to the next of some versions, ascending, or to the one before.
  mutating func goByVersions(_ versions: [SequenceNumber], _ count: Int, _ what: String) {
    let index =
      count > 0
      ? versions.partitionPoint { $0 <= goal } + count - 1
      : versions.partitionPoint { $0 < goal } + count
    guard versions.indices.contains(index) else {
      message = count > 0 ? "there is no later \(what)" : "there is no earlier \(what)"
      return
    }
    go(to: versions[index])
  }

  /// Asks the query engine for steps.
  mutating func askSteps(_ count: Int, _ unit: StepUnit) {
    ask(.step(from: goal, count: count, unit: unit))
  }

  // MARK: - Undo steps among the edits in memory

  /// Makes the steps that are pending, as far as the edits are known.
  private mutating func searchSteps() {
    guard var pending else { return }
    var budget = Self.stepsAtOnce
    while pending.count != 0 {
      guard budget > 0, let end = nextStep(&pending, &budget) else {
        self.pending = pending
        return
      }
      guard let version = end else {
        var whose = ""
        if case .author(let name) = pending.unit { whose = " of \(name.shown)" }
        if pending.passed <= PendingSteps.passedMax {
          message = "there is no \(pending.count > 0 ? "later" : "earlier") step\(whose)"
        }
        break
      }
      (goal, focus, pending.from) = (version, .change, version)
      pending.count -= pending.count.signum()
    }
    self.pending = nil
  }

  /// The version that one step leads to: nil inside if there is none, nil outside if it is not known yet.
  private mutating func nextStep(
    _ pending: inout PendingSteps, _ budget: inout Int
  ) -> SequenceNumber?? {
    let isForward = pending.count > 0
    while budget > 0 {
      let from = pending.from
      guard isForward ? from < latest : from > 0 else { return .some(nil) }
      let number = isForward ? from + 1 : from
      guard let edit = window[number],
        let next = number < latest ? window[number + 1].map({ !$0.isContinuation }) : true
      else {
        if pending.passed > PendingSteps.passedMax, pending.unit == .undoStep {
          askSteps(pending.count, .undoStep)
          return .some(nil)
        }
        for missing in [number, min(number + 1, latest)] { askEdits(missing) }
        return nil
      }
      pending.from = isForward ? number : number - 1
      pending.passed += 1
      budget -= 1
      let isEnd = isForward ? next : !edit.isContinuation
      if isEnd, matches(pending, number) {
        pending.passed = 0
        return isForward ? number : number - 1
      }
    }
    return nil
  }

  /// True if the step with this edit is one that is wanted.
  private func matches(_ pending: PendingSteps, _ number: SequenceNumber) -> Bool {
    switch pending.unit {
    case .undoStep: true
    case .author(let name): window[number].map { $0.author.isExactly(name) } ?? false
    }
  }
}
