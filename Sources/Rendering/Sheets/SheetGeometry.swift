import EditModel
import Styling
import TextGrid

/// Where the rows and cells of a sheet are in a form that has sizes: larger rows are higher, and their text is wider.
/// Places are in percent of a row or a cell.
struct SheetGeometry {
  private let sheet: Sheet
  /// The size of the text of each row, in percent.
  let sizes: [Int]
  /// The place of each row, and of the end.
  private let tops: [Int]

  /// The places of a sheet. A paragraph is as large as its looks say, but no row of it wider than the sheet. If
  /// texts stand side by side, all have the usual size.
  init(_ sheet: Sheet) {
    self.sheet = sheet
    sizes = Self.sizes(of: sheet)
    tops = sizes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
  }

  private static func sizes(of sheet: Sheet) -> [Int] {
    let usual = sheet.rows.map { _ in 100 }
    guard sheet.rows.allSatisfy({ $0.fragments.count <= 1 }) else { return usual }
    var sizes: [Int: Int] = [:]
    for fragment in sheet.rows.compactMap(\.fragments.first) where fragment.cells > 0 {
      let wanted = fragment.runs.map { $0.isAttachment ? 100 : $0.looks.light.size ?? 100 }
      let fitting = (sheet.width - fragment.column) * 100 / fragment.cells
      let size = max(100, min(wanted.min() ?? 100, fitting) / 5 * 5)
      sizes[fragment.paragraph] = min(sizes[fragment.paragraph] ?? size, size)
    }
    guard sizes.contains(where: { $0.value > 100 }) else { return usual }
    return sheet.rows.map { row in row.fragments.first.flatMap { sizes[$0.paragraph] } ?? 100 }
  }

  /// The top of a row, or of the end.
  func top(ofRow row: Int) -> Int { tops[min(max(row, 0), tops.count - 1)] }

  /// The height of some rows.
  func height(ofRows rows: Range<Int>) -> Int {
    top(ofRow: rows.upperBound) - top(ofRow: rows.lowerBound)
  }

  /// The left edge of a cell of the text of a row.
  func left(ofColumn column: Int, inRow row: Int) -> Int {
    guard sizes.indices.contains(row), sizes[row] != 100,
      let fragment = sheet.rows[row].fragments.first, column > fragment.column
    else { return column * 100 }
    return fragment.column * 100 + (column - fragment.column) * sizes[row]
  }
}
