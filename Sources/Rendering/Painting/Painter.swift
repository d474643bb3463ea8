import EditModel
import Styling
import TextGrid

/// Turns a sheet into runs of cells: backgrounds, text, and what is drawn over it, from left to right.
struct Painter {
  /// What a bar is drawn with.
  static let bar = "▎"

  /// What runs are drawn on.
  enum Medium {
    /// Cells of characters: each has one background, and frames are characters.
    case cells
    /// A picture: fills and frames are shapes of their own.
    case shapes
  }

  let sheet: Sheet
  /// The fills of the sheet.
  let fills: [SheetFill]
  private let medium: Medium
  /// The fills, and the decorations of paragraphs, that touch each row, by index.
  private let (fillsOfRows, decorationsOfRows): ([[Int]], [[Int]])

  /// A painter.
  ///
  /// - Parameters:
  ///   - sheet: The sheet.
  ///   - medium: What its runs are drawn on.
  init(_ sheet: Sheet, on medium: Medium = .cells) {
    (self.sheet, self.medium, fills) = (sheet, medium, sheet.fills())
    fillsOfRows = Self.byRow(fills.map(\.rectangles), sheet.rows.indices)
    decorationsOfRows = Self.byRow(
      sheet.decorations.map { $0.granularity == .characterRuns ? [] : [$0.rectangle] },
      sheet.rows.indices)
  }

  /// What touches each row, by index. O(rows of all rectangles).
  private static func byRow(_ rectangles: [[CellRectangle]], _ rows: Range<Int>) -> [[Int]] {
    var found: [[Int]] = rows.map { _ in [] }
    for (index, rectangle) in rectangles.enumerated().flatMap({ item in
      item.element.map { (item.offset, $0) }
    }) {
      for row in (rectangle.row..<rectangle.row + rectangle.rows).clamped(to: rows)
      where found[row].last != index {
        found[row].append(index)
      }
    }
    return found
  }

  /// The fills that touch a row.
  func fills(inRow row: Int) -> [SheetFill] { fillsOfRows[row].map { fills[$0] } }

  /// The fills of characters around a run, by index, in the order in which they are drawn: those over the text last.
  func fills(around run: PaintedRun, inRow row: Int) -> [Int] {
    [false, true].flatMap { isOver in
      fillsOfRows[row].filter {
        let fill = fills[$0]
        return fill.isOfCharacters && fill.isSeen && fill.isOver == isOver
          && fill.covers(column: run.column, row: row)
      }
    }
  }

  /// The backgrounds under a run that is drawn on the fills around it.
  func ground(of run: PaintedRun, on around: [Int]) -> Looks {
    around.reduce(run.ground) { $0.covered(byBackgroundOf: fills[$1].looks) }
  }

  /// The runs of a row. They do not overlap. O(runs · decorations of the row).
  func runs(ofRow index: Int) -> [PaintedRun] {
    let row = sheet.rows[index]
    var runs = row.fragments.flatMap { self.runs(of: $0) } + frames(inRow: index)
    if let more = row.more {
      runs.append(
        PaintedRun(
          column: more.column, cells: more.cells, text: more.text,
          looks: Looks(TextAppearance(dim: true))))
    }
    for decoration in decorationsOfRows[index].map({ sheet.decorations[$0] }) {
      let decorated = Decorated(
        decoration: decoration, row: index, text: textColumn(of: decoration, inRow: index))
      let signs = Self.signs.output(for: decorated) ?? []
      // Never over text, nor over another sign.
      let taken = runs
      runs += signs.filter { sign in
        !taken.contains { $0.column < sign.end && sign.column < $0.end }
      }
    }
    runs.sort { $0.column < $1.column }
    let fills = fills(inRow: index)
    guard medium == .cells else {
      return runs.map { run in
        var run = run
        run.ground = Self.ground(of: fills, run.column, index, isOver: false)
        return run
      }
    }
    return filled(runs, fills, row: index)
  }

  /// The cell at which the text of a decorated row begins. A row without text counts as the nearest
  /// decorated row that has some; nil if none has.
  private func textColumn(of decoration: SheetDecoration, inRow index: Int) -> Int? {
    let bounds = decoration.rectangle.column..<decoration.rectangle.end
    func column(_ row: Int) -> Int? {
      sheet.rows[row].fragments.first { bounds.contains($0.column) }?.column
    }
    if let column = column(index) { return column }
    let first = max(0, decoration.rectangle.row)
    let end = min(sheet.rows.count, decoration.rectangle.row + decoration.rectangle.rows)
    guard first <= index, index < end else { return nil }
    return (first..<index).reversed().lazy.compactMap(column).first
      ?? (index + 1..<end).lazy.compactMap(column).first
  }

  /// All rows.
  func rows() -> [[PaintedRun]] { sheet.rows.indices.map { runs(ofRow: $0) } }

  private func runs(of fragment: SheetFragment) -> [PaintedRun] {
    var column = fragment.column
    return fragment.runs.filter { $0.cells > 0 }.compactMap { run in
      defer { column += run.cells }
      if run.isAttachment { return nil }
      return PaintedRun(
        column: column, cells: run.cells, text: run.text, looks: run.looks, link: run.link)
    }
  }

  /// The frames of attachments on a row.
  private func frames(inRow row: Int) -> [PaintedRun] {
    guard medium == .cells else { return [] }
    return sheet.attachments.filter { $0.rectangle.touches(row: row) }.map { attachment in
      PaintedRun(
        column: attachment.rectangle.column, cells: attachment.rectangle.columns,
        text: AttachmentFrame(attachment).text(ofRow: row),
        looks: Looks(TextAppearance(dim: true)))
    }
  }

  /// A decoration on a row that it touches.
  private struct Decorated: Sendable {
    let decoration: SheetDecoration
    let row: Int
    /// The cell at which the text of the row begins; nil if it has none.
    let text: Int?

    func isDrawn(_ drawn: BuiltInDecoration...) -> Bool {
      drawn.contains { $0.rawValue == decoration.kind }
    }

    func run(_ text: String, at column: Int, cells: Int = 1) -> PaintedRun {
      PaintedRun(
        column: decoration.rectangle.column + column, cells: cells, text: text,
        looks: decoration.looks.withoutBackground)
    }
  }

  /// What decorations draw over the cells of a row that have no text.
  private static let signs = RendererTable<[PaintedRun]>()
    .adding(Decorated.self, where: { item, _ in item.isDrawn(.bar) }) { item in
      // Rows that are too narrow for the indent have the bars that stand before their text.
      let indent = item.text.map { $0 - item.decoration.rectangle.column } ?? .max
      return (0..<item.decoration.value.drawnLevel).filter { 2 * $0 < indent }
        .map { place in
          var run = item.run(bar, at: 2 * place)
          run.bar = item.decoration.shape
          return run
        }
    }
    .adding(
      Decorated.self,
      where: { item, _ in
        item.isDrawn(.bullet, .number) && item.decoration.firstRow?.row == item.row
      },
      render: { item in
        guard let text = item.decoration.sign, let start = item.text else { return [] }
        let indent = start - item.decoration.rectangle.column
        let own = RuleStyles.signCells(text, isNumbered: item.isDrawn(.number))
        let column = max(0, indent - own)
        // A row may be too narrow for the space after the sign.
        let sign = ShownText.cut(text, cells: max(indent - 1, min(indent, 1)) - column)
        guard sign.cells > 0 else { return [] }
        return [item.run(sign.text, at: column, cells: sign.cells)]
      })

  /// The backgrounds of the fills at a cell.
  private static func ground(
    of fills: [SheetFill], _ column: Int, _ row: Int, isOver: Bool
  ) -> Looks {
    fills.filter { $0.isOver == isOver && $0.covers(column: column, row: row) }
      .reduce(Looks()) { $0.covered(byBackgroundOf: $1.looks) }
  }

  /// The runs with the backgrounds of fills, and runs of spaces between them where one shows.
  private func filled(_ runs: [PaintedRun], _ fills: [SheetFill], row: Int) -> [PaintedRun] {
    let fills = fills.filter { $0.looks.hasBackground }
    guard !fills.isEmpty else { return runs }
    let borders = Set(
      fills.flatMap(\.rectangles).filter { $0.touches(row: row) }.flatMap { [$0.column, $0.end] }
    ).sorted()
    var filled: [PaintedRun] = []
    var column = 0
    func fill(to end: Int) {
      while column < end {
        let next = borders.first { $0 > column && $0 < end } ?? end
        let looks = [false, true].reduce(Looks()) {
          $0.covered(byBackgroundOf: Self.ground(of: fills, column, row, isOver: $1))
        }
        if looks.hasBackground {
          filled.append(
            PaintedRun(
              column: column, cells: next - column,
              text: String(repeating: " ", count: next - column), looks: looks))
        }
        column = next
      }
    }
    for run in runs {
      fill(to: run.column)
      var run = run
      let behind = Self.ground(of: fills, run.column, row, isOver: false)
      run.looks = Looks(
        light: behind.light.covered(by: run.looks.light),
        dark: behind.dark.covered(by: run.looks.dark)
      ).covered(byBackgroundOf: Self.ground(of: fills, run.column, row, isOver: true))
      filled.append(run)
      column = max(column, run.end)
    }
    fill(to: max(column, borders.last ?? 0))
    return filled
  }
}

extension CellRectangle {
  /// The column after the last.
  var end: Int { column + columns }
}

extension Looks {
  var hasBackground: Bool { light.background != nil || dark.background != nil }

  /// The looks without their background.
  var withoutBackground: Looks {
    var looks = self
    (looks.light.background, looks.dark.background) = (nil, nil)
    return looks
  }

  /// The same with the background of `other`, if that has one.
  func covered(byBackgroundOf other: Looks) -> Looks {
    var looks = self
    looks.light.background = other.light.background ?? light.background
    looks.dark.background = other.dark.background ?? dark.background
    return looks
  }
}
