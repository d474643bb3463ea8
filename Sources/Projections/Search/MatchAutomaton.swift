/// Says at each place of a text from where in a program a match can be reached.
///
/// It reads the text from its end, because what can match at a place depends on the text after it, and on
/// the character before it. Each character is one step. The states, sets of instructions, are made when they
/// are first reached. (Thompson, 1968; the reverse automaton of RE2: Russ Cox, 2010.)
///
/// With it, the first match at a place is found without trying: at each branch, the first way that leads
/// to a match is taken.
struct MatchAutomaton: Sendable {
  /// What is before or after a place.
  enum Side: Int, Sendable {
    /// Nothing: an end of the line.
    case none
    case word, other
  }

  /// A set of instructions, one bit each.
  private typealias Instructions = [UInt64]

  private struct State: Hashable {
    /// The instructions that take the character after the place and lead to a match.
    var taking: Instructions
    /// What is after the place.
    var after: Side
  }

  /// A kind of characters that the program does not tell apart.
  private struct CharacterClass: Sendable {
    /// The instructions that take such a character.
    var takers: [Int]
    var side: Side
  }

  private let program: RegexProgram
  private let stateCountMax: Int
  /// For each instruction, those that lead to it without a character.
  private var sources: [[Int]] = []
  private var takers: [Int] = []
  private var matches: [Int] = []
  /// True if the program asks what is around a place.
  private var (hasWordBoundaries, hasLineStarts, hasLineEnds) = (false, false, false)

  private var states: [State] = []
  private var numbers: [State: Int] = [:]
  /// For each state and side before the place, all instructions that lead to a match; nil if not known.
  private var leading: [Instructions?] = []
  /// For each of those, whether a match may begin; nil if not known.
  private var begins: [Bool?] = []
  private var steps: [Int32] = []
  /// The number of steps of a state in `steps`.
  private var stride = 16
  private var classes: [CharacterClass] = []
  private var classNumbers: [[Int]: Int] = [:]
  private var asciiClasses = [Int32](repeating: -1, count: 128)
  private var otherClasses: [UInt32: Int32] = [:]

  /// The state at the end of a line.
  static let end = 0
  /// The class of the characters that end a line.
  private static let terminator = 0
  static let stateCountMax = 4_096
  /// The maximum size of all states, in words of 64 instructions.
  private static let sizeMax = 1 << 18
  /// The maximum number of characters beyond ASCII whose class is known.
  private static let otherCountMax = 1 << 14

  /// The instructions that were looked at to make states.
  private(set) var stepCount = 0

  /// True if the program asks what is before a place.
  var asksBefore: Bool { hasWordBoundaries || hasLineStarts }

  init(_ program: RegexProgram, stateCountMax: Int = Self.stateCountMax) {
    (self.program, self.stateCountMax) = (program, stateCountMax)
    sources = [[Int]](repeating: [], count: program.instructions.count + 1)
    for (index, instruction) in program.instructions.enumerated() {
      switch instruction {
      case .scalar, .folded, .set: takers.append(index)
      case .match: matches.append(index)
      case .lineStart:
        hasLineStarts = true
        sources[index + 1].append(index)
      case .lineEnd:
        hasLineEnds = true
        sources[index + 1].append(index)
      case .wordBoundary:
        hasWordBoundaries = true
        sources[index + 1].append(index)
      case .jump(let target): sources[target].append(index)
      case .split(let first, let second, _):
        sources[first].append(index)
        sources[second].append(index)
      }
    }
    classes.append(CharacterClass(takers: [], side: .none))
    for value in [0x0A, 0x0D] { asciiClasses[value] = Int32(Self.terminator) }
    otherClasses[0x2029] = Int32(Self.terminator)
    _ = number(of: State(taking: none, after: .none))
  }

  private var none: Instructions {
    Instructions(repeating: 0, count: (program.instructions.count + 63) / 64)
  }

  // MARK: Reading backward

  /// The state before a character, from the state after it; nil if there would be too many states.
  @inline(__always)
  mutating func step(from state: Int, over scalar: UInt32) -> Int? {
    let number = characterClass(of: scalar)
    let known = number < stride ? steps[state * stride + number] : -1
    return known >= 0 ? Int(known) : makeStep(from: state, number)
  }

  @inline(__always)
  private mutating func characterClass(of scalar: UInt32) -> Int {
    if scalar < 128, asciiClasses[Int(scalar)] >= 0 { return Int(asciiClasses[Int(scalar)]) }
    return findClass(of: scalar)
  }

  private mutating func findClass(of scalar: UInt32) -> Int {
    if scalar >= 128, let number = otherClasses[scalar] { return Int(number) }
    stepCount &+= takers.count
    let takers = takers.filter { program.takes($0, scalar) }
    let side: Side = hasWordBoundaries && LineMatcher.isWord(scalar) ? .word : .other
    let key = takers + [-side.rawValue]
    let number = classNumbers[key] ?? classes.count
    if number == classes.count {
      classNumbers[key] = number
      classes.append(CharacterClass(takers: takers, side: side))
    }
    if scalar < 128 {
      asciiClasses[Int(scalar)] = Int32(number)
    } else {
      if otherClasses.count >= Self.otherCountMax {
        otherClasses = [0x2029: Int32(Self.terminator)]
      }
      otherClasses[scalar] = Int32(number)
    }
    return number
  }

  private mutating func makeStep(from state: Int, _ number: Int) -> Int? {
    let characters = classes[number]
    stepCount &+= characters.takers.count
    var next = State(taking: none, after: .none)
    if number != Self.terminator {
      let leading = leadingInstructions(state, before: characters.side)
      for index in characters.takers where leading.has(index + 1) { next.taking.insert(index) }
      next.after = characters.side
    }
    guard let found = self.number(of: next) else { return nil }
    if number >= stride { widen() }
    steps[state * stride + number] = Int32(found)
    return found
  }

  /// Makes room for the steps of more classes.
  private mutating func widen() {
    let old = stride
    while stride < classes.count { stride *= 2 }
    var wide = [Int32](repeating: -1, count: states.count * stride)
    for state in states.indices {
      for index in 0..<old { wide[state * stride + index] = steps[state * old + index] }
    }
    steps = wide
  }

  private mutating func number(of state: State) -> Int? {
    var state = state
    if !hasWordBoundaries, !(hasLineEnds && state.after == .none) { state.after = .other }
    if let number = numbers[state] { return number }
    guard states.count < stateCountMax, states.count * state.taking.count < Self.sizeMax
    else { return nil }
    numbers[state] = states.count
    states.append(state)
    leading += [nil, nil, nil]
    begins += [nil, nil, nil]
    steps += [Int32](repeating: -1, count: stride)
    return states.count - 1
  }

  // MARK: Asking

  /// True if a match begins at a place, which may be empty.
  @inline(__always)
  mutating func mayBegin(in state: Int, before side: Side) -> Bool {
    begins[state * 3 + side.rawValue] ?? findBeginning(state, side)
  }

  private mutating func findBeginning(_ state: Int, _ side: Side) -> Bool {
    let begins = leadingInstructions(state, before: side).has(0)
    self.begins[state * 3 + side.rawValue] = begins
    return begins
  }

  /// True if an instruction leads to a match from a place.
  mutating func leads(_ index: Int, in state: Int, before side: Side) -> Bool {
    leadingInstructions(state, before: side).has(index)
  }

  private mutating func leadingInstructions(_ state: Int, before side: Side) -> Instructions {
    if let known = leading[state * 3 + side.rawValue] { return known }
    stepCount &+= sources.count
    var found = states[state].taking
    var open = takers.filter { found.has($0) } + matches
    for index in matches { found.insert(index) }
    while let index = open.popLast() {
      for source in sources[index] where !found.has(source) {
        guard holds(source, between: side, and: states[state].after) else { continue }
        found.insert(source)
        open.append(source)
      }
    }
    leading[state * 3 + side.rawValue] = found
    return found
  }

  /// True if an instruction that takes no character lets pass at a place.
  func holds(_ index: Int, between before: Side, and after: Side) -> Bool {
    switch program.instructions[index] {
    case .lineStart: before == .none
    case .lineEnd: after == .none
    case .wordBoundary(let isNegated): ((before == .word) != (after == .word)) != isNegated
    case .jump, .split: true
    case .scalar, .folded, .set, .match: false
    }
  }

  /// What is after a place in a state.
  func side(after state: Int) -> Side { states[state].after }

  /// What a character is for the place after it.
  mutating func side(of scalar: UInt32) -> Side { classes[characterClass(of: scalar)].side }
}

extension [UInt64] {
  @inline(__always)
  fileprivate func has(_ index: Int) -> Bool { self[index >> 6] & (1 << UInt64(index & 63)) != 0 }

  @inline(__always)
  fileprivate mutating func insert(_ index: Int) { self[index >> 6] |= 1 << UInt64(index & 63) }
}
