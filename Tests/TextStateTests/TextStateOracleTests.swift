import EditModel
import TestSupport
import Testing

@testable import TextState

/// `TextState` beside the slow state, over seeded edits that look for trouble.
@Suite struct TextStateOracleTests {
  @Test(arguments: UInt64(0)..<200) func `agrees with the oracle`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [10, 25, 60][Int(seed % 3)])
    var state = TextState(fixedGap: [nil, 0, 1, 3][Int(seed / 3 % 4)])
    var oracle = OracleState()
    for step in 0..<200 {
      let action = generator.action(length: state.length)
      let before = state
      let ids = before.paragraphs.map(\.id)
      guard let events = oracle.apply(action) else {
        #expect(throws: EditError.self) { try state.apply(action) }
        #expect(state == before, "step \(step)")
        continue
      }
      let change = try state.apply(action, capturingRemoved: true)
      try #require(change.paragraphEvents == events, "step \(step): \(action)")
      try #require(replay(events, on: ids) == state.paragraphs.map(\.id), "step \(step)")
      try compare(state, oracle, "step \(step): \(action)")
      try takeBack(change, from: state, to: before, "step \(step): \(action)")
      #expect(change.sequence == oracle.sequence)
      #expect(change.range == action.range && change.actions == action.actions)
      #expect(change.changeInLength == state.length - before.length)
    }
  }

  @Test(arguments: UInt64(0)..<40) func `looks up what the oracle looks up`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    var state = TextState(fixedGap: Int(seed % 3))
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
    for (state, oracle) in snapshots { try compare(state, oracle, "\(oracle.sequence)") }
  }
}

extension TextStateOracleTests {
  /// The list of identifiers after the events.
  private func replay(_ events: [ParagraphEvent], on ids: [ParagraphID]) -> [ParagraphID] {
    var ids = ids
    for event in events {
      switch event {
      case .removed(let index, let descriptor, _):
        #expect(ids.remove(at: index) == descriptor.id)
      case .inserted(let index, let descriptor, _):
        ids.insert(descriptor.id, at: index)
      case .edited(let index, let descriptor, _),
        .attributesChanged(let index, let descriptor, _):
        #expect(ids[index] == descriptor.id)
      }
    }
    return ids
  }

  private func compare(_ state: TextState, _ oracle: OracleState, _ note: String) throws {
    try #require(state.invariantViolation() == nil, "\(note)")
    try #require(state.text.units == oracle.units, "\(note)")
    try #require(state.attributeRuns == oracle.runs, "\(note)")
    try #require(Array(state.paragraphs) == oracle.descriptors, "\(note)")
    try #require(OracleState.split(oracle.units) == oracle.paragraphs.map(\.units), "\(note)")
    try #require(state.sequence == oracle.sequence, "\(note)")
  }

  /// The inverse, applied to a copy, restores text and attributes.
  private func takeBack(
    _ change: Change, from state: TextState, to before: TextState, _ note: String
  ) throws {
    var copy = state
    guard let inverse = change.inverse else {
      #expect(change.range.isEmpty && !change.actions.contains(.characters), "\(note)")
      return
    }
    try copy.apply(inverse)
    try #require(copy.text == before.text, "\(note)")
    try #require(copy.attributeRuns == before.attributeRuns, "\(note)")
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
