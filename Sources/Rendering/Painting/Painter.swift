import EditModel
import Styling
import TextGrid

/// Turns a sheet into runs of cells: backgrounds, text, and what is drawn over it, from left to right.
struct Painter {
  /// What a bar is drawn with.
  static let bar = "▎"

  private let sheet: Sheet

  init(_ sheet: Sheet) { self.sheet = sheet }

  /// The runs of a row. They do not overlap. O(runs · decorations of the row).
  func runs(ofRow index: Int) -> [PaintedRun] {
    let row = sheet.rows[index]
    let here = sheet.decorations.filter {
      $0.granularity != .characterRuns && index >= $0.rectangle.row
        && index < $0.rectangle.row + $0.rectangle.rows
    }
    var runs = row.fragments.flatMap { self.runs(of: $0) }
    if let more = row.more {
      runs.append(
        PaintedRun(
          column: more.column, cells: more.cells, text: more.text,
          looks: Looks(TextAppearance(dim: true))))
    }
    let taken = runs
    for decoration in here {
      runs += signs(of: decoration, inRow: index).filter { sign in
        // Never over text.
        !taken.contains { $0.column < sign.end && sign.column < $0.end }
      }
    }
    runs.sort { $0.column < $1.column }
    let backgrounds = here.filter { $0.layer == .background }
    return filled(runs, backgrounds)
  }

  /// All rows.
  func rows() -> [[PaintedRun]] { sheet.rows.indices.map { runs(ofRow: $0) } }

  private func runs(of fragment: SheetFragment) -> [PaintedRun] {
    var column = fragment.column
    return fragment.runs.filter { $0.cells > 0 }.map { run in
      defer { column += run.cells }
      return PaintedRun(
        column: column, cells: run.cells, text: run.text, looks: run.looks, link: run.link)
    }
  }

  /// What a decoration draws over the cells of a row that have no text.
  private func signs(of decoration: SheetDecoration, inRow row: Int) -> [PaintedRun] {
    let looks = decoration.looks
    func sign(_ text: String, _ column: Int) -> PaintedRun {
      PaintedRun(column: column, cells: 1, text: text, looks: looks.withoutBackground)
    }
    switch decoration.kind {
    case BuiltInDecoration.bar.rawValue:
      return (0..<decoration.level).map {
        sign(Self.bar, decoration.rectangle.column + 2 * $0)
      }
    case BuiltInDecoration.bullet.rawValue:
      guard decoration.firstRow?.row == row else { return [] }
      return [sign("•", decoration.rectangle.column + 2 * (decoration.level - 1))]
    default: return []
    }
  }

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
    return filled
  }
}

extension SheetDecoration {
  /// The levels, if the value is an integer, else 1.
  var level: Int {
    if case .integer(let level) = value {
      Int(min(max(level, 1), Int64(RuleStyles.levelMax)))
    } else {
      1
    }
  }

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
