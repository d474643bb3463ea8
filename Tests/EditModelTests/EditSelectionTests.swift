import EditModel
import Testing

@Suite struct EditSelectionTests {
  private func ranges(_ pairs: [(Int, Int)]) -> [UTF16Range] {
    pairs.compactMap { UTF16Range(location: $0.0, length: $0.1) }
  }

  private static let most = Int(Int32.max)
  private static let table: [([(Int, Int)], Bool)] = [
    ([(0, 0)], true), ([(5, 3), (0, 2)], true), ([(0, 2), (2, 3)], true),
    ([(0, 2), (2, 0)], true), ([(2, 0), (2, 3)], true), ([(4, 0), (4, 0)], false),
    ([(0, 3), (2, 1)], false), ([(2, 3), (4, 0)], false), ([(0, 9), (3, 1), (5, 1)], false),
    ([(7, 2), (7, 2)], false), ([(most, 0)], true), ([(most, 1)], false), ([(.max, 0)], false),
  ]

  @Test(arguments: table)
  func rangesAreChecked(pairs: [(Int, Int)], isValid: Bool) {
    let ranges = ranges(pairs)
    for (before, after) in [(ranges, []), ([], ranges), (ranges, ranges)] {
      let selection = try? EditSelection(before: before, after: after)
      #expect((selection != nil) == isValid)
      if let selection { #expect(selection.before == before && selection.after == after) }
    }
  }

  @Test func sidesAreBounded() throws {
    #expect(throws: EditError.selectionEmpty) { try EditSelection() }
    let most = (0..<EditSelection.rangeCountMax).map { UTF16Range($0..<$0) }
    #expect(try EditSelection(before: most, after: most).before.count == 256)
    let count = EditSelection.rangeCountMax + 1
    let many = (0..<count).map { UTF16Range($0..<$0) }
    #expect(throws: EditError.selectionTooLarge(count: count)) { try EditSelection(after: many) }
  }
}
