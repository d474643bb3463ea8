import EditModel
import TextGrid

/// The directions of the fragments of a sheet that have right-to-left text: a program that shows text orders their
/// letters (UAX 9), so the cells of their runs are not known.
struct TextDirections {
  enum Direction: String {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"
  }

  /// The direction of each paragraph, that of its first letter on the sheet.
  private var directions: [Int: Direction] = [:]

  /// The columns at which fragments begin that are not in cells, by row.
  private var ordered: [Set<Int>] = []

  /// The directions of a sheet. O(text).
  init(_ sheet: Sheet) {
    for fragment in sheet.rows.flatMap(\.fragments) where directions[fragment.paragraph] == nil {
      directions[fragment.paragraph] = Self.first(in: fragment)
    }
    ordered = sheet.rows.map { row in
      Set(row.fragments.filter { direction(of: $0) != nil }.map(\.column))
    }
  }

  /// The cells of characters without those of fragments that are not in cells.
  func known(_ cells: [CellRectangle], on sheet: Sheet) -> [CellRectangle] {
    cells.filter { cells in
      guard ordered.indices.contains(cells.row), !ordered[cells.row].isEmpty else { return true }
      let fragment = sheet.rows[cells.row].fragments.last { $0.column <= cells.column }
      return fragment.map { !ordered[cells.row].contains($0.column) } ?? true
    }
  }

  /// The direction of the paragraph of a fragment; nil if the fragment is in cells: it has no right-to-left
  /// letter, nor has it a place in a right-to-left paragraph.
  func direction(of fragment: SheetFragment) -> Direction? {
    let direction = directions[fragment.paragraph] ?? .leftToRight
    guard direction == .leftToRight else { return direction }
    let hasOther = fragment.runs.contains { run in
      run.text.utf8.contains { $0 >= 0xD6 } && run.text.unicodeScalars.contains(where: Self.isOther)
    }
    return hasOther ? direction : nil
  }

  /// True if the first letter of the fragment has the direction of its paragraph.
  func isNatural(_ fragment: SheetFragment) -> Bool {
    (Self.first(in: fragment) ?? .leftToRight) == directions[fragment.paragraph] ?? .leftToRight
  }

  private static func first(in fragment: SheetFragment) -> Direction? {
    for scalar in fragment.runs.lazy.flatMap(\.text.unicodeScalars) {
      if isOther(scalar) { return .rightToLeft }
      if scalar.properties.isAlphabetic { return .leftToRight }
    }
    return nil
  }

  /// True for a right-to-left letter: the blocks of Unicode that are kept for their scripts.
  private static func isOther(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x1_0800...0x1_0FFF,
      0x1_E800...0x1_EFFF:
      scalar.properties.isAlphabetic
    default: false
    }
  }
}
