import EditLogCommands
import EditModel
import Rendering
import Styling
import TestSupport
import TextGrid
import TextState

extension Figure {
  /// What a screenful costs in a large document.
  static let render = Figure(
    name: "render",
    summary: "50 rows of 80 cells at random places of 100 MB of UTF-16, in lines, in lines with a "
      + "grammar whose states are known, and in one paragraph"
  ) { session in
    let count = session.isQuick ? 1_000_000 : 50_000_000
    let lines = Documents.lines(count, of: 120)
    let texts = [
      ("lines", lines, nil), ("grammar", lines, "swift"),
      ("paragraph", Documents.joined(lines), nil),
    ]
    for (name, units, grammar) in texts {
      var state = TextState()
      try state.apply(
        EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units)))
      let rules = try StyleRules("", grammar: grammar) { place, _ throws(RulesError) in
        throw RulesError(place, "there is no other file")
      }
      var (places, work) = (SyntaxPlaces(), LayoutWork())
      // What a first look at the end of the text finds stays known.
      if grammar != nil { _ = screenful(of: state, at: count - 1, rules, &places, &work) }
      var random = SplitMix64(seed: 3)
      let screen = Contender("render/\(name)") {
        let offset = Int.random(in: 0..<count, using: &random)
        return Clock.time {
          let sheet = screenful(of: state, at: offset, rules, &places, &work)
          precondition(sheet.rows.count <= 50)
        }
      }
      let results = try race([screen], session.effort)
      try session.show(
        results.map {
          ReportLine(
            $0.name, "\(Numbers.grouped(count)) units", $0.median / 1e3, "us",
            samples: $0.values.count)
        } + [
          ReportLine(
            "render/\(name)/units", "\(Numbers.grouped(count)) units", Double(work.units), "units")
        ])
    }
  }

  /// What the daemon does for `editlog/render`, without writing the answer. `work` is the work of the
  /// last call.
  private static func screenful(
    of state: TextState, at offset: Int, _ rules: StyleRules, _ places: inout SyntaxPlaces,
    _ work: inout LayoutWork
  ) -> Sheet {
    let first = state.paragraphIndex(at: offset)
    let paragraphs = max(0, first - 1)..<min(state.paragraphCount, first + 51)
    let text = StyledText(
      state, paragraphs: paragraphs, by: rules, &places, lengthBeforeMax: .max
    ) { false }
    guard let text else { return Sheet(width: 80, rows: []) }
    let styles = RuleStyles(text, rules)
    var layout = GridLayout(options: GridOptions(width: 80))
    let place = layout.place(of: offset, in: state, styles)
    let rows = layout.rows(from: place, count: 50, of: state, styles)
    _ = layout.rowNumber(of: place, in: state, styles)
    work = layout.work
    return SheetBuilder(styles).sheet(rows, width: 80)
  }
}
