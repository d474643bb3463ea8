import EditModel
import Styling
public import TextGrid

/// A decoration that a function of a program draws in HTML or SVG, because the renderer does not know its kind.
public struct DecorationDrawing: Sendable {
  /// The decoration: its value, the range of its attribute (`run`) and what that was expanded to (`units`).
  public let decoration: SheetDecoration
  /// The part of its rectangle that is on the sheet.
  public let rectangle: DrawnRectangle
  /// The first row of its range, as wide as its column; nil if that row is not on the sheet.
  public let firstRow: DrawnRectangle?
  /// The cells of the decorated characters, from top to bottom, without those in rows with right-to-left text, whose
  /// layout the browser decides.
  public let cells: [DrawnRectangle]
  /// The class with the colour of the decoration's characters: `color` in HTML, `fill` in SVG. Nil if it has none.
  public let inkClass: String?
  /// The class with the colour behind them: `background` in HTML, `fill` in SVG. Nil if it has none.
  public let groundClass: String?

  /// Text as content or as the value of an attribute of markup.
  public static func escaped(_ text: String) -> String { Markup.escaped(text) }
}

/// Makes the markup of a decoration: elements of HTML or SVG, well formed, and without what the content security
/// policy of the file forbids. The markup of the background layer is drawn before the text, that of the text layer
/// after it.
public typealias DecorationDrawer = @Sendable (DecorationDrawing) -> String

/// Cells as a place in a form with sizes.
public struct DrawnRectangle: Hashable, Sendable {
  /// The cells.
  public let cells: CellRectangle
  /// Its left edge and its width: in SVG in pixels, in HTML in the unit `ch`.
  public let left, width: Double
  /// Its upper edge and its height: in SVG in pixels, in HTML in the unit `em`.
  public let top, height: Double
  /// The place in markup: in SVG the attributes `x`, `y`, `width` and `height`, in HTML the declarations of CSS
  /// `left`, `top`, `width` and `height`, which count from the first cell.
  public let markup: String
}

/// The functions that draw decorations, by kind. The bytes of a kind decide.
struct DecorationDrawers: Sendable {
  private let drawers: [ExactString: DecorationDrawer]

  init(_ drawers: [String: DecorationDrawer]) {
    self.drawers = Dictionary(uniqueKeysWithValues: drawers.map { (ExactString($0), $1) })
  }

  subscript(kind: String) -> DecorationDrawer? { drawers[ExactString(kind)] }
}

extension SheetDecoration {
  /// The drawing of a decoration whose kind is not built in; nil for others, if no function draws it, and for one of
  /// characters whose cells are not known.
  ///
  /// - Parameters:
  ///   - drawers: The functions by kind.
  ///   - sheet: The sheet.
  ///   - directions: The directions of its fragments.
  ///   - classes: The looks of the file.
  ///   - isSVG: True in SVG, which has one class for the text of a look and one for its background.
  ///   - place: The place of cells. The second argument is true for cells of characters.
  func drawing(
    by drawers: DecorationDrawers, on sheet: Sheet, _ directions: TextDirections,
    _ classes: inout LookClasses, isSVG: Bool, place: (CellRectangle, Bool) -> DrawnRectangle
  ) -> String? {
    guard BuiltInDecoration(rawValue: kind) == nil, let drawer = drawers[kind] else { return nil }
    let cells = directions.known(sheet.textCells(of: self), on: sheet)
    guard granularity != .characterRuns || !cells.isEmpty else { return nil }
    var ground = Looks()
    ground.light.background = looks.light.background
    ground.dark.background = looks.dark.background
    return drawer(
      DecorationDrawing(
        decoration: self, rectangle: place(rectangle, granularity == .characterRuns),
        firstRow: firstRow.map { place($0, false) },
        cells: cells.map { place($0, true) },
        inkClass: classes.name(of: looks.withoutBackground),
        groundClass: classes.name(of: ground).map { isSVG ? "b" + $0.dropFirst() : $0 }))
  }
}
