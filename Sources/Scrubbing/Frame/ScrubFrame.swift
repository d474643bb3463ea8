import EditModel
import TextGrid
import TextState

extension GridOptions {
  /// Rows of the screen.
  static func screen(width: Int) -> GridOptions {
    GridOptions(width: width, namesInvisible: true, spacesMarks: true)
  }
}

/// A cell of a frame.
package struct ScrubCell: Hashable, Sendable {
  /// What is shown: a character, harmless on a terminal. Empty for the cells after the first one of a character
  /// that has several.
  package var text: String
  /// What it looks like.
  package var look: ScrubLook

  static let blank = ScrubCell(text: " ", look: .plain)
}

/// The cells of a screen.
package struct ScrubFrame: Hashable, Sendable {
  /// The size.
  package let size: ScrubSize
  /// The cells, row by row.
  package private(set) var cells: [ScrubCell]
  /// The cell of the terminal's cursor, which screen readers and input methods follow.
  package var caret: (column: Int, row: Int) {
    get { (caretColumn, caretRow) }
    set {
      caretColumn = min(max(newValue.column, 0), size.columns - 1)
      caretRow = min(max(newValue.row, 0), size.rows - 1)
    }
  }
  private var (caretColumn, caretRow) = (0, 0)

  /// A blank frame.
  init(_ size: ScrubSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// A cell.
  package subscript(column: Int, row: Int) -> ScrubCell { cells[row * size.columns + column] }

  /// The cells of the character that begins at a cell: those after it without text are its own.
  package func width(_ column: Int, _ row: Int) -> Int {
    let after = cells[row * size.columns + column..<(row + 1) * size.columns].dropFirst()
    return 1 + after.prefix { $0.text.isEmpty }.count
  }

  /// The text of a row, without blanks at its end.
  package func line(_ row: Int) -> String {
    var line = cells[row * size.columns..<(row + 1) * size.columns].map(\.text).joined()
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Puts a character on its cells. One that does not fit before `end` is replaced by blanks.
  mutating func put(
    _ shown: String, width: Int, at column: Int, _ row: Int, end: Int, _ look: ScrubLook
  ) {
    let end = min(end, size.columns)
    guard row >= 0, row < size.rows, column >= 0, column < end, width > 0 else { return }
    let fits = column + width <= end
    for index in 0..<min(width, end - column) {
      let text = fits ? index == 0 ? shown : "" : " "
      cells[row * size.columns + column + index] = ScrubCell(text: text, look: look)
    }
  }

  /// Writes text on a row, cut before `end`. Returns the column after it.
  @discardableResult
  mutating func write(
    _ text: String, at column: Int, _ row: Int, end: Int = .max, _ look: ScrubLook = .plain
  ) -> Int {
    var column = column
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      for character in text {
        guard column < min(end, size.columns) else { return column }
        put(String(character), width: 1, at: column, row, end: end, look)
        column += 1
      }
      return column
    }
    // Names and messages may have any character, so they are laid out as text is.
    let width = max(1, min(end, size.columns) - column)
    var layout = GridLayout(options: .screen(width: width))
    let state = TextState(showing: UTF16Text(text))
    for fragment in layout.rows(from: .first, count: 1, of: state).first?.fragments ?? [] {
      for cluster in fragment.clusters {
        write(cluster, at: column, row, end: end, look)
      }
      column += fragment.cells
    }
    return column
  }

  /// The number of cells that `write` takes for a text, up to the width of the frame.
  func cells(of text: String) -> Int {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      return min(text.utf8.count, size.columns)
    }
    var layout = GridLayout(options: .screen(width: size.columns))
    let rows = layout.rows(from: .first, count: 2, of: TextState(showing: UTF16Text(text)))
    // A longer text is broken between words, before the end of the row.
    guard rows.count == 1 else { return size.columns }
    return rows[0].fragments.reduce(0) { $0 + $1.cells }
  }

  /// Writes a cluster of a layout, whose row begins at `column`.
  mutating func write(
    _ cluster: PlacedCluster, at column: Int, _ row: Int, end: Int, _ look: ScrubLook
  ) {
    let (first, width) = (column + cluster.cells.lowerBound, cluster.cells.count)
    guard width > 0 else { return }
    let characters = Array(cluster.shown)
    if characters.count == width {
      // Blanks of a tab, or several letters of one cell each.
      for (index, character) in characters.enumerated() {
        put(String(character), width: 1, at: first + index, row, end: end, look)
      }
    } else if characters.count == 1 {
      put(cluster.shown, width: width, at: first, row, end: end, look)
    } else {
      // A mark before a wide character, for example.
      for index in 0..<width {
        let shown = index < characters.count ? String(characters[index]) : " "
        put(shown, width: 1, at: first + index, row, end: end, look)
      }
    }
  }

  /// Strikes cells through, by a combining stroke (U+0336): few terminals know the attribute.
  mutating func strike(_ columns: Range<Int>, _ row: Int) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      let index = row * size.columns + column
      if !cells[index].text.isEmpty { cells[index].text.unicodeScalars.append("\u{336}") }
    }
  }

  /// Changes the look of some cells of a row.
  mutating func restyle(_ columns: Range<Int>, _ row: Int, _ change: (inout ScrubLook) -> Void) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[row * size.columns + column].look)
    }
  }

  /// Fills a row with blanks.
  mutating func fill(_ row: Int, look: ScrubLook) {
    guard row >= 0, row < size.rows else { return }
    for column in 0..<size.columns {
      cells[row * size.columns + column] = ScrubCell(text: " ", look: look)
    }
  }
}

extension ScrubFrame {
  /// True if all cells and the caret are the same.
  package static func == (left: Self, right: Self) -> Bool {
    left.size == right.size && left.cells == right.cells && left.caret == right.caret
  }

  /// Feeds the cells to `hasher`.
  package func hash(into hasher: inout Hasher) { hasher.combine(cells) }
}
