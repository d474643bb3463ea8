/// A rectangle of cells.
public struct CellRectangle: Hashable, Sendable {
  /// The first column, counted from 0.
  public var column: Int
  /// The first row, counted from 0.
  public var row: Int
  /// Columns in it.
  public var columns: Int
  /// Rows in it.
  public var rows: Int

  /// A rectangle. Without columns or rows it has no cells.
  public init(column: Int, row: Int, columns: Int, rows: Int) {
    (self.column, self.row, self.columns, self.rows) = (column, row, columns, rows)
  }

  /// True if the rectangle has a cell of the row.
  public func touches(row: Int) -> Bool {
    let (distance, overflow) = row.subtractingReportingOverflow(self.row)
    return !overflow && distance >= 0 && distance < rows
  }
}
