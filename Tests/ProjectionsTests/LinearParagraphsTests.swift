import EditModel
import TestSupport
import Testing
import TextState

@testable import Projections

@Suite struct LinearParagraphsTests {
  /// Random editing: text and paragraph ranges are those of the state; identity is positional.
  @Test(arguments: UInt64(0)..<24)
  func rangesAgreeWithTheState(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var state = TextState()
    for _ in 0..<60 {
      let action = EditAction(
        replacing: random.range(in: state.length), with: random.text(pieces: 0...9))
      var linear = LinearParagraphs(state, clock: countingClock())
      let old = state.paragraphs.map(\.id)
      let trace = linear.apply(action)
      try state.apply(action)

      #expect(linear.units == state.text.units)
      let ranges = linear.descriptors.map { $0.location..<$0.location + $0.length }
      #expect(ranges == state.paragraphs.map(\.range.bounds))
      let ids = linear.descriptors.map(\.id)
      #expect(Set(ids).count == ids.count)
      #expect(ids.filter(Set(old).contains) == old.filter(Set(ids).contains))
      #expect(ids.count - old.count >= -trace.notificationCount)
    }
  }

  /// The row of the identity table that shows positional identity: deleting all of alpha
  /// removes the descriptor of beta.
  @Test func theParagraphAfterIsRemoved() throws {
    var state = TextState()
    try state.apply(replace(0, 0, "alpha\nbeta\ngamma"))
    let old = state.paragraphs.map(\.id)
    var linear = LinearParagraphs(state, clock: countingClock(step: 10))
    let trace = linear.apply(replace(0, 6, ""))
    #expect(linear.descriptors.map(\.id) == [old[0], old[2]])
    #expect(trace.notificationCount == 1)
    // One read before and one after each part; counting is done in two parts.
    #expect(trace.spans.map(\.duration) == [20, 10, 10, 10, 10, 10])
    #expect(trace.spans.map(\.phase) == LinearPhase.allCases)
    #expect(trace.duration == 70)
    // Gamma's descriptor.
    #expect(trace.bytesMoved == 32)
  }
}
