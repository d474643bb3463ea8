import EditModel
import TestSupport
import Testing

@testable import TextState

/// Paragraphs as a collection, beside an array of them.
@Suite struct ParagraphsTests {
  @Test(arguments: UInt64(0)..<30) func `is the array of paragraphs`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    let limits = [TreeLimits(leafCountMax: 2, childCountMax: 4), nil][Int(seed % 2)]
    var state = TextState(limits: limits)
    for _ in 0..<20 {
      _ = try? state.apply(generator.action(length: state.length))
      let all = (0..<state.paragraphCount).map(state.paragraph(at:))
      let paragraphs = state.paragraphs
      #expect(Array(paragraphs) == all && paragraphs.map { $0 } == all)
      #expect(paragraphs.map(\.id) == all.map(\.id))
      #expect(paragraphs.indices.map { paragraphs[$0] } == all)
      #expect(paragraphs.enumerated().map { $0.element } == all)
      #expect(paragraphs.reversed() == Array(all.reversed()))
      #expect(paragraphs.filter { $0.range.length > 1 } == all.filter { $0.range.length > 1 })
      let lower = generator.below(all.count + 1)
      let indices = lower..<lower + generator.below(all.count - lower + 1)
      #expect(Array(paragraphs[indices]) == Array(all[indices]))
      #expect(paragraphs[indices].map(\.range) == all[indices].map(\.range))
      #expect(paragraphs[indices].indices == indices)
    }
  }

  /// From the one that holds the start to the one that holds the last unit.
  @Test(arguments: UInt64(0)..<20) func `those that touch a range`(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed, lengthGoal: 25)
    let limits = [TreeLimits(leafCountMax: 2, childCountMax: 4), nil][Int(seed % 2)]
    var (state, oracle) = (TextState(limits: limits), OracleState())
    for _ in 0..<25 {
      let action = generator.action(length: state.length)
      guard oracle.apply(action) != nil else { continue }
      try state.apply(action)
      for lower in 0...state.length {
        for upper in lower...state.length {
          let first = oracle.paragraphIndex(at: lower)
          let last = lower == upper ? first : oracle.paragraphIndex(at: upper - 1)
          let found = state.paragraphs(in: UTF16Range(lower..<upper))
          #expect(found.indices == first..<last + 1)
          #expect(Array(found) == Array(oracle.descriptors[first...last]))
        }
      }
    }
  }

  @Test func `map stops at an error`() throws {
    struct Stop: Error {}
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "a\nb\nc"))
    var seen = 0
    #expect(throws: Stop.self) {
      try state.paragraphs.map { (_) throws(Stop) -> Int in
        seen += 1
        if seen == 2 { throw Stop() }
        return seen
      }
    }
    #expect(seen == 2)
  }
}
