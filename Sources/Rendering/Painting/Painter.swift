import EditModel
import Styling
import TextGrid

/// Turns a sheet into runs of cells: backgrounds, text, and what is drawn over it, from left to right.
struct Painter {
  /// What a bar is drawn with.
  static let bar = "▎"

  private let sheet: Sheet

  private let drawsFrames: Bool

  /// A painter.
  ///
  /// - Parameters:
  ///   - sheet: The sheet.
  ///   - drawsFrames: True if the frames of attachments are drawn with characters. Else their cells
  ///     stay free.
  init(_ sheet: Sheet, drawsFrames: Bool = true) {
    (self.sheet, self.drawsFrames) = (sheet, drawsFrames)
  }

  /// The runs of a row. They do not overlap. O(runs · decorations of the row).
  func runs(ofRow index: Int) -> [PaintedRun] {
    let row = sheet.rows[index]
    let here = sheet.decorations.filter {
      $0.granularity != .characterRuns && index >= $0.rectangle.row
        && index < $0.rectangle.row + $0.rectangle.rows
    }
    var runs = row.fragments.flatMap { self.runs(of: $0) } + frames(inRow: index)
    if let more = row.more {
      runs.append(
        PaintedRun(
          column: more.column, cells: more.cells, text: more.text,
          looks: Looks(TextAppearance(dim: true))))
    }
    for decoration in here {
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
    let backgrounds = here.filter { $0.layer == .background }
    return filled(runs, backgrounds)
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
    guard drawsFrames else { return [] }
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
        .map { item.run(bar, at: 2 * $0) }
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

  /// The runs, with runs of spaces between them where a background shows.
  private func filled(_ runs: [PaintedRun], _ backgrounds: [SheetDecoration]) -> [PaintedRun] {
    guard backgrounds.contains(where: { $0.looks.hasBackground }) else { return runs }
    var filled: [PaintedRun] = []
    var column = 0
    func fill(to end: Int) {
      while column < end {
        let covering = backgrounds.filter { $0.covers(column) }
        let borders = backgrounds.flatMap { [$0.rectangle.column, $0.rectangle.end] }
        let next = borders.filter { $0 > column && $0 < end }.min() ?? end
        let looks = covering.reduce(Looks()) { $0.covered(byBackgroundOf: $1.looks) }
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
      let behind = backgrounds.filter { $0.covers(run.column) }
        .reduce(Looks()) { $0.covered(byBackgroundOf: $1.looks) }
      run.looks = Looks(
        light: behind.light.covered(by: run.looks.light),
        dark: behind.dark.covered(by: run.looks.dark))
      filled.append(run)
      column = max(column, run.end)
    }
    fill(to: max(column, backgrounds.map(\.rectangle.end).max() ?? 0))
    let blocks = backgrounds.filter {
      $0.kind == BuiltInDecoration.block.rawValue && $0.looks.hasBackground
    }
    for index in filled.indices {
      filled[index].beginsBlock = blocks.contains { $0.rectangle.column == filled[index].column }
      filled[index].endsBlock = blocks.contains { $0.rectangle.end == filled[index].end }
    }
    return filled
  }
}

extension SheetDecoration {
  fileprivate func covers(_ column: Int) -> Bool {
    column >= rectangle.column && column < rectangle.end
  }
}

extension CellRectangle {
  fileprivate var end: Int { column + columns }
}

extension Looks {
  fileprivate var hasBackground: Bool { light.background != nil || dark.background != nil }

  fileprivate var withoutBackground: Looks {
    var looks = self
    (looks.light.background, looks.dark.background) = (nil, nil)
    return looks
  }

  fileprivate func covered(byBackgroundOf other: Looks) -> Looks {
    var looks = self
    looks.light.background = other.light.background ?? light.background
    looks.dark.background = other.dark.background ?? dark.background
    return looks
  }
}
