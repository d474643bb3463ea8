import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

/// Row 34: an attachment takes the cells that its attribute says.
@Suite struct AttachmentTests {
  /// A text in which each `#` is an attachment of the next size.
  private static func text(_ text: String, _ sizes: [(Int, Int)]) throws -> ArrayStorage {
    var storage = ArrayStorage(
      UTF16Text(units: text.utf16.map { $0 == 0x23 ? Attachment.unit : $0 }))
    var sizes = sizes
    for offset in 0..<storage.length where storage.all[offset] == Attachment.unit {
      let (columns, rows) = sizes.removeFirst()
      try storage.setAttributes(
        Attachment(columns: columns, rows: rows).attributes,
        in: UTF16Range(offset..<offset + 1))
    }
    return storage
  }

  /// The rows as text, with attachments drawn by the numbers of their rows.
  private static func drawn(_ rows: [GridRow]) -> [String] {
    rows.map { row in
      var cells: [String] = []
      for fragment in row.fragments {
        while cells.count < fragment.column { cells.append(" ") }
        for cluster in fragment.clusters {
          if cluster.cells.count == 1 { cells.append(cluster.shown) }
          if cluster.cells.count > 1 {
            cells += Array(repeating: ".", count: cluster.cells.count)
          }
        }
      }
      for object in row.objects {
        while cells.count < object.column + object.columns { cells.append(" ") }
        for column in object.column..<object.column + object.columns {
          cells[column] = "\(object.row % 10)"
        }
      }
      return cells.joined()
    }
  }

  private static func rows(
    _ text: ArrayStorage, width: Int
  ) -> [GridRow] {
    var layout = GridLayout(options: GridOptions(width: width))
    return layout.rows(from: .first, count: .max, of: text)
  }

  @Test(arguments: [
    ("ab#cd\ne", 10, [(3, 2)], ["ab000cd", "  111", "e"]),
    // Beside each other, each with its own height.
    ("#a#\n", 10, [(2, 1), (2, 3)], ["00a00", "   11", "   22", ""]),
    // A row ends before one that does not fit, and after it.
    ("abc #d", 6, [(3, 2)], ["abc ", "000d", "111"]),
    ("#xyz", 5, [(5, 1)], ["00000", "xyz"]),
    // It is cut to the row.
    ("a#", 4, [(10_000, 2)], ["a", "0000", "1111"]),
    ("#", 1, [(1, 1)], ["0"]),
  ])
  func `attachments take cells`(
    source: String, width: Int, sizes: [(Int, Int)], drawn: [String]
  ) throws {
    #expect(Self.drawn(Self.rows(try Self.text(source, sizes), width: width)) == drawn)
  }

  @Test func `a character without the attribute is a character`() {
    let rows = Self.rows(ArrayStorage("a\u{FFFC}b"), width: 9)
    #expect(rows.map { $0.fragments.map(\.shown).joined() } == ["a\u{FFFC}b"])
    #expect(rows[0].objects.isEmpty)
  }

  @Test func `units and cells map to each other`() throws {
    let row = Self.rows(try Self.text("ab#cd", [(4, 2)]), width: 20)[0].fragments[0]
    #expect(row.cells(of: UTF16Range(2..<3)) == 2..<6)
    #expect((2..<6).map { row.offset(atCell: $0) } == [2, 2, 2, 2])
    #expect(row.offset(atCell: 6) == 3)
    #expect(row.cell(at: 3) == 6)
  }

  @Test func `hostile sizes have a bound`() throws {
    for number in [Int64.min, -1, 0, .max] {
      var storage = ArrayStorage("\u{FFFC}")
      let map: AttributeSet = ["columns": .integer(number), "rows": .integer(number)]
      try storage.setAttributes(
        ["attachment": .map(map)], in: UTF16Range(0..<1))
      let rows = Self.rows(storage, width: 10)
      #expect(rows.count == (number > 0 ? Attachment.rowsMax : 1))
      #expect(rows[0].objects.map(\.columns) == [number > 0 ? 10 : 1])
    }
    let other: [AttributeValue] = [
      .map(["columns": .string("9"), "rows": .double(3)]), .map([:]), .string("a"), .bool(true),
    ]
    for value in other {
      var storage = ArrayStorage("\u{FFFC}")
      try storage.setAttributes(["attachment": value], in: UTF16Range(0..<1))
      #expect(Self.rows(storage, width: 10).count == 1)
    }
  }

  @Test func `a view can begin inside an attachment`() throws {
    let text = try Self.text("a#b\nc", [(2, 5)])
    var layout = GridLayout(options: GridOptions(width: 9))
    let rows = layout.rows(from: RowPlace(paragraph: 0, row: 3), count: 3, of: text)
    #expect(Self.drawn(rows) == [" 33", " 44", "c"])
    #expect(rows.map(\.kind) == [.object, .object, .text])
    #expect(layout.place(of: 1, in: text) == RowPlace(paragraph: 0, row: 0))
  }

  @Test func `a cut text has a part of an attachment`() throws {
    let text = try Self.text("a#b\nc", [(2, 5)])
    let truncation = Truncation(rowsMax: 2, sign: "…")
    let cut = truncation.truncated(Self.rows(text, width: 9), width: 9)
    #expect(Self.drawn(cut) == ["a00b", " 11", ""])
    #expect(cut.map { $0.more?.text } == [nil, nil, "…"])
    let first = Truncation(rowsMax: 1, sign: "…").truncated(Self.rows(text, width: 9), width: 9)
    #expect(Self.drawn(first) == ["a00b"])
    #expect(first[0].more?.column == 4)
    // An attachment that the sign takes the place of is not there.
    let narrow = Truncation(rowsMax: 1, sign: "…")
    let long = try Self.text("abc#\nd", [(2, 1)])
    let rows = narrow.truncated(Self.rows(long, width: 5), width: 5)
    #expect(Self.drawn(rows) == ["abc"] && rows[0].objects.isEmpty)
  }

  @Test func `pages keep attachments whole`() throws {
    let text = try Self.text("a\nb\n#c\nd", [(3, 2)])
    var layout = PagedLayout(format: PageFormat(width: 9, height: 3))
    let pages = (0..<2).compactMap { layout.page($0, of: text) }
    #expect(pages.map { Self.drawn($0.columns[0]) } == [["a", "b"], ["000c", "111", "d"]])
    // Higher than a page.
    let high = try Self.text("a\n#", [(3, 7)])
    let cut = (0..<2).compactMap { layout.page($0, of: high) }
    layout.invalidate(from: 0)
    #expect(cut.count == 2)
    #expect(layout.page(1, of: high).map { Self.drawn($0.columns[0]) } == ["000", "111", "222"])
  }

  @Test func `an attachment keeps clear of holes`() throws {
    let hole = CellRectangle(column: 4, row: 1, columns: 2, rows: 1)
    var layout = PagedLayout(format: PageFormat(width: 10, height: 4, holes: [hole]))
    let text = try Self.text("ab#cd ef", [(2, 2)])
    // Below its row, cells 4 and 5 are not free, so no text of its row takes them.
    #expect(
      layout.page(0, of: text).map { Self.drawn($0.columns[0]) } == ["ab00  cd ", "  11", "ef"])
  }

  @Test func `an attachment beside a hole comes on the next row, not the next page`() throws {
    let hole = CellRectangle(column: 0, row: 1, columns: 4, rows: 2)
    var layout = PagedLayout(format: PageFormat(width: 12, height: 6, holes: [hole]))
    let text = try Self.text("abcd #e", [(6, 3)])
    #expect(
      layout.page(0, of: text).map { Self.drawn($0.columns[0]) }
        == ["    abcd ", "    000000e", "    111111", "    222222"])
  }

  @Test(arguments: seeds(30)) func `no attachment is in a hole, and pages have the text`(
    seed: UInt64
  ) throws {
    var generator = TextGenerator(seed: seed)
    var state = try TextState(text: generator.text(pieces: 10 + generator.below(60)))
    for _ in 0..<4 {
      if let action = generator.attachment(length: state.length) { try state.apply(action) }
    }
    let format = generator.pageFormat()
    guard format.hasRoom else { return }
    var layout = PagedLayout(format: format)
    var (next, index) = (0, 0)
    while let page = layout.page(index, of: state) {
      index += 1
      for (container, rows) in zip(format.containers, page.columns) {
        #expect(rows.count <= container.height, "seed \(seed)")
        for (place, row) in rows.enumerated() {
          for fragment in row.fragments {
            #expect(fragment.units.location == next, "seed \(seed)")
            next = fragment.units.upperBound
          }
          for object in row.objects {
            let cells = object.column..<object.column + object.columns
            #expect(
              container.slots(inRow: place).contains {
                $0.lowerBound <= cells.lowerBound && cells.upperBound <= $0.upperBound
              }, "seed \(seed)")
            // Whole: its rows follow each other.
            #expect(
              place - object.row >= 0 && place - object.row + object.rows <= container.height,
              "seed \(seed)")
            #expect(
              rows[place - object.row].objects.contains { $0.units == object.units },
              "seed \(seed)")
          }
        }
      }
    }
    #expect(next == state.length, "seed \(seed)")
  }
}
