/// An event of the mouse, with its cell counted from 0 at the upper left corner.
package struct ScrubMouse: Hashable, Sendable {
  /// The kinds of events.
  package enum Kind: Hashable, Sendable {
    case press, drag, wheelUp, wheelDown
  }

  /// What happened.
  package var kind: Kind
  /// The column.
  package var column: Int
  /// The row.
  package var row: Int

  /// An event.
  package init(_ kind: Kind, column: Int, row: Int) {
    (self.kind, self.column, self.row) = (kind, column, row)
  }
}
