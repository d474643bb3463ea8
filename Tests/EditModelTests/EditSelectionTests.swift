import EditModel
import Testing

@Suite struct EditSelectionTests {
  private func ranges(_ pairs: [(Int, Int)], areReversed: Bool) -> [SelectedRange] {
    pairs.compactMap { UTF16Range(location: $0.0, length: $0.1) }
      .map { SelectedRange($0, isReversed: areReversed) }
  }

  private static let most = Int(Int32.max)
  private static let table: [([(Int, Int)], Bool)] = [
    ([(0, 0)], true), ([(5, 3), (0, 2)], true), ([(0, 2), (2, 3)], true),
    ([(0, 2), (2, 0)], true), ([(2, 0), (2, 3)], true), ([(4, 0), (4, 0)], false),
    ([(0, 3), (2, 1)], false), ([(2, 3), (4, 0)], false), ([(0, 9), (3, 1), (5, 1)], false),
    ([(7, 2), (7, 2)], false), ([(most, 0)], true), ([(most, 1)], false), ([(.max, 0)], false),
  ]

  @Test(arguments: table, [false, true])
  func rangesAreChecked(_ table: ([(Int, Int)], isValid: Bool), areReversed: Bool) {
    let (ranges, isValid) = (ranges(table.0, areReversed: areReversed), table.isValid)
    for (before, after) in [(ranges, []), ([], ranges), (ranges, ranges)] {
      let selection = try? EditSelection(before: before, after: after)
      #expect((selection != nil) == isValid)
      if let selection { #expect(selection.before == before && selection.after == after) }
    }
  }

  @Test(arguments: [
    (2, 7, UTF16Range(2..<7), false), (7, 2, UTF16Range(2..<7), true),
    (3, 3, UTF16Range(3..<3), false),
    (0, .max, UTF16Range(0..<Int.max), false),
  ])
  func anchorAndHeadAreTheEndsOfTheRange(
    anchor: Int, head: Int, range: UTF16Range, isReversed: Bool
  ) throws {
    let selected = try #require(SelectedRange(anchor: anchor, head: head))
    #expect(selected.range == range && selected.isReversed == isReversed)
    #expect(selected.anchor == anchor && selected.head == head)
    #expect(selected.isCaret == (anchor == head))
    #expect(selected == SelectedRange(range, isReversed: isReversed))
    #expect(SelectedRange(3..<3, isReversed: true) == SelectedRange(3..<3))
    #expect(SelectedRange(anchor: -1, head: head) == nil)
    #expect(SelectedRange(anchor: anchor, head: -1) == nil)
  }

  @Test func sidesAreBounded() throws {
    #expect(throws: EditError.selectionEmpty) { try EditSelection() }
    let most = (0..<EditSelection.rangeCountMax).map { SelectedRange($0..<$0) }
    #expect(try EditSelection(before: most, after: most).before.count == 256)
    let count = EditSelection.rangeCountMax + 1
    let many = (0..<count).map { SelectedRange($0..<$0) }
    #expect(throws: EditError.selectionTooLarge(count: count)) { try EditSelection(after: many) }
  }
}
