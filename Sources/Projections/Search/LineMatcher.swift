/// Finds the matches of a regular expression in a line.
///
/// It tries one way after the other, as written, and so finds the same match as `Regex`. It notes at
/// which units each branch was tried without success, and does not try it there again: a match takes
/// O(branches · units) steps, whatever the pattern. (As the backtracker of RE2: Russ Cox, 2010.)
struct LineMatcher: Sendable {
  let program: RegexProgram
  /// For each branch and unit, the number of the search in which it was tried.
  private var tried: [UInt32] = []
  private var search: UInt32 = 0
  private var open: [(instruction: Int, unit: Int)] = []
  /// The steps so far.
  private(set) var stepCount = 0

  /// The maximum number of branches times units.
  private static let triedCountMax = 1 << 25
  /// The number of steps after which the budget is asked.
  private static let checkedCount = 1 << 18

  init(_ program: RegexProgram) { self.program = program }

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
    if tried.count < size { tried += [UInt32](repeating: 0, count: size - tried.count) }
    var (found, start) = ([Range<Int>](), 0)
    beginSearch()
    while start < line.count {
      let (scalar, width) = Self.scalar(at: start, of: line)
      if canBegin(with: scalar), let end = match(at: start, of: line, budget) {
        beginSearch()
        if end > start {
          found.append(start..<end)
          start = end
          continue
        }
      }
      start += width
    }
    return budget.isExhausted ? [] : found
  }

  private mutating func beginSearch() {
    if search == .max {
      tried = [UInt32](repeating: 0, count: tried.count)
      search = 0
    }
    search += 1
  }

  @inline(__always)
  private func canBegin(with scalar: UInt32) -> Bool {
    if scalar < 64 { return program.starts.low & (1 << UInt64(scalar)) != 0 }
    if scalar < 128 { return program.starts.high & (1 << UInt64(scalar - 64)) != 0 }
    return program.startsBeyondASCII
  }

  /// The scalar at a unit, and its width. A lone surrogate is U+FFFD.
  @inline(__always)
  private static func scalar(
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

  /// The end of the match that begins at a unit; nil if there is none.
  private mutating func match(
    at start: Int, of line: UnsafeBufferPointer<UInt16>, _ budget: SearchBudget
  ) -> Int? {
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
          let place = number * (line.count + 1) + unit
          if tried[place] == search { break run }
          tried[place] = search
          open.append((second, unit))
          index = first
        case .match: return unit
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

  private static func isWord(_ scalar: UInt32) -> Bool { words.contains(scalar) }
}
