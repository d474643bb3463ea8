import EditModel
import Rendering
import Styling
import TextGrid
import TextState
import Testing

@Suite struct SheetTests {
  @Test func `clusters that look the same are one run`() throws {
    let text = try state(
      "plain bold link",
      [
        (6..<10, ["bold": .bool(true)]), (11..<15, ["link": .string("https://a.b/?c=\"d\"")]),
      ])
    let runs = plainSheet(text).rows[0].fragments[0].runs
    #expect(runs.map(\.text) == ["plain ", "bold", " ", "link"])
    #expect(runs.map(\.units.location) == [0, 6, 10, 11])
    #expect(runs[1].looks == Looks(TextAppearance(bold: true)))
    #expect(runs[3].link == "https://a.b/?c=\"d\"" && runs[3].looks.light.underline)
  }

  @Test(arguments: [
    "javascript:alert(1)", "data:text/html,x", "https://a b", "https://a\nb", "file:///etc/passwd",
  ])
  func `other addresses are no links`(address: String) throws {
    let text = try state("link", [(0..<4, ["link": .string(address)])])
    #expect(plainSheet(text).rows[0].fragments[0].runs[0].link == nil)
  }

  /// Rows 26 and 27 of the features: rectangles on ASCII text.
  @Test func `decorations have rectangles`() throws {
    let rules = try rules(
      """
      [[decorations]]
      attribute = "box"
      draw = "box"
      [[decorations]]
      attribute = "one"
      granularity = "single-paragraph"
      draw = "block"
      [[decorations]]
      attribute = "all"
      granularity = "contiguous-paragraphs"
      draw = "block"
      """)
    // Rows of ten cells: "aaaa bbbb ", "cccc dddd", "eeee", "".
    let text = "aaaa bbbb cccc dddd\neeee\n"
    func rectangles(_ name: String, _ range: Range<Int>) throws -> [CellRectangle] {
      let sheet = sheet(try state(text, [(range, [name: .bool(true)])]), rules, width: 10)
      #expect(sheet.rows.count == 4)
      let mine = sheet.decorations.filter { $0.attribute == name }
      // Row 25 of the features: the run is told as it is.
      #expect(mine.allSatisfy { $0.run == UTF16Range(range) })
      for decoration in mine where decoration.granularity != .characterRuns {
        let rectangle = decoration.rectangle
        #expect(
          decoration.firstRow
            == CellRectangle(
              column: 0, row: rectangle.row, columns: 10, rows: 1))
      }
      return mine.map(\.rectangle)
    }
    // The run on each row that it touches; a terminator has no cells.
    #expect(
      try rectangles("box", 5..<12) == [
        CellRectangle(column: 5, row: 0, columns: 5, rows: 1),
        CellRectangle(column: 0, row: 1, columns: 2, rows: 1),
      ])
    #expect(
      try rectangles("box", 17..<22) == [
        CellRectangle(column: 7, row: 1, columns: 2, rows: 1),
        CellRectangle(column: 0, row: 2, columns: 2, rows: 1),
      ])
    // All rows of each paragraph, the whole width.
    #expect(
      try rectangles("one", 12..<22) == [
        CellRectangle(column: 0, row: 0, columns: 10, rows: 2),
        CellRectangle(column: 0, row: 2, columns: 10, rows: 1),
      ])
    // Of a group from the first row to the last, without the empty row at the text's end.
    #expect(
      try rectangles("all", 12..<15) == [CellRectangle(column: 0, row: 0, columns: 10, rows: 2)])
    #expect(
      try rectangles("all", 12..<22) == [CellRectangle(column: 0, row: 0, columns: 10, rows: 3)])
  }

  @Test func `margins are outside of a block, paddings inside`() throws {
    let rules = try rules(
      """
      [[decorations]]
      attribute = "code"
      granularity = "contiguous-paragraphs"
      draw = "block"
      margin-before = 1
      padding-before = 1
      padding-after = 2
      margin-after = 1
      """)
    let text = try state("a\nb\nc\nd", [(2..<6, ["code": .bool(true)])])
    let sheet = sheet(text, rules, width: 10)
    #expect(sheet.rows.map { $0.fragments.count } == [1, 0, 0, 1, 1, 0, 0, 0, 1])
    let block = try #require(sheet.decorations.first)
    #expect(block.rectangle == CellRectangle(column: 0, row: 2, columns: 10, rows: 5))
    #expect(block.firstRow?.row == 3)
  }

  @Test func `bars and bullets are beside the text`() throws {
    let text = try state(
      "quoted text that wraps\nitem\n- item",
      [
        (0..<23, ["quote": .integer(2)]), (23..<28, ["list-item": .integer(1)]),
        (28..<34, ["list-item": .integer(1)]),
      ])
    let rendered = TextRenderer().render(sheet(text, try rules(), width: 16))
    #expect(
      rendered == """
        ▎ ▎ quoted text
        ▎ ▎ that wraps

        • item
        - item

        """)
  }

  /// Bars stand before the text, or not at all.
  @Test(arguments: [
    (5, 2, "quote\nd\n"), (9, 2, "▎quoted\n"), (10, 2, "▎ quoted\n"), (11, 2, "▎ ▎quoted\n"),
    (12, 2, "▎ ▎ quoted\n"), (14, 8, "▎ ▎ ▎ quoted\n"),
  ])
  func `bars of narrow rows stand before the text`(
    width: Int, level: Int64, expected: String
  ) throws {
    let text = try state("quoted", [(0..<6, ["quote": .integer(level)])])
    #expect(TextRenderer().render(sheet(text, try rules(), width: width)) == expected)
  }

  /// Numbers are shown whole, and the text after them begins further to the right.
  @Test func `long numbers of lists are whole`() throws {
    func rendered(_ start: Int64, _ width: Int, _ text: String = "a b c\nd\ne") throws -> String {
      let items = try state(
        text,
        [
          (0..<text.utf16.count, ["ordered-item": .integer(1)]),
          (0..<1, ["ordered-start": .integer(start)]),
        ])
      return TextRenderer().render(sheet(items, try rules(), width: width))
    }
    #expect(try rendered(98, 12) == "98. a b c\n99. d\n100. e\n")
    #expect(try rendered(998, 40) == "998. a b c\n999. d\n1000. e\n")
    #expect(try rendered(999_999_998, 15).hasSuffix("999999999. e\n"))
  }

  /// Signs begin at the start of their cells, those of items inside under the text around them.
  @Test func `signs of lists stand in columns`() throws {
    let lines: [(String, AttributeSet)] = [
      ("a", ["ordered-item": .integer(1), "ordered-start": .integer(1_000)]),
      ("b", ["ordered-item": .integer(2)]), ("c", ["list-item": .integer(3)]),
      ("d", ["list-item": .integer(1)]), ("e", ["ordered-item": .integer(2)]),
      ("f", ["quote": .integer(1), "ordered-item": .integer(1)]),
    ]
    let text = lines.map(\.0).joined(separator: "\n")
    let runs = lines.enumerated().map { index, line in
      (2 * index..<min(2 * index + 2, text.utf16.count), line.1)
    }
    let rendered = TextRenderer().render(sheet(try state(text, runs), try rules(), width: 30))
    #expect(
      rendered == """
        1000. a
              1.  b
                  ▪ c
        • d
          1.  e
        ▎ 1.  f

        """)
  }

  /// A renderer's own sign is shown whole, without the spaces at its end.
  @Test func `wide signs of renderers are whole`() throws {
    let rules = try rules(
      """
      [[renderers]]
      kind = "ordered-item"
      sign = "{roman}) "
      [[renderers]]
      kind = "list-item"
      sign = "-->"
      """)
    let text = try state(
      "a\nb\nc",
      [
        (0..<4, ["ordered-item": .integer(1)]), (0..<2, ["ordered-start": .integer(37)]),
        (4..<5, ["list-item": .integer(1)]),
      ])
    let rendered = TextRenderer().render(sheet(text, rules, width: 14))
    #expect(rendered == "xxxvii) a\nxxxviii) b\n--> c\n")
  }

  @Test func `a page shows its columns side by side`() throws {
    let text = try state("one two three four five six")
    let format = PageFormat(width: 13, height: 2, columns: 2, gap: 3)
    var layout = PagedLayout(format: format)
    let styles = AttributeStyles(text)
    let first = layout.page(0, of: text, styles)
    let page = try #require(first)
    let sheet = SheetBuilder(styles).sheet(page, format)
    #expect(TextRenderer().render(sheet) == "one     three\ntwo     four\n")
    #expect(TextRenderer().render(sheet, isFirst: false).hasPrefix("\u{C}"))
  }
}

/// Row 90 of the features: a storage that has the four operations and nothing else is laid out and styled.
@Suite struct StorageSheetTests {
  /// Units, each with its attributes.
  private struct Units: AttributedStorage {
    private var all: [(unit: UInt16, attributes: AttributeSet)] = []
    var length: Int { all.count }

    func units(in range: UTF16Range) -> [UInt16] { all[range.bounds].map(\.unit) }

    func attributes(at offset: Int) -> (attributes: AttributeSet, range: UTF16Range) {
      let value = all[offset].attributes
      let start = all[..<offset].lastIndex { $0.attributes != value }.map { $0 + 1 } ?? 0
      let end = all[offset...].firstIndex { $0.attributes != value } ?? length
      return (value, UTF16Range(start..<end))
    }

    mutating func replaceCharacters(in range: UTF16Range, with text: UTF16Text) throws(EditError) {
      let first = range.isEmpty ? max(0, range.location - 1) : range.location
      let inherited = first < length ? all[first].attributes : [:]
      all.replaceSubrange(range.bounds, with: text.units.map { ($0, inherited) })
    }

    mutating func setAttributes(
      _ attributes: AttributeSet, in range: UTF16Range
    ) throws(EditError) {
      for index in range.bounds { all[index].attributes = attributes }
    }
  }

  @Test func `any storage is enough for styles`() throws {
    var storage = Units()
    try storage.replaceCharacters(in: UTF16Range(0..<0), with: "bold link plain\nlast\u{FFFC}")
    try storage.setAttributes(["bold": .bool(true)], in: UTF16Range(0..<4))
    try storage.setAttributes(["link": .string("https://a.example/")], in: UTF16Range(5..<9))
    try storage.setAttributes(
      Attachment(name: "a", columns: 3, rows: 2).attributes, in: UTF16Range(20..<21))
    let version = try TextState(copying: storage)
    #expect(version.text.units == storage.units(in: UTF16Range(0..<21)))
    #expect(version.attributes(at: 6).range == UTF16Range(5..<9))
    #expect(try TextState(copying: Units()) == TextState())
    let layout = GridLayout(options: GridOptions(width: 12))
    func sheet(_ text: some AttributedStorage) -> Sheet {
      var layout = layout
      let styles = AttributeStyles(text)
      let rows = layout.rows(from: .first, count: 10, of: text, styles)
      return SheetBuilder(styles).sheet(rows, width: 12)
    }
    let styled = sheet(storage)
    #expect(styled == sheet(version))
    let runs = styled.rows[0].fragments[0].runs
    #expect(runs[0].looks.light.bold && runs.contains { $0.link == "https://a.example/" })
    #expect(styled.attachments.count == 1)
  }
}
