import EditModel
import TestSupport
import Testing

@testable import TextState

/// `TextState` beside the slow state, over seeded edits that look for trouble.
@Suite struct TextStateOracleTests {
  @Test(arguments: seeds(48)) func `agrees with the oracle`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [10, 25, 60][Int(seed % 3)])
    var state = TextState(limits: TreeLimits.forTests[Int(seed / 3 % 4)])
    var oracle = OracleState()
    for step in 0..<200 {
      let action = generator.action(length: state.length)
      let before = state
      guard let events = oracle.apply(action) else {
        #expect(throws: EditError.self) { try state.apply(action) }
        #expect(state == before, "step \(step)")
        continue
      }
      let change = try state.apply(action, capturingRemoved: true)
      let problem =
        difference(state, oracle)
        ?? difference(change, action, events, from: before, to: state)
      if let problem {
        Issue.record("step \(step): \(problem) after \(action)")
        return
      }
    }
  }

  @Test(arguments: seeds(16)) func `looks up what the oracle looks up`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    var state = TextState(limits: TreeLimits.forTests[Int(seed % 4)])
    var oracle = OracleState()
    for _ in 0..<25 {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      compareParagraphs(state, oracle)
      compareLines(state, oracle.units)
      compareRuns(state, oracle)
      compareText(state, oracle.units, &generator)
    }
  }

  @Test func `a snapshot stays what it was`() throws {
    var generator = EditGenerator(seed: 7)
    var (state, oracle) = (TextState(), OracleState())
    var snapshots: [(TextState, OracleState)] = []
    for _ in 0..<300 {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      snapshots.append((state, oracle))
    }
    for (state, oracle) in snapshots { #expect(difference(state, oracle) == nil) }
  }
}

extension TextStateOracleTests {
  /// How the states differ; nil if they do not.
  private func difference(_ state: TextState, _ oracle: OracleState) -> String? {
    if let violation = state.invariantViolation() { return violation }
    let units = oracle.units
    if state.text.units != units { return "text" }
    if state.attributeRuns != oracle.runs { return "attributes" }
    if Array(state.paragraphs) != oracle.descriptors { return "paragraphs" }
    // The rules of identity never make other paragraphs than the terminators do.
    if OracleState.split(units) != oracle.paragraphs.map(\.units) { return "the oracle itself" }
    return state.sequence == oracle.sequence ? nil : "sequence number"
  }

  /// What is wrong with a change, nil if nothing is.
  private func difference(
    _ change: Change, _ action: EditAction, _ events: [ParagraphEvent],
    from before: TextState, to state: TextState
  ) -> String? {
    if Array(change.paragraphEvents) != events { return "events" }
    if events.replayed(on: before.paragraphs.map(\.id)) != state.paragraphs.map(\.id) {
      return "identifiers by events"
    }
    guard change.sequence == state.sequence, change.range == action.range,
      change.actions == action.actions, change.changeInLength == state.length - before.length
    else { return "what was edited" }
    guard let inverse = change.inverse else {
      return change.range.isEmpty && change.actions == .attributes ? nil : "no inverse"
    }
    // The inverse, applied to a copy, restores text and attributes.
    var copy = state
    guard (try? copy.apply(inverse)) != nil, copy.text == before.text,
      copy.attributeRuns == before.attributeRuns
    else { return "inverse" }
    return nil
  }

  private func compareParagraphs(_ state: TextState, _ oracle: OracleState) {
    #expect(state.paragraphCount == oracle.paragraphs.count)
    #expect(state.paragraphs.count == oracle.paragraphs.count)
    for (index, descriptor) in oracle.descriptors.enumerated() {
      #expect(state.paragraph(at: index) == descriptor)
      let found = state.paragraph(descriptor.id)
      #expect(found?.index == index && found?.descriptor == descriptor)
    }
    #expect(state.paragraph(ParagraphID(sequence: .max, ordinal: 0)) == nil)
    for offset in 0...state.length {
      #expect(state.paragraphIndex(at: offset) == oracle.paragraphIndex(at: offset))
    }
  }

  private func compareLines(_ state: TextState, _ units: [UInt16]) {
    var lines: [Range<Int>] = []
    var start = 0
    for (offset, unit) in units.enumerated() where unit == 0x0A {
      lines.append(start..<offset + 1)
      start = offset + 1
    }
    lines.append(start..<units.count)
    #expect(state.lineCount == lines.count)
    for (number, line) in lines.enumerated() {
      #expect(state.lineRange(number).bounds == line)
      for offset in line { #expect(state.line(at: offset) == number) }
    }
    #expect(state.line(at: units.count) == lines.count - 1)
  }

  private func compareRuns(_ state: TextState, _ oracle: OracleState) {
    var start = 0
    for run in oracle.runs {
      for offset in start..<start + run.length {
        let found = state.attributes(at: offset)
        #expect(found.attributes == run.attributes)
        #expect(found.range == UTF16Range(start..<start + run.length))
      }
      start += run.length
    }
  }

  private func compareText(
    _ state: TextState, _ units: [UInt16], _ generator: inout EditGenerator
  ) {
    for (offset, unit) in units.enumerated() { #expect(state[offset] == unit) }
    let lower = generator.below(units.count + 1)
    let range = UTF16Range(lower..<lower + generator.below(units.count - lower + 1))
    var pieces: [UInt16] = []
    state.withChunks(in: range) { pieces += $0 }
    #expect(pieces == Array(units[range.bounds]))
    #expect(state.text(in: range).units == pieces)
    let runs = state.attributeRuns(in: range)
    #expect(runs.reduce(0) { $0 + $1.length } == range.length)
    var offset = range.location
    for run in runs {
      #expect(state.attributes(at: offset).attributes == run.attributes)
      offset += run.length
    }
  }
}
