/// Columns of text. Widths only ever grow, so that a long table can be rendered page by page.
struct Table {
  /// How a column stands.
  struct Column: Sendable {
    /// Its title, where the table has a header.
    var title: String
    /// Flush right, as numbers are.
    var isRight = false
    /// The least columns it takes.
    var widthMin = 0
  }

  /// One field: text and what it is.
  struct Cell: Sendable {
    let text: String
    let role: Style.Role

    init(_ text: String, _ role: Style.Role = .plain) { (self.text, self.role) = (text, role) }
  }

  private let columns: [Column]
  private let style: Style
  private var widths: [Int]
  private var rows: [[Cell]] = []

  /// An empty table. With a header, titles count for the widths.
  init(_ columns: [Column], style: Style, hasHeader: Bool = true) {
    (self.columns, self.style) = (columns, style)
    widths = columns.map { max($0.widthMin, hasHeader ? $0.title.displayWidth : 0) }
  }

  /// Adds a row. Its cells are of the columns in order; the last may be missing.
  mutating func append(_ row: [Cell]) {
    precondition(row.count <= columns.count)
    for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.text.displayWidth) }
    rows.append(row)
  }

  /// The width that all columns but the last take, with the two spaces behind each.
  var leadingWidth: Int { widths.dropLast().reduce(0) { $0 + $1 + 2 } }

  /// The titles as a line.
  var header: String { line(columns.map { Cell($0.title, .header) }) }

  /// The rows since the last call, as lines, each with its end.
  mutating func takeLines() -> String {
    defer { rows.removeAll() }
    return rows.reduce(into: "") { $0 += line($1) + "\n" }
  }

  private func line(_ row: [Cell]) -> String {
    var result = ""
    var pendingSpaces = ""
    for (index, cell) in row.enumerated() {
      let fill = String(repeating: " ", count: max(0, widths[index] - cell.text.displayWidth))
      // Spaces stand outside of colours, and never at a line's end.
      let text = style.paint(cell.text, cell.role)
      if columns[index].isRight {
        result += pendingSpaces + fill + text
        pendingSpaces = "  "
      } else {
        result += cell.text.isEmpty ? "" : pendingSpaces + text
        pendingSpaces = (cell.text.isEmpty ? pendingSpaces : "") + fill + "  "
      }
    }
    return result
  }
}
