/// The size of a terminal in cells.
package struct ScrubSize: Hashable, Sendable {
  /// Columns, 1 to `columnsMax`.
  package let columns: Int
  /// Rows, 1 to `rowsMax`.
  package let rows: Int

  /// Columns and rows of a frame, at most. What a larger terminal has besides stays blank.
  package static let (columnsMax, rowsMax) = (1_000, 500)

  /// A size. Numbers outside of the limits are replaced by the nearest inside.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), Self.columnsMax)
    self.rows = min(max(rows, 1), Self.rowsMax)
  }

  /// True if there is room for the timeline and the lines of state and keys.
  var isRoomy: Bool { columns >= 60 && rows >= 12 }
  /// True if there is room for the pane of undo steps beside the text.
  var hasSteps: Bool { columns >= 120 && isRoomy }
  /// True if there is also room for the pane that describes the step.
  var hasDetails: Bool { columns >= 150 && isRoomy }
}
