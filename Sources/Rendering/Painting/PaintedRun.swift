import Styling

/// A stretch of cells that a renderer draws as one.
public struct PaintedRun: Hashable, Sendable {
  /// The first cell, counted from the first of the row.
  public var column: Int
  /// Cells that it takes.
  public var cells: Int
  /// What is shown: spaces if only the background is drawn.
  public var text: String
  /// What it looks like.
  public var looks: Looks
  /// The address that it leads to.
  public var link: String?
  /// The backgrounds of the decorations under it. Its own background is in `looks`.
  var ground = Looks()
  /// The shape of a bar of a quote; nil for other runs.
  var bar: DecorationShape?

  /// A run.
  ///
  /// - Parameters:
  ///   - column: The first cell.
  ///   - cells: Cells that it takes.
  ///   - text: What is shown.
  ///   - looks: What it looks like.
  ///   - link: The address that it leads to.
  public init(column: Int, cells: Int, text: String, looks: Looks, link: String? = nil) {
    (self.column, self.cells, self.text, self.looks) = (column, cells, text, looks)
    self.link = link
  }

  /// True if it is a bar of a quote.
  var isBar: Bool { bar != nil }
  /// The cell after the last.
  public var end: Int { column + cells }
  /// True if it has no character that is seen.
  public var isSpace: Bool { text.utf8.allSatisfy { $0 == 0x20 } }
}
