/// Says quickly that no match of a regular expression is at a part of a line.
///
/// It is an automaton that takes one step for each unit. Its states, sets of instructions that may come
/// next, are made when they are first reached. (Thompson, 1968; as in RE2: Russ Cox, 2010.)
///
/// It lets more pass than the expression does: it takes any place for a word boundary or for the end of
/// a line, and any character beyond ASCII for the same.
struct MatchFilter: Sendable {
  private let program: RegexProgram
  /// The states at the start of a line and elsewhere, and the one without instructions; nil if they are
  /// too large.
  private var (lineStart, innerStart, dead): (Int?, Int?, Int?)
  /// The instructions of each state that take a character, ascending.
  private var states: [[Int]] = []
  private var numbers: [[Int]: Int] = [:]
  private var heldCount = 0
  /// For each state, the steps with each class of characters, if a match may begin after the step.
  private var steps: [Step] = []
  /// Those if none may.
  private var lastSteps: [Step] = []
  /// The instructions that were reached in the step that is being made.
  private var isReached: [Bool]

  private enum Step {
    case unknown
    /// There would be too many states.
    case tooMany
    case to(Int16, isMatch: Bool)
  }

  /// ASCII characters are classes of their own; all others are one class.
  private static let classCount = 129
  private static let stateCountMax = 256
  /// The maximum number of instructions in all states.
  private static let heldCountMax = 1 << 16

  init(_ program: RegexProgram) {
    self.program = program
    isReached = [Bool](repeating: false, count: program.instructions.count)
    lineStart = state(of: follow([0], isLineStart: true).next)
    innerStart = state(of: follow([0], isLineStart: false).next)
    dead = state(of: [])
  }

  /// A place between two units of a line.
  struct Place: Sendable {
    fileprivate var state: Int
    /// The unit before it; 0 at the start.
    fileprivate(set) var previous: UInt16 = 0
  }

  /// The place at which units begin: a line, or a part of one. Nil if the expression is too large.
  func start(isLineStart: Bool) -> Place? {
    (isLineStart ? lineStart : innerStart).map { Place(state: $0) }
  }

  /// The place at `range.upperBound`, if certainly no match that is not empty begins there or before it
  /// and ends at `range.lowerBound` or after it; else nil. O(units), or less, after the first time.
  ///
  /// - Parameters:
  ///   - place: The place at which the units begin.
  ///   - line: The units.
  ///   - range: A range of the units.
  mutating func pass(
    _ place: Place, _ line: UnsafeBufferPointer<UInt16>, at range: Range<Int>
  ) -> Place? {
    var (place, passed) = (place, place)
    for index in line.indices {
      if index == range.upperBound { passed = place }
      let unit = line[index]
      defer { place.previous = unit }
      // The pair is one character.
      if unit & 0xFC00 == 0xDC00, place.previous & 0xFC00 == 0xD800 { continue }
      let number = place.state &* Self.classCount &+ Int(min(unit, 128))
      let mayBegin = index < range.upperBound
      var step = mayBegin ? steps[number] : lastSteps[number]
      if case .unknown = step {
        step = makeStep(from: place.state, Int(min(unit, 128)), mayBegin: mayBegin)
        if mayBegin { steps[number] = step } else { lastSteps[number] = step }
      }
      let end = index + (UTF16.isLeadSurrogate(unit) ? 2 : 1)
      guard case .to(let next, let isMatch) = step, !isMatch || end < range.lowerBound else {
        return nil
      }
      place.state = Int(next)
      if place.state == dead, !mayBegin { return passed }
    }
    return range.upperBound < line.count ? passed : place
  }

  private mutating func makeStep(from state: Int, _ character: Int, mayBegin: Bool) -> Step {
    let taken = states[state].filter { takes($0, character) }.map { $0 + 1 }
    var (next, isMatch) = follow(taken, isLineStart: false)
    if mayBegin {
      next = Array(Set(next).union(follow([0], isLineStart: false).next)).sorted()
    }
    return self.state(of: next).map { .to(Int16($0), isMatch: isMatch) } ?? .tooMany
  }

  /// True if an instruction takes characters of a class.
  private func takes(_ index: Int, _ character: Int) -> Bool {
    let scalar = UInt32(character)
    return switch program.instructions[index] {
    case .scalar(let value): scalar < 128 ? value == scalar : value >= 128
    case .folded(let value): scalar < 128 ? LetterCase.folded(scalar) == value : true
    case .set(let number): scalar < 128 ? program.sets[number].contains(scalar) : true
    case .lineStart, .lineEnd, .wordBoundary, .jump, .split, .match: false
    }
  }

  /// The instructions that take a character and are reached from others without one, ascending, and
  /// whether a match is.
  private mutating func follow(
    _ indices: [Int], isLineStart: Bool
  ) -> (next: [Int], isMatch: Bool) {
    var (open, reached, isMatch) = (indices, [Int](), false)
    var next: [Int] = []
    while let index = open.popLast() {
      guard !isReached[index] else { continue }
      isReached[index] = true
      reached.append(index)
      switch program.instructions[index] {
      case .scalar, .folded, .set: next.append(index)
      case .lineStart: if isLineStart { open.append(index + 1) }
      case .lineEnd, .wordBoundary: open.append(index + 1)
      case .jump(let target): open.append(target)
      case .split(let first, let second, _): open += [first, second]
      case .match: isMatch = true
      }
    }
    for index in reached { isReached[index] = false }
    return (next.sorted(), isMatch)
  }

  /// The number of a state; nil if there would be too many.
  private mutating func state(of instructions: [Int]) -> Int? {
    if let number = numbers[instructions] { return number }
    guard states.count < Self.stateCountMax,
      heldCount + instructions.count <= Self.heldCountMax
    else { return nil }
    numbers[instructions] = states.count
    states.append(instructions)
    heldCount += instructions.count
    steps += [Step](repeating: .unknown, count: Self.classCount)
    lastSteps += [Step](repeating: .unknown, count: Self.classCount)
    return states.count - 1
  }
}
