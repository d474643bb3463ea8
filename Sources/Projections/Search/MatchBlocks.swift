import EditModel
import TextState

/// Finds the matches of a regular expression in a text that is edited.
///
/// The text is divided into blocks, and the state of the automaton at the end of each is kept. After an
/// edit, its blocks are read again, from their end, and the blocks before them as far as states change. So
/// an edit costs O(log n + units inserted), and the blocks in which what can match changes.
struct MatchBlocks: Sendable {
  private let program: RegexProgram
  private var automaton: MatchAutomaton
  /// The blocks, without gaps. The number of each is the state at its end. None divides a character.
  private var blocks = TextSpans()
  /// The units of a part of the text that begins and ends with a block, and the state at each of its places;
  /// -1 inside a character.
  private var (units, states) = ([UInt16](), [Int32]())
  /// Where that part begins.
  private var lower = 0
  /// The instructions that are not tried at a place yet, the next last.
  private var open: [Int] = []
  /// For each instruction, the number of the place at which it was tried last.
  private var tried: [Int]
  private var placeNumber = 0
  private var readCount = 0

  /// The UTF-16 units of a block, about, and the fewest.
  private static let (blockLength, blockLengthMin) = (128, 64)

  init(_ program: RegexProgram, stateCountMax: Int) {
    self.program = program
    automaton = MatchAutomaton(program, stateCountMax: stateCountMax)
    tried = [Int](repeating: 0, count: program.instructions.count)
  }

  /// The steps so far: units that were read, and instructions that were looked at.
  var stepCount: Int { readCount &+ automaton.stepCount }

  private var upper: Int { lower + units.count }

  // MARK: Editing

  /// Reads what an edit changed.
  ///
  /// - Parameters:
  ///   - range: What was replaced, in the text before.
  ///   - newEnd: The end of what is there now.
  ///   - state: The text now.
  /// - Returns: The first place at which something else may match than before; nil if the automaton has too
  ///   many states, after which this must not be used.
  mutating func apply(_ range: Range<Int>, newEnd: Int, _ state: TextState) -> Int? {
    let shift = newEnd - range.upperBound
    // With the units before and after it, with which new ones may be one character.
    var (first, start) = blocks.first(endingAfter: max(0, range.lowerBound - 1))
    var (last, oldEnd, right) = (first, start, MatchAutomaton.end)
    while last < blocks.count {
      let block = blocks.span(at: last, after: oldEnd)
      guard block.start <= range.upperBound else { break }
      (last, oldEnd, right) = (last + 1, block.end, block.number)
    }
    let end = max(newEnd, oldEnd + shift)
    if end - start < Self.blockLengthMin, start > 0 {
      (first, start) = blocks.first(endingAfter: start - 1)
    }
    (units, lower) = ([], start)
    state.appendUnits(in: UTF16Range(start..<end), to: &units)
    guard let states = read(units, from: right) else { return nil }
    self.states = states
    blocks.replace(
      first..<last, after: start, with: divided(start, end), oldEnd: oldEnd, shift: shift)
    return readBefore(state)
  }

  /// The blocks of the part that was read.
  private func divided(_ start: Int, _ end: Int) -> [TextSpans.Span] {
    var (spans, begin) = ([TextSpans.Span](), start)
    while begin < end {
      var next = end - begin < 2 * Self.blockLength ? end : begin + Self.blockLength
      if states[next - lower] < 0 { next += 1 }
      spans.append(
        TextSpans.Span(start: begin, length: next - begin, number: Int(states[next - lower])))
      begin = next
    }
    return spans
  }

  /// Reads the blocks before the part whose states are others now, and adds them to it.
  private mutating func readBefore(_ state: TextState) -> Int? {
    var parts: [(units: [UInt16], states: [Int32])] = []
    var (start, now) = (lower, states.first.map { Int($0) } ?? MatchAutomaton.end)
    while start > 0 {
      let (index, previousEnd) = blocks.first(endingAfter: start - 1)
      var block = blocks.span(at: index, after: previousEnd)
      guard block.number != now else { break }
      var units: [UInt16] = []
      state.appendUnits(in: UTF16Range(block.start..<block.end), to: &units)
      guard let states = read(units, from: now) else { return nil }
      block.number = now
      blocks.replace(
        index..<index + 1, after: previousEnd, with: [block], oldEnd: block.end, shift: 0)
      parts.append((units, states))
      (start, now) = (block.start, Int(states[0]))
    }
    prepend(parts)
    return start
  }

  /// Adds parts before the one that is read; the last is the first of the text.
  private mutating func prepend(_ parts: [(units: [UInt16], states: [Int32])]) {
    guard !parts.isEmpty else { return }
    let end = upper
    units = parts.reversed().flatMap(\.units) + units
    states = parts.reversed().flatMap { $0.states.dropLast() } + states
    lower = end - units.count
  }

  /// The states at the places of some units, from the one at their end. Nil if there would be too many.
  private mutating func read(_ units: [UInt16], from right: Int) -> [Int32]? {
    readCount &+= units.count
    var states = [Int32](repeating: -1, count: units.count + 1)
    states[units.count] = Int32(right)
    var (state, place) = (right, units.count)
    while place > 0 {
      let (scalar, width) = Self.scalar(before: place, in: units)
      guard let next = automaton.step(from: state, over: scalar) else { return nil }
      (state, place) = (next, place - width)
      states[place] = Int32(state)
    }
    return states
  }

  /// The scalar that ends at a place, and its width. A lone surrogate is U+FFFD.
  @inline(__always)
  private static func scalar(
    before place: Int, in units: [UInt16]
  ) -> (value: UInt32, width: Int) {
    let last = units[place - 1]
    if last & 0xF800 != 0xD800 { return (UInt32(last), 1) }
    guard last >= 0xDC00, place > 1, units[place - 2] & 0xFC00 == 0xD800 else { return (0xFFFD, 1) }
    let (high, low) = (UInt32(units[place - 2] & 0x3FF), UInt32(last & 0x3FF))
    return (0x10000 + (high << 10 | low), 2)
  }

  // MARK: Reading more

  /// Adds the block after the part. Returns false at the end of the text, or if states are too many.
  private mutating func extend(_ state: TextState) -> Bool {
    let (index, previousEnd) = blocks.first(endingAfter: upper)
    guard index < blocks.count else { return false }
    let block = blocks.span(at: index, after: previousEnd)
    var units: [UInt16] = []
    state.appendUnits(in: UTF16Range(block.start..<block.end), to: &units)
    guard let states = read(units, from: block.number) else { return false }
    self.states.removeLast()
    self.units += units
    self.states += states
    return true
  }

  /// Adds the blocks before the part from the one with `place` on.
  private mutating func extend(downTo place: Int, _ state: TextState) {
    var (parts, start) = ([(units: [UInt16], states: [Int32])](), lower)
    while start > place {
      let (index, previousEnd) = blocks.first(endingAfter: start - 1)
      let block = blocks.span(at: index, after: previousEnd)
      var units: [UInt16] = []
      state.appendUnits(in: UTF16Range(block.start..<block.end), to: &units)
      guard let states = read(units, from: block.number) else { return }
      parts.append((units, states))
      start = block.start
    }
    prepend(parts)
  }

  // MARK: Finding

  /// The first match that begins in a range, and is not empty. The end of the range is at most that of the
  /// text, and no match of before begins before the range and ends in it. Called after `apply`.
  mutating func first(startingIn range: Range<Int>, _ state: TextState) -> Range<Int>? {
    guard !range.isEmpty else { return nil }
    extend(downTo: range.lowerBound, state)
    var place = range.lowerBound
    var side = sideBefore(place, state)
    while place < range.upperBound {
      guard place < upper || extend(state) else { return nil }
      readCount &+= 1
      let number = Int(states[place - lower])
      if number >= 0, automaton.mayBegin(in: number, before: side),
        let end = end(from: place, side, state), end > place
      {
        return place..<end
      }
      let (scalar, width) = scalar(at: place)
      if automaton.asksBefore { side = automaton.side(of: scalar) }
      place += width
    }
    return nil
  }

  @inline(__always)
  private func scalar(at place: Int) -> (value: UInt32, width: Int) {
    units.withUnsafeBufferPointer { LineMatcher.scalar(at: place - lower, of: $0) }
  }

  private mutating func sideBefore(_ place: Int, _ state: TextState) -> MatchAutomaton.Side {
    guard automaton.asksBefore else { return .other }
    guard place > 0 else { return .none }
    var before: [UInt16] = []
    state.appendUnits(in: UTF16Range(max(0, place - 2)..<place), to: &before)
    return automaton.side(of: Self.scalar(before: before.count, in: before).value)
  }

  /// The end of the match that begins at a place. At each branch, the first way that leads to a match is
  /// taken.
  private mutating func end(
    from start: Int, _ side: MatchAutomaton.Side, _ state: TextState
  ) -> Int? {
    var (place, side) = (start, side)
    open = [0]
    placeNumber += 1
    while let index = open.popLast() {
      guard tried[index] != placeNumber else { continue }
      tried[index] = placeNumber
      readCount &+= 1
      switch program.instructions[index] {
      case .match: return place
      case .jump(let target): open.append(target)
      case .split(let first, let second, _): open += [second, first]
      case .lineStart, .lineEnd, .wordBoundary:
        let after = automaton.side(after: Int(states[place - lower]))
        if automaton.holds(index, between: side, and: after) { open.append(index + 1) }
      case .scalar, .folded, .set:
        guard place < upper || extend(state) else { continue }
        let (scalar, width) = scalar(at: place)
        let next = automaton.side(of: scalar)
        // Nothing takes the end of a line.
        guard next != .none, program.takes(index, scalar),
          automaton.leads(index + 1, in: Int(states[place + width - lower]), before: next)
        else { continue }
        (place, side, open) = (place + width, next, [index + 1])
        placeNumber += 1
      }
    }
    return nil
  }
}
