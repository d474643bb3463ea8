import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

/// The cost of a view does not depend on the length of the text: counted, not timed.
@Suite struct LayoutWorkTests {
  private static let line =
    "A line of prose that has about as many characters as a row has cells.\n"

  private static func work(_ text: TextState, at offset: Int) -> LayoutWork {
    var layout = GridLayout(options: GridOptions(width: 80))
    let place = layout.place(of: offset, in: text)
    _ = layout.rows(from: place, count: 50, of: text)
    _ = layout.rowNumber(of: place, in: text)
    return layout.work
  }

  @Test func `many paragraphs cost no more than some`() throws {
    let short = try TextState(text: UTF16Text(String(repeating: Self.line, count: 2_000)))
    let long = try TextState(text: UTF16Text(String(repeating: Self.line, count: 40_000)))
    let some = Self.work(short, at: short.length / 2)
    let many = Self.work(long, at: long.length / 2)
    #expect(many.units <= some.units + 100 && many.windows <= some.windows + 2)
    #expect(many.units < 10_000)
  }

  @Test func `one long paragraph costs a few windows`() throws {
    for unit in ["word ", "x", "日", "\u{301}"] {
      let text = try TextState(text: UTF16Text(String(repeating: unit, count: 1_000_000)))
      for part in 0...4 {
        let work = Self.work(text, at: text.length / 4 * part)
        // A row number is estimated from eight samples. Marks make 50 rows of 3,584 units.
        let windowsMax = unit == "\u{301}" ? 36 : 12
        #expect(
          work.windows <= windowsMax && work.units < 9_500 * (windowsMax - 8),
          "\(unit) at \(part): \(work)")
      }
    }
  }

  @Test func `the estimate is near the count`() throws {
    var generator = TextGenerator(seed: 7)
    var text = ""
    for _ in 0..<20_000 {
      text +=
        String(repeating: "some words ", count: generator.below(generator.below(40) + 1)) + "\n"
    }
    let state = try TextState(text: UTF16Text(text))
    var layout = GridLayout(options: GridOptions(width: 60))
    let place = layout.place(of: state.length / 2, in: state)
    let number = layout.rowNumber(of: place, in: state)
    let counted = layout.countRows(before: place, in: state)
    let count = try #require(counted)
    #expect(!number.isExact)
    #expect(abs(number.value - count) * 2 < count, "\(number.value), counted \(count)")
    #expect(layout.keptCount <= 4)
  }

  @Test func `counting can be cancelled`() throws {
    let text = try TextState(text: UTF16Text(String(repeating: "a\n", count: 5_000)))
    var layout = GridLayout(options: GridOptions(width: 60))
    var asked = 0
    let end = RowPlace(paragraph: 5_000)
    let rows = layout.countRows(before: end, in: text) {
      asked += 1
      return asked == 3
    }
    #expect(rows == nil && layout.work.rows < 2_100)
    #expect(layout.find(row: 4_000, in: text) { true } == nil)
  }
}
