import EditModel
import TestSupport
import Testing
import TextState

/// Selections of edits against the texts before and after them.
@Suite struct SelectionCheckTests {
  /// The edit is not applied, and the answer is that of two arrays, one before it and one after it.
  @Test(arguments: UInt64(0)..<60)
  func theAnswerIsThatOfTheTexts(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    var (state, units, refusals): (TextState, [UInt16], Int) = (TextState(), [], 0)
    for _ in 0..<150 {
      let action = generator.action()
      _ = generator.edit(action)
      var after = units
      if let replacement = action.replacement {
        after.replaceSubrange(action.range.bounds, with: replacement.units)
      }
      for _ in 0..<8 {
        let sides = [units.count, after.count].map { length in
          let start = Int.random(in: 0...length + 1, using: &generator.random)
          return UTF16Range(start..<start + Int.random(in: 0...3, using: &generator.random))
        }
        let selection = try EditSelection(
          before: [SelectedRange(sides[0])], after: [SelectedRange(sides[1], isReversed: true)])
        let isRefused = (try? state.check(selection, of: action)) == nil
        #expect(
          isRefused == (!Self.isIn(units, sides[0]) || !Self.isIn(after, sides[1])),
          "seed \(seed): \(selection)")
        refusals += isRefused ? 1 : 0
      }
      try state.apply(action)
      units = after
      #expect(state.text.units == units)
    }
    #expect(refusals > 10)
  }

  private static func isIn(_ units: [UInt16], _ range: UTF16Range) -> Bool {
    range.upperBound <= units.count
      && [range.location, range.upperBound].allSatisfy { offset in
        offset == 0 || offset == units.count
          || !(UTF16.isLeadSurrogate(units[offset - 1]) && UTF16.isTrailSurrogate(units[offset]))
      }
  }

  @Test func theReasonIsGiven() throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "a\u{1F600}b"))
    let action = EditAction(replacing: UTF16Range(4..<4), with: "\u{1F601}")
    func check(before: Range<Int> = 0..<0, after: Range<Int> = 0..<0) throws {
      try state.check(
        EditSelection(before: [SelectedRange(before)], after: [SelectedRange(after)]), of: action)
    }
    try check(before: 1..<3, after: 4..<6)
    #expect(throws: EditError.selectionSplitsPair(offset: 2)) { try check(before: 0..<2) }
    #expect(throws: EditError.selectionSplitsPair(offset: 5)) { try check(after: 5..<5) }
    #expect(
      throws: EditError.selectionOutsideText(range: UTF16Range(5..<5), textLength: 4)
    ) { try check(before: 5..<5) }
    #expect(
      throws: EditError.selectionOutsideText(range: UTF16Range(6..<7), textLength: 6)
    ) { try check(after: 6..<7) }
  }
}
