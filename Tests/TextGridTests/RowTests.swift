import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

@Suite struct RowTests {
  static func shown(_ text: String, width: Int) -> [String] {
    var layout = GridLayout(options: GridOptions(width: width))
    return layout.rows(from: .first, count: .max, of: ArrayStorage(UTF16Text(text))).map { row in
      row.fragments.map(\.shown).joined()
    }
  }

  @Test(arguments: [
    ("the quick brown fox", 10, ["the quick ", "brown fox"]),
    // White space hangs over the end.
    ("aaaa    bbbb", 4, ["aaaa", "bbbb"]), ("aaa \tbbb", 3, ["aaa", "bbb"]),
    // A long word is broken at clusters.
    ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
    ("xx e\u{301}e\u{301}e\u{301}", 2, ["xx", "e\u{301}e\u{301}", "e\u{301}"]),
    ("日本語日本", 5, ["日本", "語日", "本"]),
    // No row begins with closing punctuation, and none ends with an opening one.
    ("日本、語", 4, ["日", "本、", "語"]), ("aa (bb)", 4, ["aa ", "(bb)"]),
    ("a-b c-d", 4, ["a-b ", "c-d"]), ("no\u{A0}break at all", 8, ["no\u{A0}break", "at all"]),
    // Line breaks inside a paragraph.
    ("a\u{2028}b", 9, ["a", "b"]), ("a\u{2028}", 9, ["a", ""]), ("a\u{85}b", 9, ["a", "b"]),
    ("a\u{C}\nb", 9, ["a", "", "b"]), ("a\u{B}\u{B}b", 9, ["a", "", "b"]),
    ("abc\u{2028}d", 3, ["abc", "d"]),
    // The row after a last terminator.
    ("", 9, [""]), ("\n", 9, ["", ""]), ("a\r\nb\r", 9, ["a", "b", ""]),
    // Wide characters in one cell.
    ("日a", 1, ["\u{FFFD}", "a"]), ("👩‍👩‍👧‍👦", 1, ["\u{FFFD}"]),
  ])
  func `rows are broken`(text: String, width: Int, rows: [String]) {
    #expect(Self.shown(text, width: width) == rows)
  }

  @Test func `the extra row has no units`() throws {
    for (text, count) in [("", 1), ("a\n", 2), ("a", 1), ("a\u{2028}", 2)] {
      var layout = GridLayout(options: GridOptions(width: 9))
      let rows = layout.rows(from: .first, count: 9, of: ArrayStorage(UTF16Text(text)))
      #expect(rows.count == count)
      let isExtra = text != "a"
      #expect((rows.last?.kind == .extra) == isExtra)
      #expect(rows.last?.units?.isEmpty == isExtra)
    }
  }

  /// Characters without cells cannot make a row of any length.
  @Test func `a row has a bounded number of units`() {
    for unit in [0x200B, 0x301, 0x20] as [UInt16] {
      let text = ArrayStorage(UTF16Text(units: Array(repeating: unit, count: 100_000)))
      var layout = GridLayout(options: GridOptions(width: 10))
      let rows = layout.rows(from: .first, count: 20, of: text)
      #expect(rows.count == 20)
      #expect(rows.allSatisfy { ($0.units?.length ?? 0) <= GridOptions.rowLengthMax(width: 10) })
    }
  }
}
