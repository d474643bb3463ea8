import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

@Suite struct DisplayCaseTests {
  private static func fragment(_ text: String, _ casing: DisplayCase, width: Int = 80) throws
    -> GridFragment
  {
    var layout = GridLayout(options: GridOptions(width: width, casing: casing))
    let rows = layout.rows(from: .first, count: 1, of: ArrayStorage(UTF16Text(text)))
    return try #require(rows.first?.fragments.first)
  }

  @Test(arguments: [
    ("Straße", DisplayCase.upper, "STRASSE"), ("ﬃ e\u{301}", .upper, "FFI E\u{301}"),
    ("ÄÖ İ", .lower, "äö i\u{307}"), ("ΟΔΟΣ ΟΣΟ Σ", .lower, "οδος οσο σ"), ("ŉ日𐐨", .upper, "ʼN日𐐀"),
    ("Straße", .written, "Straße"),
  ])
  func `letters are shown in another case`(text: String, casing: DisplayCase, shown: String) throws
  {
    let fragment = try Self.fragment(text, casing)
    #expect(Array(fragment.shown.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test func `cells map back to the units of the text`() throws {
    let fragment = try Self.fragment("Straße x", .upper)
    #expect(fragment.cells == 9)
    // Both cells of SS are the ß.
    #expect((0..<9).map { fragment.offset(atCell: $0) } == [0, 1, 2, 3, 4, 4, 5, 6, 7])
    #expect((0..<8).map { fragment.cell(at: $0) } == [0, 1, 2, 3, 4, 6, 7, 8])
    #expect(fragment.cells(of: UTF16Range(4..<5)) == 4..<6)
  }

  @Test(arguments: seeds(20)) func `maps are right on random text`(seed: UInt64) {
    var generator = TextGenerator(seed: seed)
    let text = ArrayStorage(generator.text(pieces: 60))
    for casing in DisplayCase.allCases {
      var layout = GridLayout(options: GridOptions(width: 1 + generator.below(20), casing: casing))
      for row in layout.rows(from: .first, count: .max, of: text) {
        for fragment in row.fragments { CellTests.check(fragment, seed) }
      }
    }
  }
}
