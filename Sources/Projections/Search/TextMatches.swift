public import EditModel
public import TextState

/// The matches of a pattern in every version of a text: when each appeared, and when it vanished.
///
/// The matches of a version are the leftmost ones that do not overlap. A match lives as long as its
/// units match: text that an edit replaces by the same text is another match, and so is a match that
/// comes back.
///
/// For a string of n units, an edit costs O(log matches + units inserted + n), plus the matches that it
/// touches or displaces. For a regular expression it costs O(log n + units inserted), plus the units before
/// it in its paragraph where what can match depends on it, and the units of the matches that it touches or
/// displaces. If the expression has too many states for that, it costs the paragraphs that it touches.
///
/// All edits together cost a constant times the edits and the units that they insert: a search that takes
/// more ends (`SearchBudget`). Memory is that of the matches, and a part of the text.
public struct TextMatches: Projection {
  /// 1: the first. 2: with the last places of matches.
  public static let version: UInt32 = 2

  /// The maximum number of UTF-16 units before and after a match that are kept with it.
  public static let contextLength = 200

  /// The matches to keep.
  public struct Choice: Hashable, Sendable {
    /// True if only matches that live in the last version are kept, false if only others are.
    public var isLiving: Bool?
    /// If not nil, only matches that appeared or vanished by an edit in this range are kept.
    public var sequences: ClosedRange<SequenceNumber>?

    /// All matches, or those that meet the conditions.
    public init(isLiving: Bool? = nil, sequences: ClosedRange<SequenceNumber>? = nil) {
      (self.isLiving, self.sequences) = (isLiving, sequences)
    }
  }

  /// One of both finds the matches.
  private let fixed: FixedMatcher?
  private var lines: LineMatcher?
  /// Nil for a string, or if the expression has too many states: then `lines` searches whole paragraphs.
  private var blocks: MatchBlocks?
  private let choice: Choice
  private let budget: SearchBudget
  /// The living matches. The number of each is its place in `matches`.
  private var living = TextSpans()
  private var matches: [TextMatch?] = []
  /// The places in `matches` that are free.
  private var free: [Int] = []
  private var textLength = 0
  private var line: [UInt16] = []
  /// What the edit removes, if a match is near.
  private var removed = UTF16Text()
  /// The steps that were taken for strings and for the texts of matches.
  private var stepCount = 0
  /// The steps at which the budget is asked next.
  private var checkedCount = Self.checkedPart
  /// The edits so far, and the units that they inserted.
  private var inputCount = 0

  /// The number of steps after which the budget is asked.
  private static let checkedPart = 1 << 16

  /// The matches of a pattern from the empty document on. When `budget` is exhausted, no more are
  /// looked for.
  public init(
    of pattern: SearchPattern, keeping choice: Choice = Choice(),
    budget: SearchBudget = SearchBudget()
  ) {
    self.init(
      of: pattern, keeping: choice, budget: budget, stateCountMax: MatchAutomaton.stateCountMax)
  }

  /// As above, with an automaton of at most this many states.
  init(
    of pattern: SearchPattern, keeping choice: Choice = Choice(),
    budget: SearchBudget = SearchBudget(), stateCountMax: Int
  ) {
    (self.choice, self.budget) = (choice, budget)
    switch pattern.matcher {
    case .fixed(let matcher): fixed = matcher
    case .lines(let matcher):
      (fixed, lines, blocks) = (
        nil, matcher, MatchBlocks(matcher.program, stateCountMax: stateCountMax)
      )
    }
  }

  /// The matches that are kept, in the order in which they appeared, those of one edit by their place.
  /// `state` is the version last applied. O(matches · log matches).
  public func found(in state: TextState) -> [TextMatch] {
    var matches = matches
    for span in living.all { matches[span.number]?.livingLocation = span.start }
    return matches.compactMap { match in match.flatMap { isKept($0) ? $0 : nil } }
      .sorted {
        ($0.appeared.sequence, $0.location) < ($1.appeared.sequence, $1.location)
      }
  }

  /// True if a match, as it is now, is to be kept.
  private func isKept(_ match: TextMatch) -> Bool {
    if let isLiving = choice.isLiving, isLiving != (match.vanished == nil) { return false }
    guard let sequences = choice.sequences else { return true }
    return sequences.contains(match.appeared.sequence)
      || match.vanished.map { sequences.contains($0.sequence) } ?? false
  }

  /// Keeps the text that is about to be removed, if a match is near: the line around it may be asked for.
  public mutating func willApply(_ edit: Edit, to state: TextState) {
    let range = edit.action.range
    removed = UTF16Text()
    guard edit.action.replacement != nil, !range.isEmpty, !budget.isExhausted else { return }
    let near = living.first(endingAfter: range.location - Self.contextLength - 1)
    guard near.index < living.count,
      living.span(at: near.index, after: near.previousEnd).start
        <= range.upperBound + Self.contextLength
    else { return }
    removed = state.text(in: range)
  }

  /// Finds the matches that the edit made and ended.
  public mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    guard edit.action.replacement != nil, !budget.isExhausted else { return }
    let range = change.range.bounds
    let newEnd = range.upperBound + change.changeInLength
    guard !range.isEmpty || newEnd > range.lowerBound else { return }
    inputCount += 1 + newEnd - range.lowerBound
    if let fixed {
      search(fixed, change, newEnd, edit, state)
    } else {
      searchBlocks(change, newEnd, edit, state)
    }
    checkSteps()
  }

  /// The steps so far: units that were read, instructions that were looked at, texts of matches.
  var steps: Int { stepCount + (blocks?.stepCount ?? 0) + (lines?.stepCount ?? 0) }

  private mutating func checkSteps() {
    let steps = steps
    guard steps >= checkedCount else { return }
    checkedCount = steps + Self.checkedPart
    budget.check(steps: steps, of: inputCount)
  }

  // MARK: A string

  /// Matches that end at or before the edit stay: whether a match is the leftmost depends on the text
  /// before its end alone. From there on the search is made again, until no match of before is cut.
  private mutating func search(
    _ fixed: FixedMatcher, _ change: Change, _ newEnd: Int, _ edit: Edit, _ state: TextState
  ) {
    let (range, shift) = (change.range.bounds, change.changeInLength)
    let (first, previousEnd) = living.first(endingAfter: range.lowerBound)
    // Up to this place of the new text, matches may start that were not there.
    var (bound, oldEnd, last) = (newEnd, previousEnd, first)
    while last < living.count {
      let span = living.span(at: last, after: oldEnd)
      guard span.start < range.upperBound || range.isEmpty && span.start < range.lowerBound
      else { break }
      bound = max(bound, span.end + shift)
      (oldEnd, last) = (span.end, last + 1)
    }
    let touchesNone = last == first
    if touchesNone, !mayMatch(fixed, range.lowerBound..<newEnd, state) {
      living.replace(
        first..<first, after: previousEnd, with: [], oldEnd: previousEnd, shift: shift)
      return
    }
    var next = max(previousEnd, range.lowerBound - fixed.length + 1)
    var found: [TextSpans.Span] = []
    let ending = Ending(
      stamp: EditStamp(edit), change: change, state: state, removed: removed)
    let stamp = ending.stamp
    while next < bound, !budget.isExhausted {
      let from = next
      guard let start = fixed.first(startingIn: next..<bound, of: state) else {
        stepCount += bound - from
        break
      }
      next = start + fixed.length
      stepCount += next - from
      checkSteps()
      found.append(
        TextSpans.Span(
          start: start, length: fixed.length, number: add(start..<next, state, stamp)))
      // A match of before that overlaps this one is displaced.
      while last < living.count {
        let span = living.span(at: last, after: oldEnd)
        guard span.start + shift < next else { break }
        bound = max(bound, span.end + shift)
        (oldEnd, last) = (span.end, last + 1)
      }
    }
    end(first..<last, after: previousEnd, ending)
    living.replace(
      first..<last, after: previousEnd, with: found, oldEnd: oldEnd, shift: shift)
  }

  /// False if an edit that touches no match certainly makes none. `inserted` is in the new text.
  private func mayMatch(
    _ fixed: FixedMatcher, _ inserted: Range<Int>, _ state: TextState
  ) -> Bool {
    if inserted.isEmpty {
      // A new match holds the units before and after what was removed.
      let place = inserted.lowerBound
      return fixed.length > 1 && place > 0 && place < state.length
        && fixed.holds(state[place]) && fixed.holds(state[place - 1])
    }
    guard inserted.count == 1 else { return true }
    return fixed.holds(state[inserted.lowerBound])
  }

  // MARK: A regular expression

  /// A match of before the edit.
  private struct OldMatch {
    /// Where it would be now.
    var span: TextSpans.Span
    /// Where it was.
    var start: Int
    var isTouched: Bool
  }

  /// The matches of before that are compared with those of now: from one on, as many as are needed.
  private struct OldMatches {
    let range: Range<Int>
    let shift: Int
    /// The first one, and the end of the match before it.
    let (first, previousEnd): (Int, Int)
    /// The place after the last one, and where that ended.
    var (last, oldEnd): (Int, Int)
    private var matches: [OldMatch] = []
    private var comparedCount = 0

    /// The first one that was not compared yet.
    var next: OldMatch? { comparedCount < matches.count ? matches[comparedCount] : nil }

    /// Notes that `next` was compared.
    mutating func advance() { comparedCount += 1 }

    /// Those that end after `offset`.
    init(endingAfter offset: Int, in living: TextSpans, _ range: Range<Int>, shift: Int) {
      (self.range, self.shift) = (range, shift)
      (first, previousEnd) = living.first(endingAfter: offset)
      (last, oldEnd) = (first, previousEnd)
    }

    /// Takes the next one if the edit touched it, or it would begin before `bound` now. Returns where it
    /// would end.
    mutating func take(before bound: Int, in living: TextSpans) -> Int? {
      guard last < living.count else { return nil }
      var span = living.span(at: last, after: oldEnd)
      let (start, end) = (span.start, span.end)
      let isAfter = start >= range.upperBound
      if isAfter { span.start += shift }
      guard !isAfter || span.start < bound else { return nil }
      (last, oldEnd) = (last + 1, end)
      matches.append(
        OldMatch(span: span, start: start, isTouched: end > range.lowerBound && !isAfter))
      return end <= range.lowerBound ? end : max(end, range.upperBound) + shift
    }
  }

  /// Finds the matches from the first place on where others may be, until those of before follow. A match
  /// that the edit did not touch and that is found again lives on.
  private mutating func searchBlocks(
    _ change: Change, _ newEnd: Int, _ edit: Edit, _ state: TextState
  ) {
    let (range, shift) = (change.range.bounds, change.changeInLength)
    guard let lower = blocks?.apply(range, newEnd: newEnd, state) else {
      blocks = nil
      return searchLines(change, newEnd, edit, state)
    }
    var old = OldMatches(endingAfter: lower - 1, in: living, range, shift: shift)
    // What is before the place after the edit has changed. Up to the bound, matches may begin.
    var bound = newEnd + 1
    while let end = old.take(before: bound, in: living) { bound = max(bound, end) }
    let ending = Ending(
      stamp: EditStamp(edit), change: change, state: state, removed: removed)
    var found: [TextSpans.Span] = []
    var next = max(old.previousEnd, min(lower, old.next?.span.start ?? lower))
    while let match = blocks?.first(startingIn: next..<max(next, min(bound, state.length)), state) {
      found.append(span(of: match, &old, ending))
      next = match.upperBound
      // A match of before that overlaps this one is displaced.
      while let end = old.take(before: next, in: living) { bound = max(bound, end) }
      checkSteps()
      if budget.isExhausted { break }
    }
    while let match = old.next {
      end(match.span, at: match.start, ending)
      old.advance()
    }
    living.replace(
      old.first..<old.last, after: old.previousEnd, with: found, oldEnd: old.oldEnd, shift: shift)
  }

  /// The span of a match that was found: that of the match of before if it is the same. Those of before that
  /// are not found any more are ended.
  private mutating func span(
    of match: Range<Int>, _ old: inout OldMatches, _ ending: Ending
  ) -> TextSpans.Span {
    while let next = old.next, next.isTouched || next.span.start < match.lowerBound {
      end(next.span, at: next.start, ending)
      old.advance()
    }
    if let next = old.next, next.span.start == match.lowerBound, next.span.length == match.count {
      old.advance()
      return next.span
    }
    return TextSpans.Span(
      start: match.lowerBound, length: match.count, number: add(match, ending.state, ending.stamp))
  }

  /// Finds the matches of all paragraphs that the edit touched.
  private mutating func searchLines(
    _ change: Change, _ newEnd: Int, _ edit: Edit, _ state: TextState
  ) {
    let range = change.range.bounds
    let paragraphs =
      state.paragraphIndex(at: range.lowerBound)...state.paragraphIndex(at: newEnd)
    let lower = state.paragraph(at: paragraphs.lowerBound).range.location
    let upper = state.paragraph(at: paragraphs.upperBound).range.upperBound
    var old = OldMatches(endingAfter: lower, in: living, range, shift: change.changeInLength)
    while old.take(before: upper, in: living) != nil {}
    let ending = Ending(
      stamp: EditStamp(edit), change: change, state: state, removed: removed)
    var found: [TextSpans.Span] = []
    for paragraph in state.paragraphs[paragraphs.lowerBound..<paragraphs.upperBound + 1] {
      let start = paragraph.range.location
      for range in matches(in: start..<state.contentEnd(of: paragraph.range), state) {
        let match = start + range.lowerBound..<start + range.upperBound
        found.append(span(of: match, &old, ending))
      }
    }
    while let match = old.next {
      end(match.span, at: match.start, ending)
      old.advance()
    }
    living.replace(
      old.first..<old.last, after: old.previousEnd, with: found, oldEnd: old.oldEnd,
      shift: change.changeInLength)
  }

  /// The matches in a paragraph without its terminator, from its start.
  private mutating func matches(
    in content: Range<Int>, _ state: TextState
  ) -> [Range<Int>] {
    line.removeAll(keepingCapacity: true)
    state.appendUnits(in: UTF16Range(content), to: &line)
    return line.withUnsafeBufferPointer { lines?.matches(in: $0, budget) } ?? []
  }

  // MARK: Matches

  private mutating func add(_ range: Range<Int>, _ state: TextState, _ stamp: EditStamp) -> Int {
    let match = TextMatch(range, in: state, stamp)
    stepCount += match.size
    textLength += match.size
    if textLength > budget.textLengthMax { budget.fail(.tooMuchText(max: budget.textLengthMax)) }
    if let place = free.popLast() {
      matches[place] = match
      return place
    }
    if matches.count >= budget.matchCountMax {
      budget.fail(.tooManyMatches(max: budget.matchCountMax))
    }
    matches.append(match)
    return matches.count - 1
  }

  /// The edit after which matches are not there any more.
  private struct Ending {
    let stamp: EditStamp
    let change: Change
    let state: TextState
    /// What the edit removed.
    let removed: UTF16Text

    /// What is between these places of the version before the edit.
    func text(_ range: Range<Int>) -> UTF16Text {
      let length = state.length - change.changeInLength
      return change.oldText(
        in: UTF16Range(range.clamped(to: 0..<length)), after: state, removed: removed)
    }
  }

  private mutating func end(_ spans: Range<Int>, after previousEnd: Int, _ ending: Ending) {
    var previousEnd = previousEnd
    for index in spans {
      let span = living.span(at: index, after: previousEnd)
      previousEnd = span.end
      end(span, at: span.start, ending)
    }
  }

  /// Ends a match that is at `start` in the version before the edit.
  private mutating func end(_ span: TextSpans.Span, at start: Int, _ ending: Ending) {
    guard var match = matches[span.number] else { return }
    stepCount += 1
    match.vanished = ending.stamp
    if isKept(match) {
      match.last = TextMatch.Place(
        start..<start + span.length, withLinesOf: { ending.text($0) })
      textLength += match.last?.context.count ?? 0
      if textLength > budget.textLengthMax { budget.fail(.tooMuchText(max: budget.textLengthMax)) }
      matches[span.number] = match
    } else {
      textLength -= match.size
      matches[span.number] = nil
      free.append(span.number)
    }
  }
}
