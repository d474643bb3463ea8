/// The shape of a page: its size, columns and holes.
public struct PageFormat: Hashable, Sendable {
  /// Columns on a page, at most.
  public static let columnsMax = 64

  /// Cells in a row of the page.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The regions that text fills, one after the other.
  public let containers: [GridContainer]

  /// A page with columns of equal width. What the division leaves over is free on the right.
  ///
  /// - Parameters:
  ///   - width: Cells in a row: 1 to `GridOptions.widthMax`.
  ///   - height: Rows: 1 to `GridContainer.heightMax`.
  ///   - columns: Columns: 1 to `columnsMax`, and not more than fit with one cell each.
  ///   - gap: Free cells between columns.
  ///   - holes: Rectangles of the page that stay free of text.
  public init(
    width: Int, height: Int, columns: Int = 1, gap: Int = 2, holes: [CellRectangle] = []
  ) {
    self.width = min(max(width, 1), GridOptions.widthMax)
    self.height = min(max(height, 1), GridContainer.heightMax)
    let gap = min(max(gap, 0), self.width)
    let columns = max(1, min(columns, Self.columnsMax, (self.width + gap) / (gap + 1)))
    let columnWidth = (self.width - gap * (columns - 1)) / columns
    let height = self.height
    containers = (0..<columns).map { index in
      let start = index * (columnWidth + gap)
      return GridContainer(
        column: start, width: columnWidth, height: height,
        holes: holes.prefix(GridContainer.holesMax).map { hole in
          // Before 0 as well: what lies left of the page must not wrap around.
          let (column, overflow) = hole.column.subtractingReportingOverflow(start)
          return CellRectangle(
            column: overflow ? .min : column, row: hole.row, columns: hole.columns, rows: hole.rows)
        })
    }
  }

  /// True if the holes leave some cell free, so that each page takes some text. O(rows · holes).
  public var hasRoom: Bool {
    containers.contains { container in
      (0..<container.height).contains { !container.slots(inRow: $0).isEmpty }
    }
  }
}
