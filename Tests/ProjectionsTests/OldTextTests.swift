import EditModel
import Projections
import TestSupport
import Testing
import TextState

@Suite struct OldTextTests {
  /// Every range of the old text, against the old text itself.
  @Test(arguments: UInt64(0)..<24)
  func oldTextIsTheTextBefore(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var state = TextState()
    for _ in 0..<40 {
      let old = state.text.units
      let change = try state.apply(random.action(in: state.length), capturingRemoved: true)
      for _ in 0..<20 {
        let range = random.range(in: old.count)
        #expect(change.oldText(in: range, after: state).units == Array(old[range.bounds]))
      }
      let whole = UTF16Range(0..<old.count)
      #expect(change.oldText(in: whole, after: state).units == old)
    }
  }

  @Test func everyRangeOfASmallText() throws {
    for location in 0...4 {
      for length in 0...4 - location {
        for text: UTF16Text in ["", "X", "XYZXYZ"] {
          var state = TextState()
          try state.apply(replace(0, 0, "abcd"))
          let change = try state.apply(replace(location, length, text), capturingRemoved: true)
          for lower in 0...4 {
            for upper in lower...4 {
              let expected = Array("abcd".utf16)[lower..<upper]
              let found = change.oldText(in: UTF16Range(lower..<upper), after: state)
              #expect(found.units == Array(expected))
            }
          }
        }
      }
    }
  }
}
