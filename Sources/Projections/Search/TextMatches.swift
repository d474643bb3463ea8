public import EditModel
public import TextState

/// The matches of a pattern in every version of a text: when each appeared, and when it vanished.
///
/// The matches of a version are the leftmost ones that do not overlap. A match lives as long as its
/// units match: text that an edit replaces by the same text is another match, and so is a match that
/// comes back.
///
/// For a string of n units, an edit costs O(log matches + units inserted + n), plus the matches that it
/// touches or displaces. For a regular expression it costs the paragraphs that it touches if a match may
/// be at it; else the units of the paragraph up to where no match can reach from it, and those before it
/// unless it follows on the edit before. Memory is that of the matches.
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
  /// The end of the edit before, if that touched no match and none was changed since: where its paragraph
  /// begins, where it is, and what may match there. Text is mostly typed on from there.
  private var passed: (paragraph: Int, location: Int, place: MatchFilter.Place)?

  /// The matches of a pattern from the empty document on. When `budget` is exhausted, no more are
  /// looked for.
  public init(
    of pattern: SearchPattern, keeping choice: Choice = Choice(),
    budget: SearchBudget = SearchBudget()
  ) {
    (self.choice, self.budget) = (choice, budget)
    switch pattern.matcher {
    case .fixed(let matcher): (fixed, lines) = (matcher, nil)
    case .lines(let matcher): (fixed, lines) = (nil, matcher)
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
    if let fixed { return search(fixed, change, newEnd, edit, state) }
    searchLines(change, newEnd, edit, state)
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
      guard let start = fixed.first(startingIn: next..<bound, of: state) else { break }
      next = start + fixed.length
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

  /// Finds the matches of all paragraphs that the edit touched. A match that the edit did not touch and
  /// that is found again lives on.
  private mutating func searchLines(
    _ change: Change, _ newEnd: Int, _ edit: Edit, _ state: TextState
  ) {
    let (range, shift) = (change.range.bounds, change.changeInLength)
    if let place = placeBetweenMatches(change, newEnd, state) {
      living.replace(
        place.index..<place.index, after: place.previousEnd, with: [], oldEnd: place.previousEnd,
        shift: shift)
      return
    }
    passed = nil
    let paragraphs =
      state.paragraphIndex(at: range.lowerBound)...state.paragraphIndex(at: newEnd)
    let lower = state.paragraph(at: paragraphs.lowerBound).range.location
    let upper = state.paragraph(at: paragraphs.upperBound).range.upperBound
    let (first, previousEnd) = living.first(endingAfter: lower)
    // The matches of before, and where they would be now.
    var (oldEnd, last) = (previousEnd, first)
    var old: [(span: TextSpans.Span, start: Int, isTouched: Bool)] = []
    while last < living.count {
      var span = living.span(at: last, after: oldEnd)
      guard span.start < upper - shift else { break }
      (oldEnd, last) = (span.end, last + 1)
      let start = span.start
      let isAfter = start >= range.upperBound
      let isTouched = span.end > range.lowerBound && !isAfter
      if isAfter { span.start += shift }
      old.append((span, start, isTouched))
    }
    let ending = Ending(
      stamp: EditStamp(edit), change: change, state: state, removed: removed)
    let stamp = ending.stamp
    var (found, known) = ([TextSpans.Span](), old[...])
    for paragraph in state.paragraphs[paragraphs.lowerBound..<paragraphs.upperBound + 1] {
      let start = paragraph.range.location
      for range in matches(in: start..<state.contentEnd(of: paragraph.range), state) {
        let range = start + range.lowerBound..<start + range.upperBound
        while let next = known.first, next.isTouched || next.span.start < range.lowerBound {
          end(next.span, at: next.start, ending)
          known = known.dropFirst()
        }
        if let next = known.first, next.span.start == range.lowerBound,
          next.span.length == range.count
        {
          found.append(next.span)
          known = known.dropFirst()
        } else {
          found.append(
            TextSpans.Span(
              start: range.lowerBound, length: range.count, number: add(range, state, stamp)))
        }
      }
    }
    for (span, start, _) in known { end(span, at: start, ending) }
    living.replace(first..<last, after: previousEnd, with: found, oldEnd: oldEnd, shift: shift)
  }

  /// The longest part of a paragraph that is looked at before all its matches are compared.
  private static let partLengthMax = 4_096

  /// The place of the edit among the living matches, if it certainly changes none. Nil if its paragraphs
  /// have to be searched.
  ///
  /// It changes none if no match touched it before and none can now: those before the edit and those
  /// after it do not depend on it, and stay the leftmost ones.
  private mutating func placeBetweenMatches(
    _ change: Change, _ newEnd: Int, _ state: TextState
  ) -> (index: Int, previousEnd: Int)? {
    let range = change.range.bounds
    // Paragraphs that the edit replaces by the same text have no event.
    guard change.paragraphEvents.count == 1,
      case .edited(_, let paragraph, _) = change.paragraphEvents.first,
      range.lowerBound >= paragraph.range.location, newEnd <= paragraph.range.upperBound
    else { return nil }
    var reach = paragraph.range.bounds
    var start: MatchFilter.Place?
    if let passed, passed.paragraph == paragraph.range.location, passed.location == range.lowerBound
    {
      (reach, start) = (passed.location..<reach.upperBound, passed.place)
    }
    if let length = lines?.program.lengthMax {
      // A match that begins or ends further away does not touch the edit.
      reach = reach.clamped(to: range.lowerBound - length..<newEnd + length + 1)
    }
    guard reach.count <= Self.partLengthMax,
      let start = start ?? lines?.start(isLineStart: reach.lowerBound == paragraph.range.location)
    else { return nil }
    let place = living.first(endingAfter: range.lowerBound - 1)
    if place.index < living.count,
      living.span(at: place.index, after: place.previousEnd).start <= range.upperBound
    {
      return nil
    }
    line.removeAll(keepingCapacity: true)
    state.appendUnits(in: UTF16Range(reach), to: &line)
    let edited = range.lowerBound - reach.lowerBound..<newEnd - reach.lowerBound
    // An edit that makes or cuts a surrogate pair changes a character before or after it.
    let before = edited.lowerBound > 0 ? line[edited.lowerBound - 1] : start.previous
    if UTF16.isLeadSurrogate(before) { return nil }
    if edited.upperBound < line.count, UTF16.isTrailSurrogate(line[edited.upperBound]) {
      return nil
    }
    let end = line.withUnsafeBufferPointer { lines?.pass(start, $0, at: edited, budget) }
    guard let end else { return nil }
    passed = (paragraph.range.location, newEnd, end)
    return place
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
