import EditModel
import TestSupport
import Testing

@testable import TextState

/// Paragraphs that one edit inserted take few bytes each, and are what they would be one by one.
@Suite struct PackedRecordsTests {
  @Test func `a line break takes few bytes`() throws {
    var state = TextState()
    let count = 50_000
    let text = UTF16Text(latin1: [UInt8](repeating: 0x0A, count: count))
    try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: text))
    #expect(state.paragraphCount == count + 1)
    // 51 bytes with a record of 24 bytes in each of two trees.
    #expect(state.size < 8 * count, "\(state.size)")
    #expect(state.invariantViolation() == nil)
    // Edits unpack only the leaves that they touch.
    for place in stride(from: 0, to: count, by: count / 100) {
      let range = UTF16Range(place..<place)
      try state.advance(by: EditAction(replacing: range, with: "x"))
    }
    #expect(state.size < 16 * count, "\(state.size)")
    #expect(state.invariantViolation() == nil)
  }

  @Test func `the events of many new paragraphs take no memory of their own`() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "first\nlast"))
    let count = 5_000
    let text = UTF16Text(String(repeating: "x\n", count: count))
    let change = try state.apply(EditAction(replacing: UTF16Range(8..<8), with: text))
    #expect(change.paragraphEvents.count == count + 1)
    #expect(
      Array(change.paragraphEvents)
        == change.paragraphEvents.indices.map { change.paragraphEvents[$0] })
    let inserted = state.paragraphs[2..<count + 2].map { $0 }
    #expect(
      change.paragraphEvents.dropFirst().map { $0 }
        == inserted.enumerated().map { number, paragraph in
          .inserted(
            index: 2 + number, descriptor: paragraph,
            splitFrom: number == count - 1 ? state.paragraph(at: 1).id : nil)
        })
  }

  /// Edits of hundreds of paragraphs, in trees of the usual size, beside the slow state.
  @Test(arguments: seeds(3)) func `agrees with the oracle`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (state, quiet, oracle) = (TextState(), TextState(), OracleState())
    let terminators = ["\n", "\r", "\r\n", "\u{2029}", "x\n", "a longer line\n"]
    for step in 0..<24 {
      let length = state.length
      let location = Int.random(in: 0...length, using: &random)
      let isDeletion = length > 4_000 && Bool.random(using: &random)
      let removed = min(
        length - location, isDeletion ? length / 2 : Int.random(in: 0..<3, using: &random))
      let kind = terminators[Int.random(in: 0..<terminators.count, using: &random)]
      let count =
        Int.random(in: 0..<2, using: &random) == 0 ? 3 : Int.random(in: 250..<900, using: &random)
      let text = isDeletion ? "" : String(repeating: kind, count: count)
      let action = EditAction(
        replacing: UTF16Range(location..<location + removed), with: UTF16Text(text))
      let applied = oracle.apply(action)
      let events = try #require(applied)
      let change = try state.apply(action)
      try quiet.advance(by: action)
      // It looks each paragraph up, and so takes longer than all else here.
      if step.isMultiple(of: 4) {
        #expect(state.invariantViolation() == nil, "step \(step)")
        #expect(quiet.invariantViolation() == nil, "step \(step)")
      }
      #expect(Array(change.paragraphEvents) == events, "step \(step)")
      #expect(Array(state.paragraphs) == oracle.descriptors, "step \(step)")
      #expect(state == quiet)
      #expect(state.sizeBound >= state.size && quiet.sizeBound >= quiet.size, "step \(step)")
    }
  }

  @Test(arguments: seeds(8)) func `the bound is not less than the size`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: [10, 300, 6_000, 20_000][Int(seed % 4)])
    var state = TextState()
    for step in 0..<2_000 {
      guard (try? state.advance(by: generator.action(length: state.length))) != nil else {
        continue
      }
      #expect(state.sizeBound >= state.size, "step \(step)")
    }
  }

  @Test func `births that are gone are dropped one after the other`() throws {
    var state = TextState()
    let text = UTF16Text(latin1: [UInt8](repeating: 0x0A, count: 160_000))
    try state.advance(by: EditAction(replacing: UTF16Range(0..<0), with: text))
    for place in [100_000, 50_000, 0] {
      let range = UTF16Range(place..<place + 15_000)
      try state.advance(by: EditAction(replacing: range, with: "between\n"))
    }
    #expect(state.core.births.count == state.paragraphCount)
    #expect(state.invariantViolation() == nil)
    #expect(state.size < 10 * state.paragraphCount)
  }

  /// A stored state is the one that was stored, whether or not its identifiers ascend.
  @Test(arguments: seeds(8)) func `loads what was stored`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: 400)
    var state = TextState()
    let text = UTF16Text(String(repeating: "a\r\nb\r\u{2029}é\n", count: 300))
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text))
    for step in 0..<40 {
      let stored = try TextState(
        sequence: state.sequence, text: state.compactText(in: UTF16Range(0..<state.length)),
        attributeRuns: state.attributeRuns, paragraphs: state.paragraphs)
      #expect(stored.invariantViolation() == nil && stored == state, "step \(step)")
      #expect(Array(stored.paragraphs) == Array(state.paragraphs), "step \(step)")
      _ = try? state.apply(generator.action(length: state.length))
    }
  }
}
