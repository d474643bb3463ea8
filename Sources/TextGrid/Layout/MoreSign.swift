/// The sign after a text that was cut to a number of rows.
public struct MoreSign: Hashable, Sendable {
  /// The cell at which it begins, counted from the first of the row.
  public let column: Int
  /// What is shown.
  public let text: String
  /// Cells that it takes.
  public let cells: Int
}
