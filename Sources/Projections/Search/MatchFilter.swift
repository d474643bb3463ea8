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

  /// A step in four bytes: the row of the next state in `steps`, and two flags.
  private struct Step {
    private var value: Int32

    static let unknown = Step(value: -1)
    /// There would be too many states.
    static let tooMany = Step(value: -2)

    /// A step after which a match is there, or no instruction is left.
    init(toRow row: Int, isMatch: Bool, isDead: Bool) {
      value = Int32(row) << 2 | (isMatch ? 2 : 0) | (isDead ? 1 : 0)
    }

    private init(value: Int32) { self.value = value }

    var isUnknown: Bool { value == -1 }
    var isTooMany: Bool { value == -2 }
    /// The walk just goes on.
    var isPlain: Bool { value & (1 << 31 | 3) == 0 }
    var isMatch: Bool { value & 2 != 0 }
    var row: Int { Int(value) >> 2 }
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
    /// Where the steps of the state begin.
    fileprivate var row: Int
    /// The unit before it; 0 at the start.
    fileprivate(set) var previous: UInt16 = 0
  }

  /// The place at which units begin: a line, or a part of one. Nil if the expression is too large.
  func start(isLineStart: Bool) -> Place? {
    (isLineStart ? lineStart : innerStart).map { Place(row: $0 * Self.classCount) }
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
    var (place, passed, index) = (place, place, 0)
    while index < line.count {
      let mayBegin = index < range.upperBound
      if index == range.upperBound { passed = place }
      let next = (mayBegin ? steps : lastSteps).withUnsafeBufferPointer {
        Self.walk($0, line, index..<(mayBegin ? range.upperBound : line.count), &place)
      }
      if next > index {
        index = next
        continue
      }
      let unit = line[index]
      let previous = place.previous
      place.previous = unit
      index += 1
      // The pair is one character.
      if unit & 0xFC00 == 0xDC00, previous & 0xFC00 == 0xD800 { continue }
      let number = place.row + Int(min(unit, 128))
      var step = mayBegin ? steps[number] : lastSteps[number]
      if step.isUnknown {
        step = makeStep(
          from: place.row / Self.classCount, Int(min(unit, 128)), mayBegin: mayBegin)
        if mayBegin { steps[number] = step } else { lastSteps[number] = step }
      }
      let end = UTF16.isLeadSurrogate(unit) ? index + 1 : index
      guard !step.isTooMany, !step.isMatch || end < range.lowerBound else { return nil }
      place.row = step.row
      if !mayBegin, dead.map({ $0 * Self.classCount }) == place.row { return passed }
    }
    return range.upperBound < line.count ? passed : place
  }

  /// Takes the plain steps at the beginning of a range of units. Returns where they end: at a
  /// surrogate, and before a step that is not plain.
  private static func walk(
    _ steps: UnsafeBufferPointer<Step>, _ line: UnsafeBufferPointer<UInt16>, _ range: Range<Int>,
    _ place: inout Place
  ) -> Int {
    var (row, index) = (place.row, range.lowerBound)
    while index < range.upperBound {
      let unit = line[index]
      guard unit & 0xF800 != 0xD800 else { break }
      let step = steps[row &+ Int(min(unit, 128))]
      guard step.isPlain else { break }
      row = step.row
      index += 1
    }
    if index > range.lowerBound { place = Place(row: row, previous: line[index - 1]) }
    return index
  }

  private mutating func makeStep(from state: Int, _ character: Int, mayBegin: Bool) -> Step {
    let taken = states[state].filter { takes($0, character) }.map { $0 + 1 }
    var (next, isMatch) = follow(taken, isLineStart: false)
    if mayBegin {
      next = Array(Set(next).union(follow([0], isLineStart: false).next)).sorted()
    }
    guard let number = self.state(of: next) else { return .tooMany }
    return Step(toRow: number * Self.classCount, isMatch: isMatch, isDead: number == dead)
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
