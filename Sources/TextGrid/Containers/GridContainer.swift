/// A region that text flows into: rows and columns of cells, without the cells of its holes.
public struct GridContainer: Hashable, Sendable {
  /// Rows in a container, at most.
  public static let heightMax = 10_000
  /// Holes in a container, at most. More are left out.
  public static let holesMax = 256

  /// The column of its first cell on its page.
  public let column: Int
  /// Cells in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The holes, counted from the first cell of the container.
  public let holes: [CellRectangle]

  /// A container. Numbers that are too small or too large are replaced by the nearest that are not.
  ///
  /// - Parameters:
  ///   - column: The column of its first cell on its page.
  ///   - width: Cells in a row: 1 to `GridOptions.widthMax`.
  ///   - height: Rows: 1 to `heightMax`.
  ///   - holes: Rectangles that stay free of text, counted from the first cell of the container. They
  ///     may overlap, and reach over its edges.
  public init(column: Int = 0, width: Int, height: Int, holes: [CellRectangle] = []) {
    self.column = max(0, column)
    self.width = min(max(width, 1), GridOptions.widthMax)
    self.height = min(max(height, 1), Self.heightMax)
    self.holes = holes.prefix(Self.holesMax).filter { $0.columns > 0 && $0.rows > 0 }
  }

  /// The free cells of a row, from left to right, as ranges that neither touch nor are empty. O(holes
  /// log holes).
  public func slots(inRow row: Int) -> [Range<Int>] {
    var slots: [Range<Int>] = []
    var free = 0
    for hole in holes.filter({ $0.touches(row: row) }).sorted(by: { $0.column < $1.column }) {
      if hole.column > free { slots.append(free..<min(hole.column, width)) }
      let (end, overflow) = hole.column.addingReportingOverflow(hole.columns)
      free = max(free, overflow ? width : end)
      if free >= width { return slots }
    }
    return slots + [free..<width]
  }
}
