/// A regular expression as instructions.
struct RegexProgram: Sendable {
  enum Instruction: Sendable {
    case scalar(UInt32)
    /// A character in any case, folded.
    case folded(UInt32)
    /// A character of the set with this number.
    case set(Int)
    case lineStart
    case lineEnd
    case wordBoundary(isNegated: Bool)
    case jump(Int)
    /// Goes on at `first`; if this does not lead to a match, at `second`. Splits are numbered.
    case split(first: Int, second: Int, number: Int)
    /// A match of the choice with this number.
    case match(Int)
  }

  private(set) var instructions: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  private(set) var splitCount = 0
  /// The characters with which a match can begin at the start of a line.
  private(set) var lineStarts = Starts()
  /// The characters with which a match can begin elsewhere.
  private(set) var innerStarts = Starts()

  /// The characters with which a match can begin.
  struct Starts: Sendable {
    /// The ASCII characters, one bit each.
    var (low, high): (UInt64, UInt64) = (0, 0)
    /// True if others are among them.
    var hasOthers = false

    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
      if scalar < 64 { return low & (1 << UInt64(scalar)) != 0 }
      if scalar < 128 { return high & (1 << UInt64(scalar - 64)) != 0 }
      return hasOthers
    }
  }

  /// The maximum number of instructions.
  static let countMax = 20_000

  init(_ tree: RegexTree) throws(SearchPatternError) { try self.init(choices: [tree]) }

  /// Several expressions as one: at each place the first that matches is taken. There is at least one.
  init(choices: [RegexTree]) throws(SearchPatternError) {
    for (number, tree) in choices.enumerated() {
      let split = number < choices.count - 1 ? try addSplit() : nil
      try add(tree)
      try emit(.match(number))
      if let split { setSplit(split, body: split + 1, rest: instructions.count, isLazy: false) }
    }
    lineStarts = starts(atLineStart: true)
    innerStarts = starts(atLineStart: false)
  }

  /// True if an instruction takes a character.
  func takes(_ index: Int, _ scalar: UInt32) -> Bool {
    switch instructions[index] {
    case .scalar(let value): scalar == value
    case .folded(let value): LetterCase.folded(scalar) == value
    case .set(let number): sets[number].contains(scalar)
    case .lineStart, .lineEnd, .wordBoundary, .jump, .split, .match: false
    }
  }

  private mutating func emit(_ instruction: Instruction) throws(SearchPatternError) {
    guard instructions.count < Self.countMax else {
      throw SearchPatternError("it is too large: its repetitions expand to too many steps")
    }
    instructions.append(instruction)
  }

  private mutating func add(_ tree: RegexTree) throws(SearchPatternError) {
    switch tree {
    case .scalar(let value, let ignoresCase):
      try emit(ignoresCase ? .folded(LetterCase.folded(value)) : .scalar(value))
    case .set(let set):
      if let index = sets.firstIndex(of: set) { return try emit(.set(index)) }
      sets.append(set)
      try emit(.set(sets.count - 1))
    case .lineStart: try emit(.lineStart)
    case .lineEnd: try emit(.lineEnd)
    case .wordBoundary(let isNegated): try emit(.wordBoundary(isNegated: isNegated))
    case .sequence(let parts): for part in parts { try add(part) }
    case .choice(let branches): try add(branches: branches)
    case .repetition(let tree, let min, let max, let isLazy):
      try add(repetitionOf: tree, min, max, isLazy: isLazy)
    }
  }

  private mutating func add(branches: [RegexTree]) throws(SearchPatternError) {
    var jumps: [Int] = []
    for (index, branch) in branches.enumerated() {
      guard index < branches.count - 1 else {
        try add(branch)
        break
      }
      let split = try addSplit()
      try add(branch)
      jumps.append(instructions.count)
      try emit(.jump(0))
      setSplit(split, body: split + 1, rest: instructions.count, isLazy: false)
    }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func add(
    repetitionOf tree: RegexTree, _ min: Int, _ max: Int?, isLazy: Bool
  ) throws(SearchPatternError) {
    for _ in 0..<min {
      let count = instructions.count
      try add(tree)
      // What has no instruction matches nothing, however often. Nested, it would be added for ever.
      if instructions.count == count { break }
    }
    guard let max else {
      let split = try addSplit()
      try add(tree)
      try emit(.jump(split))
      return setSplit(split, body: split + 1, rest: instructions.count, isLazy: isLazy)
    }
    var splits: [Int] = []
    for _ in min..<max {
      splits.append(try addSplit())
      try add(tree)
    }
    for split in splits {
      setSplit(split, body: split + 1, rest: instructions.count, isLazy: isLazy)
    }
  }

  private mutating func addSplit() throws(SearchPatternError) -> Int {
    try emit(.jump(0))
    return instructions.count - 1
  }

  private mutating func setSplit(_ index: Int, body: Int, rest: Int, isLazy: Bool) {
    instructions[index] = .split(
      first: isLazy ? rest : body, second: isLazy ? body : rest, number: splitCount)
    splitCount += 1
  }

  /// The characters with which a match can begin.
  private func starts(atLineStart: Bool) -> Starts {
    var starts = Starts()
    var seen = [Bool](repeating: false, count: instructions.count)
    var open = [0]
    while let index = open.popLast() {
      guard !seen[index] else { continue }
      seen[index] = true
      switch instructions[index] {
      case .scalar(let value):
        if value < 64 { starts.low |= 1 << UInt64(value) }
        if (64..<128).contains(value) { starts.high |= 1 << UInt64(value - 64) }
        if value >= 128 { starts.hasOthers = true }
      case .folded(let value):
        for other in UInt32(0)..<128 where LetterCase.folded(other) == value {
          if other < 64 {
            starts.low |= 1 << UInt64(other)
          } else {
            starts.high |= 1 << UInt64(other - 64)
          }
        }
        // Such as the Kelvin sign.
        starts.hasOthers = true
      case .set(let number):
        starts.low |= sets[number].ascii.low
        starts.high |= sets[number].ascii.high
        starts.hasOthers = true
      case .lineStart: if atLineStart { open.append(index + 1) }
      case .lineEnd, .wordBoundary: open.append(index + 1)
      case .jump(let target): open.append(target)
      case .split(let first, let second, _): open += [first, second]
      case .match:
        // An empty match ends a choice, and is not reported.
        continue
      }
    }
    return starts
  }
}
