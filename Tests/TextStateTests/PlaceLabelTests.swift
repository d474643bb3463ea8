import EditModel
import Testing

@testable import TextState

/// Labels where paragraphs come in ways that use them up: moves are counted, not seconds.
@Suite struct PlaceLabelTests {
  enum Writing: CaseIterable { case down, up, inTheMiddle, atTheTop, byTurns, nested }

  @Test(arguments: Writing.allCases)
  func `moves few labels for each paragraph`(writing: Writing) throws {
    var state = TextState()
    // Lines of one letter; more of them where the hand starts in the middle.
    let text = Array(repeating: "x\n", count: 200).joined()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
    let count = 3_000
    var (spot, low, high) = (state.length / 2, state.length / 2, state.length / 2 + 2)
    for number in 0..<count {
      let place: Int
      switch writing {
      case .down: place = state.length
      case .up: place = state.length / 2
      case .inTheMiddle:
        place = spot
        spot += 2
      case .atTheTop: place = 0
      case .byTurns: place = state.length / 2 / 2 * 2 + (number % 2 == 0 ? 0 : 2)
      case .nested:
        // Always between the two that came last.
        place = number % 2 == 0 ? low + 2 : high
        if number % 2 == 0 { low = place } else { high = place }
        if high < low { swap(&low, &high) }
      }
      try state.apply(
        EditAction(
          replacing: UTF16Range(min(place, state.length)..<min(place, state.length)), with: "y\n"))
    }
    #expect(state.invariantViolation() == nil)
    #expect(state.core.relabelCount <= 24 * count, "\(state.core.relabelCount) moves")
  }
}
