import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

@Suite struct TruncationTests {
  private static func shown(_ text: String, width: Int, rows: Int, sign: String = "… more")
    -> [String]
  {
    var layout = GridLayout(options: GridOptions(width: width))
    let truncation = Truncation(rowsMax: rows, sign: sign)
    let first = layout.rows(from: .first, count: rows + 1, of: ArrayStorage(UTF16Text(text)))
    return truncation.truncated(first, width: width).map { row in
      #expect(row.more.map { $0.column + $0.cells <= width } ?? true)
      return row.fragments.map(\.shown).joined() + (row.more.map { "|\($0.text)" } ?? "")
    }
  }

  @Test(arguments: [
    // It all fits.
    ("one two", 10, 1, ["one two"]), ("a\nb", 10, 2, ["a", "b"]),
    // The empty row after the last terminator is no text.
    ("a\nb\n", 10, 2, ["a", "b"]), ("a\n", 10, 1, ["a"]), ("\n", 10, 1, [""]),
    ("a\nb\n", 10, 1, ["a", "|… more"]),
    // At least two units stay: the sign is on the last row.
    ("one two three four", 9, 1, ["one|… more"]), ("ab\nc", 10, 1, ["ab|… more"]),
    ("abcdefgh ijk", 8, 1, ["ab|… more"]), ("日本語日 x", 8, 1, ["日"]),
    // Else it has a row of its own.
    ("a\nb", 10, 1, ["a", "|… more"]), ("abcdefg hij", 7, 1, ["abcdefg", "|… more"]),
    ("\n\n", 10, 1, ["", "|… more"]), ("x\n\nyy", 10, 2, ["x", "", "|… more"]),
    ("abcdef", 3, 1, ["abc", "|… m"]),
  ])
  func `a text is cut to rows`(text: String, width: Int, rows: Int, shown: [String]) {
    if text.hasPrefix("日") {
      // One cluster of one unit would stay.
      #expect(Self.shown(text, width: width, rows: rows) == ["日本語日", "|… more"])
    } else {
      #expect(Self.shown(text, width: width, rows: rows) == shown)
    }
  }

  /// Text of all planes: what stays are its first rows, and only the last one is cut.
  @Test(arguments: seeds(60)) func `a cut text begins as the whole one`(seed: UInt64) {
    var generator = TextGenerator(seed: seed)
    for _ in 0..<10 {
      let text = ArrayStorage(generator.text(pieces: generator.below(30)))
      let (width, count) = (1 + generator.below(30), 1 + generator.below(6))
      var layout = GridLayout(options: GridOptions(width: width))
      let rows = layout.rows(from: .first, count: count + 1, of: text)
      let cut = Truncation(rowsMax: count).truncated(rows, width: width)
      guard rows.count > count, rows[count].kind != .extra else {
        #expect(cut == Array(rows.prefix(count)), "seed \(seed)")
        continue
      }
      #expect(cut.count == count || cut.count == count + 1, "seed \(seed)")
      #expect(cut.dropLast() == rows.prefix(cut.count - 1), "seed \(seed)")
      guard let last = cut.last, let more = last.more else {
        Issue.record("no sign: seed \(seed)")
        continue
      }
      #expect(more.column + more.cells <= width, "seed \(seed)")
      #expect(cut.dropLast().allSatisfy { $0.more == nil }, "seed \(seed)")
      guard cut.count == count else { continue }
      let (kept, whole) = (last.units, rows[count - 1].units)
      #expect(kept?.location == whole?.location, "seed \(seed)")
      #expect((kept?.length ?? 0) >= Truncation.keptLengthMin, "seed \(seed)")
      #expect((kept?.length ?? 0) <= (whole?.length ?? 0), "seed \(seed)")
    }
  }

  /// A margin after the last paragraph is no text either.
  @Test func `a margin at the end is not more text`() {
    struct Formats: ParagraphFormats {
      func format(ofParagraph index: Int) -> ParagraphFormat { ParagraphFormat(rowsAfter: 1) }
    }
    for (text, hasMore) in [("ab", false), ("ab\n", false), ("ab\nc", true)] {
      let units = UTF16Text(text)
      var layout = GridLayout(options: GridOptions(width: 9))
      let rows = layout.rows(from: .first, count: 2, of: ArrayStorage(units), Formats())
      let cut = Truncation(rowsMax: 1).truncated(rows, width: 9, length: units.count)
      #expect(cut.contains { $0.more != nil } == hasMore, "\(text)")
      #expect(cut.count == 1, "\(text)")
    }
  }

  @Test func `the sign is harmless, and may be anything`() {
    #expect(Self.shown("a\nb", width: 9, rows: 1, sign: "\u{1B}[7m") == ["a", "|␛[7m"])
    #expect(Self.shown("abc\nb", width: 9, rows: 1, sign: "") == ["abc|"])
    #expect(Self.shown("abc\nb", width: 9, rows: 1, sign: "…日本") == ["abc|…日本"])
  }
}
