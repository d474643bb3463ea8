import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

@Suite struct PageTests {
  private static func pages(
    _ text: some AttributedStorage, _ layout: inout PagedLayout,
    _ formats: some ParagraphFormats = PlainFormats()
  ) -> [GridPage] {
    var pages: [GridPage] = []
    while let page = layout.page(pages.count, of: text, formats) { pages.append(page) }
    return pages
  }

  @Test func `text flows through pages`() throws {
    let text = ArrayStorage("one\ntwo\nthree\nfour\nfive")
    var layout = PagedLayout(format: PageFormat(width: 10, height: 2))
    let pages = Self.pages(text, &layout)
    let shown = pages.map { page in page.columns[0].map { $0.fragments.map(\.shown).joined() } }
    #expect(shown == [["one", "two"], ["three", "four"], ["five"]])
    #expect(pages.last?.next == nil)
    let rest = PageOverflow(from: try #require(pages[0].next), in: text)
    #expect(rest.units == 15 && rest.paragraphs == 3)
  }

  @Test func `columns and holes`() {
    let text = ArrayStorage("aa bb cc dd ee ff gg hh")
    var layout = PagedLayout(format: PageFormat(width: 12, height: 2, columns: 2, gap: 2))
    let page = Self.pages(text, &layout)[0]
    #expect(
      page.columns.map { $0.map { $0.fragments.map(\.shown).joined() } } == [
        ["aa bb", "cc dd"], ["ee ff", "gg hh"],
      ])
    #expect(layout.format.containers.map(\.column) == [0, 7])

    let hole = CellRectangle(column: 3, row: 0, columns: 3, rows: 1)
    layout = PagedLayout(format: PageFormat(width: 9, height: 2, holes: [hole]))
    let rows = Self.pages(text, &layout)[0].columns[0]
    #expect(rows[0].fragments.map(\.shown) == ["aa ", "bb "])
    #expect(rows[0].fragments.map(\.column) == [0, 6])
    #expect(rows[1].fragments.map(\.shown) == ["cc dd ee "])
  }

  @Test func `a word goes on to a wider slot`() {
    let hole = CellRectangle(column: 3, row: 0, columns: 1, rows: 1)
    var layout = PagedLayout(format: PageFormat(width: 8, height: 3, holes: [hole]))
    let rows = Self.pages(ArrayStorage("abcdefgh xyz"), &layout)[0].columns[0]
    #expect(rows.map { $0.fragments.map(\.shown) } == [[], ["abcdefgh"], ["xyz"]])
    #expect(rows[0].kind == .blank)
  }

  @Test func `slots are what holes leave`() {
    let holes = [
      CellRectangle(column: -5, row: .min, columns: 7, rows: .max),
      CellRectangle(column: 4, row: 0, columns: 2, rows: 9),
      CellRectangle(column: 5, row: 0, columns: .max, rows: 1),
      CellRectangle(column: 0, row: 1, columns: 0, rows: 1),
    ]
    let container = GridContainer(width: 10, height: 4, holes: holes)
    #expect(container.slots(inRow: 0) == [0..<4])
    #expect(container.slots(inRow: 1) == [0..<4, 6..<10])
    let full = PageFormat(
      width: 5, height: 5, holes: [CellRectangle(column: 0, row: 0, columns: 5, rows: 5)])
    #expect(!full.hasRoom)
    var layout = PagedLayout(format: full)
    #expect(layout.page(0, of: ArrayStorage("a")) == nil)
  }

  @Test(arguments: seeds(30)) func `pages are the text, and no fragment is in a hole`(seed: UInt64)
  {
    var generator = TextGenerator(seed: seed)
    let text = ArrayStorage(generator.text(pieces: 10 + generator.below(80)))
    let format = generator.pageFormat()
    guard format.hasRoom else { return }
    let windows = ParagraphWindows(length: 12 + generator.below(60), searchLength: 4)
    var layout = PagedLayout(format: format, tabStop: 4, casing: .upper, windows: windows)
    let formats = StripedFormats()
    let pages = Self.pages(text, &layout, formats)
    var next = 0
    for page in pages {
      for (container, rows) in zip(format.containers, page.columns) {
        #expect(rows.count <= container.height)
        for (index, row) in rows.enumerated() {
          var free = 0
          for fragment in row.fragments {
            #expect(fragment.units.location == next, "seed \(seed)")
            next = fragment.units.upperBound
            let cells = fragment.column..<fragment.column + fragment.width
            #expect(cells.lowerBound >= free && cells.upperBound <= container.width)
            free = cells.upperBound
            CellTests.check(fragment, seed)
            for hole in container.holes
            where hole.row <= index && index < hole.row + hole.rows {
              #expect(
                cells.upperBound <= hole.column || hole.column + hole.columns <= cells.lowerBound,
                "seed \(seed)")
            }
          }
        }
      }
      if let rest = page.next {
        #expect(PageOverflow(from: rest, in: text).units == text.length - next, "seed \(seed)")
      }
    }
    #expect(next == text.length, "seed \(seed)")
    // Any page at once, and each from where the one before it ends.
    for _ in 0..<3 {
      let index = generator.below(pages.count)
      var fresh = PagedLayout(format: format, tabStop: 4, casing: .upper, windows: windows)
      #expect(fresh.page(index, of: text, formats) == pages[index], "seed \(seed)")
      #expect(
        fresh.page(from: pages[index].start, at: index, of: text, formats) == pages[index],
        "seed \(seed)")
    }
  }

  /// Without holes, the rows of pages are those of a layout of the same width.
  @Test(arguments: seeds(20)) func `pages have the rows of a plain layout`(seed: UInt64) {
    var generator = TextGenerator(seed: seed)
    let text = ArrayStorage(generator.text(pieces: 10 + generator.below(80)))
    let width = 1 + generator.below(24)
    let windows = ParagraphWindows(length: 12 + generator.below(60), searchLength: 4)
    var paged = PagedLayout(
      format: PageFormat(width: width, height: 1 + generator.below(7)), tabStop: 8,
      casing: .written, windows: windows)
    var plain = GridLayout(options: GridOptions(width: width), windows: windows)
    let formats = StripedFormats()
    let rows = Self.pages(text, &paged, formats).flatMap { $0.columns.joined() }
    let expected = plain.rows(from: .first, count: .max, of: text, formats)
    #expect(rows.map(\.fragments) == expected.map(\.fragments), "seed \(seed)")
    #expect(rows.map(\.kind) == expected.map(\.kind), "seed \(seed)")
  }
}
