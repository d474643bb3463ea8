import CBaselines
import EditModel
import Styling
import TextState

extension Figure {
  /// What it costs to style a large document as a whole.
  static let styling = Figure(
    name: "styling",
    summary:
      "all of 100 MB of UTF-16 of Swift source styled by the built-in grammar: time for each "
      + "unit, and the bytes that attributes add"
  ) { session in
    let count = session.isQuick ? 100_000 : 50_000_000
    let line = Array(
      """
      /// The start of row \u{201C}7\u{201D}.
      func start(of row: Int) -> String? {
        guard row < 1_024, let text = rows[row]?.text else { return nil }  // The rest is empty.
        return "\\(row): " + text
      }


      """.utf16)
    let units = (0..<count).map { line[$0 % line.count] }
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units)))
    let rules = try StyleRules("", grammar: "swift") { place, _ throws(RulesError) in
      throw RulesError(place, "there is no other file")
    }
    let text = state
    let whole = Contender("styling", samplesMax: 3) {
      Clock.time {
        let styled = StyledText(text, by: rules)
        precondition(styled.isExact)
      }
    }
    let lines = try race([whole], session.effort).map {
      ReportLine(
        $0.name, "\(Numbers.grouped(count)) units", $0.median / Double(count), "ns/unit",
        samples: $0.values.count)
    }
    try session.show(lines)
    guard Allocations.areCountable else { return }
    let (_, counts) = Allocations.count { StyledText(text, by: rules) }
    try session.show([
      ReportLine(
        "styling/bytes", "\(Numbers.grouped(count)) units", Double(counts.live) / Double(count),
        "bytes/unit"),
      ReportLine(
        "styling/allocations", "\(Numbers.grouped(count)) units",
        Double(counts.allocations) / Double(count), "allocs/unit"),
    ])
  }
}
