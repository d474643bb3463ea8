import EditModel
import TestSupport
import Testing
import TextState

/// The memory that states do not share.
@Suite struct StateSizeTests {
  @Test(arguments: seeds(4))
  func copiesShareAllButWhatIsEdited(seed: UInt64) throws {
    var state = TextState()
    let line = String(repeating: "é", count: 80) + "\n"
    try state.apply(
      EditAction(
        replacing: UTF16Range(0..<0), with: UTF16Text(String(repeating: line, count: 2_000))))
    let whole = state.size(besides: nil)
    // Each unit takes one byte at least, each paragraph of one edit a few.
    #expect(whole > state.length + state.paragraphCount * 2)
    let before = state
    #expect(state.size(besides: before) == 0)
    var random = SplitMix64(seed: seed)
    for count in 1...20 {
      let place = Int.random(in: 0...state.length, using: &random)
      try state.apply(EditAction(replacing: UTF16Range(place..<place), with: UTF16Text("x")))
      let own = state.size(besides: before)
      #expect(own > 0)
      // A leaf of each tree, and the nodes above them.
      #expect(own < 40_000 + count * 16_000, "seed \(seed): \(count) edits")
      #expect(own <= state.size(besides: nil))
    }
    // Two states that were not made from each other share nothing.
    #expect(state.size(besides: TextState()) == state.size(besides: nil))
  }
}
