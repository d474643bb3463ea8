/// A table that fits the terminal. Columns only grow, so that a long table can be rendered page by
/// page. A column without content takes no space.
///
/// If the columns do not fit, first those with a `cutWidth` are cut, then those with a `rank` are
/// left out, and at last cells are cut further. A line never exceeds the terminal.
struct Table {
  /// The layout of a column.
  struct Column: Sendable {
    /// Its title, if the table has a header.
    var title = ""
    /// True if it is aligned right, as numbers are.
    var isRight = false
    /// Columns of the lowest rank are left out first. A column without a rank is never left out.
    var rank: Int?
    /// The width to which its cells may be cut, in columns of the terminal. Nil if they are not
    /// cut.
    var cutWidth: Int?
    /// The maximum width of a cell, in columns of the terminal, however wide that is.
    var widthMax: Int?
    /// True if a long cell goes on below, and is not cut. Only for the last column.
    var isWrapped = false
  }

  /// One field: its text and its role.
  struct Cell: Sendable {
    fileprivate let role: Style.Role
    private let content: Content
    /// True if it takes the rest of the line, across columns. It is the last in its row.
    fileprivate var isSpanning = false

    /// What is shown. A long table has very many cells, and a function for each takes memory.
    private enum Content {
      case text(String)
      case fitting(@Sendable (_ width: Int?) -> String)
    }

    /// A field whose text is made for a given width.
    init(_ role: Style.Role = .plain, fitting text: @escaping @Sendable (_ width: Int?) -> String) {
      (self.role, content) = (role, .fitting(text))
    }

    /// A field that is shown unchanged. If it is too long, its end is cut.
    init(_ text: String, _ role: Style.Role = .plain) {
      (self.role, content) = (role, .text(text))
    }

    /// A path or a similar name. If it is too long, its beginning is cut.
    init(path text: String, _ role: Style.Role = .plain) {
      self.init(role) { Excerpt.cutFront(text, to: $0) }
    }

    /// A remark that takes the rest of the line.
    init(spanning text: String, _ role: Style.Role) {
      self.init(text, role)
      isSpanning = true
    }

    /// A document's text, to be shown as an excerpt.
    init(excerpt text: String) {
      self.init { Excerpt.quoted(text, width: $0) }
    }

    /// The text cut to `width` columns of the terminal; all of it if nil.
    fileprivate func text(_ width: Int?) -> String {
      switch content {
      case .text(let text): Excerpt.cut(text, to: width)
      case .fitting(let text): text(width)
      }
    }
  }

  /// A cell, and its text with its width in columns of the terminal.
  private struct Field {
    let cell: Cell
    let text: String
    let width: Int

    init(_ cell: Cell, _ text: String) {
      (self.cell, self.text, width) = (cell, text, text.displayWidth)
    }
  }

  private typealias Row = [Field]

  private let columns: [Column]
  private let style: Style
  private let hasHeader: Bool
  /// The width of the terminal in columns; nil if nothing is cut.
  private let width: Int?
  private var widths: [Int]
  private var rows: [Row] = []
  /// Spaces between two columns.
  private static let gap = 2

  /// An empty table for a terminal of `width` columns. If `width` is nil, nothing is cut. Verbs make their
  /// tables with `Session.table`.
  init(_ columns: [Column], style: Style, width: Int? = nil, hasHeader: Bool = true) {
    (self.columns, self.style, self.width) = (columns, style, width)
    self.hasHeader = hasHeader
    widths = columns.map { _ in 0 }
  }

  /// Adds a row: one cell for each column, in order. The last ones may be missing.
  mutating func append(_ row: [Cell]) {
    precondition(row.count <= columns.count)
    rows.append(
      row.enumerated().map { index, cell in
        let field = Field(cell, cell.text(cell.isSpanning ? nil : columns[index].widthMax))
        if !cell.isSpanning { widths[index] = max(widths[index], field.width) }
        return field
      })
  }

  /// The rows since the last call as lines, after the header.
  mutating func takeLines(withHeader: Bool? = nil) -> String {
    defer { rows.removeAll() }
    let isHeaded = withHeader ?? hasHeader
    if isHeaded {
      for (index, column) in columns.enumerated() where widths[index] > 0 {
        widths[index] = max(widths[index], column.title.displayWidth)
      }
    }
    let layout = layout()
    let header: [Row] = isHeaded ? [columns.map { Field(Cell($0.title, .header), $0.title) }] : []
    return (header + rows).reduce(into: "") {
      $0 += line($1, layout)
      $0 += "\n"
    }
  }

  /// The width of each column; 0 if it is left out.
  private func layout() -> [Int] {
    guard let width else { return widths }
    var layout = widths
    while true {
      let fitted = cut(layout, to: width) { $0 }
      if Self.total(fitted) <= width { return fitted }
      guard
        let least = layout.indices.filter({ layout[$0] > 0 }).compactMap({ columns[$0].rank }).min()
      else { return cut(fitted, to: width) { _ in 1 } }
      for index in layout.indices where columns[index].rank == least { layout[index] = 0 }
    }
  }

  /// Narrows the columns with a `cutWidth`, the widest first, until the line fits `width`. No
  /// column gets narrower than `least` of its `cutWidth`.
  private func cut(_ layout: [Int], to width: Int, _ least: (Int) -> Int) -> [Int] {
    var layout = layout
    for index in layout.indices.sorted(by: { layout[$0] > layout[$1] }) {
      guard let cutWidth = columns[index].cutWidth else { continue }
      let excess = max(0, Self.total(layout) - width)
      layout[index] -= min(excess, max(0, layout[index] - least(cutWidth)))
    }
    return layout
  }

  /// The length of a line with columns of these widths.
  private static func total(_ layout: [Int]) -> Int {
    layout.reduce(0) { $1 > 0 ? $0 + $1 + gap : $0 } - gap
  }

  /// Spaces; none if `count` is negative.
  private static func spaces(_ count: Int) -> String {
    // `String(repeating:count:)` appends character by character.
    String(unsafeUninitializedCapacity: max(0, count)) {
      $0.initialize(repeating: UInt8(ascii: " "))
      return max(0, count)
    }
  }

  private func line(_ row: Row, _ layout: [Int]) -> String {
    // Spaces are never coloured, and a line never ends with spaces.
    var (result, spaces, column) = ("", "", 0)
    for (index, field) in row.enumerated() where layout[index] > 0 || field.cell.isSpanning {
      let rest = width.map { $0 - column }
      if let rest, rest <= 0 { break }
      let room = field.cell.isSpanning ? rest : min(layout[index], rest ?? .max)
      let isTooWide = room.map { field.width > $0 } ?? false
      if columns[index].isWrapped, let room, isTooWide {
        let lines = field.text.wrapped(to: room).map { style.paint($0, field.cell.role) }
        let indent = "\n" + Self.spaces(column)
        return result + spaces + lines.joined(separator: indent)
      }
      let text = isTooWide ? field.cell.text(room) : field.text
      let textWidth = isTooWide ? text.displayWidth : field.width
      let fill = Self.spaces(min(layout[index], rest ?? .max) - textWidth)
      if columns[index].isRight { spaces += fill }
      if !text.isEmpty {
        result += spaces + style.paint(text, field.cell.role)
        spaces = ""
      }
      spaces += (columns[index].isRight ? "" : fill) + Self.spaces(Self.gap)
      column += max(layout[index], textWidth) + Self.gap
    }
    return result
  }
}

extension Session {
  /// An empty table for the terminal. If `isWide`, and if there is no terminal, nothing is cut.
  func table(
    _ columns: [Table.Column], hasHeader: Bool = true, isWide: Bool = false
  ) -> Table {
    Table(columns, style: style, width: isWide ? nil : width, hasHeader: hasHeader)
  }
}
