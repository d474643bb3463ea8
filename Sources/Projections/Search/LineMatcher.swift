/// Finds the matches of a regular expression in a line.
///
/// It tries one way after the other, as written, and so finds the same match as `Regex`. It notes at
/// which units each branch was tried without success, and does not try it there again: all matches of
/// a line take O(branches · units) steps, whatever the pattern. (As the backtracker of RE2: Russ Cox,
/// 2010, which keeps its notes for one match.)
struct LineMatcher: Sendable {
  let program: RegexProgram
  private var filter: MatchFilter
  /// One bit for each unit and branch: whether it was tried there in this line.
  private var tried: [UInt64] = []
  private var open: [(instruction: Int, unit: Int)] = []
  /// The steps so far.
  private(set) var stepCount = 0

  /// The maximum number of branches times units.
  private static let triedCountMax = 1 << 25
  /// The number of steps after which the budget is asked.
  private static let checkedCount = 1 << 18

  init(_ program: RegexProgram) {
    self.program = program
    filter = MatchFilter(program)
  }

  /// The place at which units begin, for `pass`.
  func start(isLineStart: Bool) -> MatchFilter.Place? { filter.start(isLineStart: isLineStart) }

  /// As `MatchFilter.pass`. Its steps count.
  mutating func pass(
    _ place: MatchFilter.Place, _ line: UnsafeBufferPointer<UInt16>, at range: Range<Int>,
    _ budget: SearchBudget
  ) -> MatchFilter.Place? {
    let stepCountBefore = stepCount
    stepCount &+= line.count
    if stepCount / Self.checkedCount != stepCountBefore / Self.checkedCount {
      budget.check(steps: stepCount)
    }
    return filter.pass(place, line, at: range)
  }

  /// The matches that are not empty, each as its range in the line.
  mutating func matches(
    in line: UnsafeBufferPointer<UInt16>, _ budget: SearchBudget
  ) -> [Range<Int>] {
    guard !budget.isExhausted else { return [] }
    let size = program.splitCount * (line.count + 1)
    guard size <= Self.triedCountMax else {
      budget.fail(.lineTooLong(length: line.count))
      return []
    }
    var (found, start) = ([Range<Int>](), 0)
    if let place = filter.start(isLineStart: true),
      pass(place, line, at: 0..<line.count, budget) != nil
    {
      return found
    }
    beginLine(line)
    while let match = next(in: line, from: start, budget) {
      found.append(match.range)
      start = match.range.upperBound
    }
    return budget.isExhausted ? [] : found
  }

  /// Prepares a search in another line. The branches times its units must be at most the maximum.
  mutating func beginLine(_ line: UnsafeBufferPointer<UInt16>) {
    let count = (program.splitCount * (line.count + 1) + 63) / 64
    for index in 0..<min(count, tried.count) { tried[index] = 0 }
    if tried.count < count { tried += [UInt64](repeating: 0, count: count - tried.count) }
  }

  /// The first match in the line that begins at `start` or after it and is not empty, and the number
  /// of its choice. `start` must not be before the end of the match found before.
  mutating func next(
    in line: UnsafeBufferPointer<UInt16>, from start: Int, _ budget: SearchBudget
  ) -> (range: Range<Int>, choice: Int)? {
    var start = start
    while start < line.count {
      let (scalar, width) = Self.scalar(at: start, of: line)
      let starts = start == 0 ? program.lineStarts : program.innerStarts
      if starts.contains(scalar), let (end, choice) = match(at: start, of: line, budget) {
        // What was tried after the match's end failed. What was tried at it may have been cut short
        // by the match itself.
        forgetTried(at: end)
        if end > start { return (start..<end, choice) }
      }
      guard !budget.isExhausted else { return nil }
      start += width
    }
    return nil
  }

  /// Forgets which branches were tried at a unit. O(branches / 64).
  private mutating func forgetTried(at unit: Int) {
    var place = unit * program.splitCount
    let end = place + program.splitCount
    while place < end {
      let count = min(64 - place & 63, end - place)
      let bits: UInt64 = count == 64 ? ~0 : 1 << UInt64(count) - 1
      tried[place >> 6] &= ~(bits << UInt64(place & 63))
      place += count
    }
  }

  /// The scalar at a unit, and its width. A lone surrogate is U+FFFD.
  @inline(__always)
  static func scalar(
    at unit: Int, of line: UnsafeBufferPointer<UInt16>
  ) -> (value: UInt32, width: Int) {
    let first = line[unit]
    if first & 0xF800 != 0xD800 { return (UInt32(first), 1) }
    guard first < 0xDC00, unit + 1 < line.count, line[unit + 1] & 0xFC00 == 0xDC00 else {
      return (0xFFFD, 1)
    }
    let (high, low) = (UInt32(first & 0x3FF), UInt32(line[unit + 1] & 0x3FF))
    return (0x10000 + (high << 10 | low), 2)
  }

  /// The end of the match that begins at a unit, and the number of its choice; nil if there is none.
  private mutating func match(
    at start: Int, of line: UnsafeBufferPointer<UInt16>, _ budget: SearchBudget
  ) -> (end: Int, choice: Int)? {
    open.removeAll(keepingCapacity: true)
    open.append((0, start))
    while var (index, unit) = open.popLast() {
      run: while true {
        stepCount &+= 1
        if stepCount & (Self.checkedCount - 1) == 0 {
          budget.check(steps: stepCount)
          if budget.isExhausted { return nil }
        }
        switch program.instructions[index] {
        case .scalar(let value):
          guard unit < line.count else { break run }
          let (scalar, width) = Self.scalar(at: unit, of: line)
          guard scalar == value else { break run }
          unit += width
          index += 1
        case .folded(let value):
          guard unit < line.count else { break run }
          let (scalar, width) = Self.scalar(at: unit, of: line)
          guard LetterCase.folded(scalar) == value else { break run }
          unit += width
          index += 1
        case .set(let number):
          guard unit < line.count else { break run }
          let (scalar, width) = Self.scalar(at: unit, of: line)
          guard program.sets[number].contains(scalar) else { break run }
          unit += width
          index += 1
        case .lineStart:
          guard unit == 0 else { break run }
          index += 1
        case .lineEnd:
          guard unit == line.count else { break run }
          index += 1
        case .wordBoundary(let isNegated):
          guard Self.isWordBoundary(unit, of: line) != isNegated else { break run }
          index += 1
        case .jump(let target): index = target
        case .split(let first, let second, let number):
          let place = unit * program.splitCount + number
          let bit: UInt64 = 1 << UInt64(place & 63)
          if tried[place >> 6] & bit != 0 { break run }
          tried[place >> 6] |= bit
          open.append((second, unit))
          index = first
        case .match(let choice): return (unit, choice)
        }
      }
    }
    return nil
  }

  private static func isWordBoundary(
    _ unit: Int, of line: UnsafeBufferPointer<UInt16>
  ) -> Bool {
    let after = unit < line.count && isWord(scalar(at: unit, of: line).value)
    guard unit > 0 else { return after }
    let isPair =
      unit > 1 && line[unit - 1] & 0xFC00 == 0xDC00 && line[unit - 2] & 0xFC00 == 0xD800
    return isWord(scalar(at: unit - (isPair ? 2 : 1), of: line).value) != after
  }

  private static let words = ScalarSet(.word)

  static func isWord(_ scalar: UInt32) -> Bool { words.contains(scalar) }
}
