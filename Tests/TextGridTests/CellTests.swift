import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

@Suite struct CellTests {
  private static func row(
    _ text: String, width: Int = 80, tabStop: Int = 8, namesInvisible: Bool = false,
    spacesMarks: Bool = false
  ) throws -> GridFragment {
    var layout = GridLayout(
      options: GridOptions(
        width: width, tabStop: tabStop, namesInvisible: namesInvisible, spacesMarks: spacesMarks))
    let rows = layout.rows(from: .first, count: 1, of: ArrayStorage(UTF16Text(text)))
    return try #require(rows.first?.fragments.first)
  }

  @Test(arguments: [
    ("abc", [1, 1, 1]),
    // East Asian width, combining marks.
    ("日本", [2, 2]), ("ｱＡ", [1, 2]), ("e\u{301}x", [1, 1]), ("한", [2]),
    ("\u{1112}\u{1161}\u{11AB}", [2]),
    ("न\u{93F}", [1]), ("\u{301}a", [1, 1]),
    // Emoji sequences.
    ("👩‍👩‍👧‍👦", [2]), ("🇩🇪🇫🇷", [2, 2]), ("🇩", [2]), ("👍🏽", [2]), ("1️⃣", [2]), ("❤️", [2]), ("❤", [1]),
    ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", [2]), ("✌🏿", [2]),
    // Newer than Unicode 14.
    ("\u{1FAE8}", [2]), ("\u{1FADF}", [2]), ("a\u{897}", [1]), ("\u{2630}", [2]),
    // Without cells.
    ("a\u{200B}b", [1, 0, 1]), ("a\u{AD}b", [1, 0, 1]), ("\u{FEFF}a", [0, 1]),
    // Controls, and what changes the direction.
    ("\u{1B}[m", [1, 1, 1]), ("\u{7F}\u{9B}", [1, 1]), ("\u{202E}a", [1, 1]), ("\u{FFFF}", [1]),
  ])
  func `clusters have cells`(text: String, cells: [Int]) throws {
    let row = try Self.row(text)
    #expect(row.clusters.map(\.cells.count) == cells)
    #expect(row.units.length == text.utf16.count)
  }

  @Test(arguments: [
    ("\u{1B}[31m", "␛[31m"), ("\u{7F}", "␡"), ("\u{9B}x", "\u{FFFD}x"), ("\0", "␀"),
    ("\u{202E}abc\u{202C}", "⇄abc⇄"), ("\u{301}", "◌\u{301}"), ("a\u{FFFE}", "a\u{FFFD}"),
    ("אב א 1", "אב א 1"), ("a אב c ד", "a אב c ד"), ("a\u{200B}b", "ab"),
  ])
  func `what is shown is harmless`(text: String, shown: String) throws {
    #expect(try Self.row(text).shown == shown)
  }

  @Test(arguments: [
    ("a\u{200B}b", #"a\u{200B}b"#, [1, 8, 1]), ("\u{FEFF}a", #"\u{FEFF}a"#, [8, 1]),
    ("\u{AD}", #"\u{AD}"#, [6]), ("\u{202E}\u{200F}", #"\u{202E}\u{200F}"#, [8, 8]),
    ("\u{9B}x", #"\u{9B}x"#, [6, 1]), ("\u{E0001}", #"\u{E0001}"#, [9]),
    // These have pictures of their own, or are parts of what is seen.
    ("\u{1B}\u{7F}", "␛␡", [1, 1]), ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦", [2]), ("می\u{200C}خ", "می\u{200C}خ", [1, 1, 1]),
    ("\u{301}", "◌\u{301}", [1]),
  ])
  func `invisible characters have codes`(text: String, shown: String, cells: [Int]) throws {
    let row = try Self.row(text, namesInvisible: true)
    #expect(row.shown == shown)
    #expect(row.clusters.map(\.cells.count) == cells)
  }

  /// Devanagari, Thai, Tamil, Myanmar; then marks that share the letter's cell.
  @Test(arguments: [
    ("\u{928}\u{93F}|", [2, 1]), ("\u{E19}\u{E49}\u{E33}|", [2, 1]), ("\u{B95}\u{BCC}", [2]),
    ("\u{1000}\u{103B}\u{1031}", [3]), ("\u{915}\u{94D}", [1]), ("e\u{301}", [1]),
    ("\u{1112}\u{1161}\u{11AB}", [2]), ("👩‍👩‍👧‍👦", [2]), ("❤️", [2]),
  ])
  func `marks beside their letters may have cells`(text: String, cells: [Int]) throws {
    let row = try Self.row(text, spacesMarks: true)
    #expect(row.clusters.map(\.cells.count) == cells)
    #expect(row.shown == text)
  }

  @Test func `codes that have no room are cut`() throws {
    let row = try Self.row("\u{200B}", width: 5, namesInvisible: true)
    #expect(row.shown == #"\u{20"# && row.cells == 5)
  }

  @Test func `lone surrogates are shown as U+FFFD`() throws {
    var layout = GridLayout(options: GridOptions(width: 80))
    let text = UTF16Text(units: [0x61, 0xD83D, 0x62, 0xDE00, 0xD83D, 0xDE00])
    let rows = layout.rows(from: .first, count: 1, of: ArrayStorage(text))
    let row = try #require(rows.first?.fragments.first)
    #expect(row.shown == "a\u{FFFD}b\u{FFFD}😀")
    #expect(row.clusters.map(\.cells.count) == [1, 1, 1, 1, 2])
  }

  @Test func `tabs reach to the next stop`() throws {
    let row = try Self.row("a\t日\tabcdefgh\t.")
    #expect(row.clusters.filter { $0.kind == .tab }.map(\.cells) == [1..<8, 10..<16, 24..<32])
    #expect(row.shown == "a       日      abcdefgh        .")
    #expect(try Self.row("ab\tc", tabStop: 4).shown == "ab  c")
    // It takes what is left, and no more.
    #expect(try Self.row("abcd\tx", width: 5).cells == 5)
  }

  /// Scalars of all planes, alone and between letters: nothing that controls a terminal is shown,
  /// and the cells of what is shown are those that were counted.
  @Test func `every scalar is harmless`() {
    for plane in 0..<0x11 {
      // Ideographs, private and unassigned planes: their ends.
      let pages = plane < 2 ? Array(0..<0x100) : [0, 1, 2, 0xFF]
      for page in pages where !(0x34..<0xD7).contains(page) || page % 16 == 0 {
        let first = UInt32(plane << 16 | page << 8)
        let units = (first..<first + 0x100).flatMap { value -> [UInt16] in
          let scalar = Unicode.Scalar(value).map { Array(String(Character($0)).utf16) }
          return [0x61] + (scalar ?? [UInt16(truncatingIfNeeded: value)]) + [0x62]
        }.filter { ![0x0A, 0x0D, 0x2029].contains($0) }
        let scanned = ScannedWindow(units, terminatorLength: 0, start: 0, casing: .written)
        let fragment = scanned.fragment(
          0..<scanned.clusters.count, column: 0, width: 10_000, tabStop: 8, location: 0,
          isBrokenWord: false)
        #expect(fragment.clusters.reduce(0) { $0 + $1.units.length } == units.count)
        for scalar in fragment.shown.unicodeScalars {
          if ShownControl.picture(of: scalar.value) != nil
            || ShownControl.isNoncharacter(scalar.value)
          {
            Issue.record("U+\(String(scalar.value, radix: 16)) is shown")
          }
        }
      }
    }
  }

  @Test(arguments: seeds(40)) func `units and cells map to each other`(seed: UInt64) {
    var generator = TextGenerator(seed: seed)
    let text = ArrayStorage(generator.text(pieces: 60))
    var layout = GridLayout(
      options: GridOptions(width: 1 + generator.below(30), namesInvisible: seed % 2 == 1))
    for row in layout.rows(from: .first, count: .max, of: text) {
      for fragment in row.fragments { Self.check(fragment, seed) }
    }
  }

  static func check(_ fragment: GridFragment, _ seed: UInt64) {
    #expect(fragment.cells <= fragment.width, "seed \(seed)")
    var (unit, cell) = (fragment.units.location, 0)
    for cluster in fragment.clusters {
      #expect(cluster.units.location == unit && cluster.cells.lowerBound == cell, "seed \(seed)")
      (unit, cell) = (cluster.units.upperBound, cluster.cells.upperBound)
      for offset in cluster.units.bounds {
        #expect(fragment.cell(at: offset) == cluster.cells.lowerBound, "seed \(seed)")
      }
      for cell in cluster.cells {
        #expect(fragment.offset(atCell: cell) == cluster.units.location, "seed \(seed)")
      }
      #expect(fragment.cells(of: cluster.units) == cluster.cells, "seed \(seed)")
    }
    #expect(unit == fragment.units.upperBound, "seed \(seed)")
    #expect(fragment.cell(at: fragment.units.upperBound) == fragment.cells)
    #expect(fragment.cells(of: fragment.units) == 0..<fragment.cells)
  }

  @Test func `a million marks are cut`() {
    let units = [0x61] + Array(repeating: UInt16(0x301), count: 1_000_000)
    let clusters = ClusterScan.clusters(of: units)
    #expect(clusters.allSatisfy { $0.length <= ClusterScan.lengthMax })
    #expect(clusters.last?.end == units.count)
  }
}
