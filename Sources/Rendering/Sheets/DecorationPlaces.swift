import EditModel
import Styling
import TextGrid

/// Finds the cells of decorations on the rows of one column.
struct DecorationPlaces {
  private let rows: [GridRow]
  private let (column, width): (Int, Int)
  /// The rows with text, by index, and the units of each. They ascend.
  private let lines: [(row: Int, units: UTF16Range)]

  init(rows: [GridRow], column: Int, width: Int) {
    (self.rows, self.column, self.width) = (rows, column, width)
    lines = rows.indices.compactMap { row in rows[row].units.map { (row, $0) } }
  }

  /// The decoration with its place: none if it has no row here. One of characters has one place for
  /// each fragment.
  ///
  /// - Parameters:
  ///   - styled: The decoration.
  ///   - padding: The blank rows of a paragraph that lie inside the decoration of its block.
  func placed(
    _ styled: StyledDecoration, padding: (Int) -> (before: Int, after: Int)
  ) -> [SheetDecoration] {
    let decoration = styled.decoration
    if decoration.granularity == .characterRuns { return placedCharacters(styled) }
    let range = decoration.range
    // A row is part of the range if it shares a unit. The empty row after the last terminator has none.
    let first = lines.partitionPoint { $0.units.upperBound <= range.location }
    let isGroup = decoration.granularity == .contiguousParagraphs
    let end = lines.partitionPoint { $0.units.location < range.upperBound }
    guard first < end else { return [] }
    var (top, bottom) = (lines[first].row, lines[end - 1].row + 1)
    bottom += rows[bottom...].prefix { $0.kind == .object }.count
    let beginsHere = lines[first].units.location <= range.location
    let firstRow = beginsHere ? rectangle(lines[first].row..<lines[first].row + 1) : nil
    if isGroup {
      if beginsHere {
        top -= min(blank(before: top), padding(rows[lines[first].row].paragraph).before)
      }
      if lines[end - 1].units.upperBound >= range.upperBound {
        bottom += min(blank(after: bottom), padding(rows[lines[end - 1].row].paragraph).after)
      } else {
        bottom = rows.count
      }
      if !beginsHere { top = 0 }
    } else if !beginsHere, rows[..<top].allSatisfy({ $0.kind == .object }) {
      top = 0
    }
    return [sheetDecoration(styled, rectangle(top..<bottom), firstRow)]
  }

  private func placedCharacters(_ styled: StyledDecoration) -> [SheetDecoration] {
    let range = styled.decoration.range
    let first = lines.partitionPoint { $0.units.upperBound <= range.location }
    var placed: [SheetDecoration] = []
    for (row, units) in lines[first...] {
      guard units.location < range.upperBound else { break }
      for fragment in rows[row].fragments where fragment.units.upperBound > range.location {
        guard fragment.units.location < range.upperBound else { break }
        let cells = fragment.cells(of: range)
        let cellsRectangle = CellRectangle(
          column: column + fragment.column + cells.lowerBound, row: row, columns: cells.count,
          rows: 1)
        placed.append(sheetDecoration(styled, cellsRectangle, rectangle(row..<row + 1)))
      }
    }
    return placed
  }

  private func sheetDecoration(
    _ styled: StyledDecoration, _ rectangle: CellRectangle, _ firstRow: CellRectangle?
  ) -> SheetDecoration {
    let decoration = styled.decoration
    return SheetDecoration(
      kind: decoration.kind, layer: decoration.layer, granularity: decoration.granularity,
      attribute: decoration.attribute, value: decoration.value, units: decoration.range,
      rectangle: rectangle, firstRow: firstRow, looks: styled.looks, sign: styled.sign,
      run: decoration.runRange, shape: decoration.shape)
  }

  private func rectangle(_ rows: Range<Int>) -> CellRectangle {
    CellRectangle(column: column, row: rows.lowerBound, columns: width, rows: rows.count)
  }

  private func blank(before row: Int) -> Int {
    rows[..<row].reversed().prefix { $0.kind == .blank }.count
  }

  private func blank(after row: Int) -> Int {
    rows[row...].prefix { $0.kind == .blank }.count
  }
}
