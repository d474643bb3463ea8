import EditModel
import Styling
import TextGrid

/// Cells of a sheet that a decoration colours or frames, apart from the looks of the text.
struct SheetFill {
  let decoration: SheetDecoration
  /// The cells. They do not touch a hole.
  let rectangles: [CellRectangle]
  /// True if the rectangles are cells of characters, which move with the size of their row.
  let isOfCharacters: Bool

  var looks: Looks { decoration.looks }
  var isOver: Bool { decoration.layer == .text }
  /// False if there is neither a colour nor a border to draw.
  var isSeen: Bool { looks.hasBackground || decoration.shape.border != nil }
  /// Whether a rectangle has a margin at its left and its right side: a block of paragraphs has one, so that its
  /// text does not touch the edge. There is none beside a hole.
  func margins(of rectangle: CellRectangle) -> (left: Bool, right: Bool) {
    guard !isOfCharacters, decoration.kind == BuiltInDecoration.block.rawValue else {
      return (false, false)
    }
    return (
      rectangle.column == decoration.rectangle.column, rectangle.end == decoration.rectangle.end
    )
  }

  /// True if some rectangle has this cell.
  func covers(column: Int, row: Int) -> Bool {
    rectangles.contains {
      $0.touches(row: row) && column >= $0.column && column < $0.column + $0.columns
    }
  }

  /// True for a decoration that is a fill of its own: one of paragraphs, one over the text, and one with a shape.
  /// Others colour the cells of their characters, as a look of the text.
  static func isOfItsOwn(
    _ kind: String, _ layer: DecorationLayer, _ granularity: DecorationGranularity,
    _ shape: DecorationShape
  ) -> Bool {
    guard BuiltInDecoration(rawValue: kind)?.isFilled == true else { return false }
    return granularity != .characterRuns || layer == .text || !shape.isPlain
  }
}

extension Sheet {
  /// The fills of the decorations, in the order in which they are drawn. O(decorations · their rows).
  func fills() -> [SheetFill] {
    decorations.compactMap { decoration in
      guard
        SheetFill.isOfItsOwn(
          decoration.kind, decoration.layer, decoration.granularity, decoration.shape)
      else { return nil }
      if decoration.granularity == .characterRuns {
        return SheetFill(
          decoration: decoration, rectangles: [decoration.rectangle], isOfCharacters: true)
      }
      let isOfText = decoration.kind == BuiltInDecoration.highlight.rawValue
      return SheetFill(
        decoration: decoration,
        rectangles: isOfText ? textCells(of: decoration) : free(decoration.rectangle),
        isOfCharacters: isOfText)
    }
  }

  /// The cells of the decorated characters, one rectangle for each fragment that has some.
  func textCells(of decoration: SheetDecoration) -> [CellRectangle] {
    if decoration.granularity == .characterRuns { return [decoration.rectangle] }
    let rectangle = decoration.rectangle
    let rows = (rectangle.row..<rectangle.row + rectangle.rows).clamped(to: rows.indices)
    let columns = rectangle.column..<rectangle.column + rectangle.columns
    return rows.flatMap { row in
      self.rows[row].fragments.compactMap { fragment in
        guard columns.contains(fragment.column), fragment.cells > 0,
          fragment.units.location < decoration.units.upperBound,
          fragment.units.upperBound > decoration.units.location
        else { return nil }
        return CellRectangle(
          column: fragment.column, row: row, columns: fragment.cells, rows: 1)
      }
    }
  }

  /// A rectangle without the holes, in pieces from top to bottom.
  func free(_ rectangle: CellRectangle) -> [CellRectangle] {
    guard !holes.isEmpty else { return [rectangle] }
    let (first, end) = (rectangle.column, rectangle.column + rectangle.columns)
    let container = GridContainer(width: end, height: rows.count, holes: holes)
    var pieces: [CellRectangle] = []
    var above: [Range<Int>] = []
    for row in (rectangle.row..<rectangle.row + rectangle.rows).clamped(to: rows.indices) {
      let slots = container.slots(inRow: row).map { $0.clamped(to: first..<end) }
        .filter { !$0.isEmpty }
      if slots == above {
        for index in pieces.indices.suffix(slots.count) { pieces[index].rows += 1 }
      } else {
        pieces += slots.map {
          CellRectangle(column: $0.lowerBound, row: row, columns: $0.count, rows: 1)
        }
        above = slots
      }
    }
    return pieces
  }
}
