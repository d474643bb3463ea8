public import EditModel

/// The part of an attachment that lies on one row.
public struct PlacedObject: Hashable, Sendable {
  /// The character U+FFFC, with marks after it, in UTF-16 units of the text.
  public let units: UTF16Range
  /// The first cell, counted from the first of the container's row.
  public let column: Int
  /// Cells that it takes.
  public let columns: Int
  /// Rows that it takes in the layout.
  public let rows: Int
  /// Which of its rows this is, counted from 0.
  public let row: Int

  /// The same attachment on the row `count` rows below; nil if it does not reach there.
  func below(_ count: Int) -> PlacedObject? {
    guard row + count < rows else { return nil }
    return PlacedObject(
      units: units, column: column, columns: columns, rows: rows, row: row + count)
  }
}
