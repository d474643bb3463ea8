/// Columns of text. Widths only ever grow, so that a long table can be rendered page by page;
/// a column without content takes no room.
struct Table {
  /// How a column stands.
  struct Column: Sendable {
    /// Its title, where the table has a header.
    var title = ""
    /// Flush right, as numbers are.
    var isRight = false
  }

  /// One field: text and what it is.
  struct Cell: Sendable {
    fileprivate let text: String
    fileprivate let role: Style.Role
    /// For a document's text, the columns it may take at most; shown escaped and quoted.
    fileprivate var excerptMax: Int?
    fileprivate var isExcerpt = false
    /// Takes the rest of the line, whatever the columns; last in its row.
    fileprivate var isSpanning = false

    /// A field that is shown as it is.
    init(_ text: String, _ role: Style.Role = .plain) { (self.text, self.role) = (text, role) }

    /// A remark over the rest of the line.
    init(spanning text: String, _ role: Style.Role) {
      (self.text, self.role, isSpanning) = (text, role, true)
    }

    /// A document's text, to be shown as an excerpt that fits the terminal. Last in its row.
    init(excerpt text: String, max: Int? = nil) {
      (self.text, role, excerptMax, isExcerpt) = (text, .plain, max, true)
    }
  }

  private let columns: [Column]
  private let style: Style
  private let hasHeader: Bool
  /// Columns of the terminal.
  private let width: Int?
  private var widths: [Int]
  private var rows: [[Cell]] = []

  /// An empty table, for a terminal of `width` columns; nil cuts nothing.
  init(_ columns: [Column], style: Style, width: Int? = nil, hasHeader: Bool = true) {
    (self.columns, self.style, self.width) = (columns, style, width)
    self.hasHeader = hasHeader
    widths = columns.map { _ in 0 }
  }

  /// Adds a row. Its cells are of the columns in order; the last ones may be missing.
  mutating func append(_ row: [Cell]) {
    precondition(row.count <= columns.count)
    for (index, cell) in row.enumerated() where !cell.isSpanning {
      widths[index] = max(widths[index], cell.isExcerpt ? 1 : cell.text.displayWidth)
    }
    rows.append(row)
  }

  /// The rows since the last call as lines, the header before the first of them.
  mutating func takeLines(withHeader: Bool? = nil) -> String {
    defer { rows.removeAll() }
    var result = ""
    if withHeader ?? hasHeader {
      for (index, column) in columns.enumerated() where widths[index] > 0 {
        widths[index] = max(widths[index], column.title.displayWidth)
      }
      result += line(columns.map { Cell($0.title, .header) }) + "\n"
    }
    return rows.reduce(into: result) { $0 += line($1) + "\n" }
  }

  private func line(_ row: [Cell]) -> String {
    // Spaces stand outside of colours, and never at a line's end.
    var (result, spaces, column) = ("", "", 0)
    for (index, cell) in row.enumerated() where widths[index] > 0 || cell.isSpanning {
      let text = shown(cell, at: column)
      let textWidth = text.displayWidth
      let fill = String(repeating: " ", count: max(0, widths[index] - textWidth))
      if columns[index].isRight { spaces += fill }
      if !text.isEmpty {
        result += spaces + style.paint(text, cell.role)
        spaces = ""
      }
      spaces += (columns[index].isRight ? "" : fill) + "  "
      column += max(widths[index], textWidth) + 2
    }
    return result
  }

  private func shown(_ cell: Cell, at column: Int) -> String {
    guard cell.isExcerpt else { return cell.text }
    let room = width.map { max(12, $0 - column) }
    return Excerpt.quoted(cell.text, width: [room, cell.excerptMax].compactMap(\.self).min())
  }
}
