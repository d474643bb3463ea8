import EditModel
import TextState

extension Figure {
  /// Whole histories, span by span.
  static let spans = Figure(
    name: "spans", summary: "every trace, span by span (runs of typing, of backspace, of delete)"
  ) { session in
    for trace in session.traces {
      let spans = trace.edits.spans
      let merged = EditBatch(spans)
      try CParagraphText.check(merged, gives: trace.finalUnits, on: trace.name)
      let prepared = spans.map(StateSpan.init)
      let turn = session.isQuick ? 1 : trace.edits.replaysInTurn
      let contenders = [
        Contender(StateText.name, turn: turn) {
          try timeOf(prepared, endingWith: trace.finalUnits.count)
        },
        CParagraphText.replay(merged, turn: turn), CGapText.replay(merged, turn: turn),
      ]
      let count = Double(trace.edits.count)
      let results = try race(contenders, session.effort)
      try session.show(
        [ReportLine](
          "spans", trace.name, "ns/edit", per: count, results, baseline: CParagraphText.name)
          + [ReportLine("spans/edits-per-span", trace.name, count / Double(spans.count), "edits")])
    }
  }
}

/// A span as the state takes it.
private struct StateSpan {
  let action: EditAction

  init(_ span: TraceSpan) {
    action = EditAction(
      replacing: UTF16Range(span.location..<span.location + span.removed),
      with: UTF16Text(units: span.inserted))
  }

  /// The one edit that does what the span's edits do together.
  func apply(to state: inout TextState) throws { try state.apply(action) }
}

private func timeOf(_ spans: [StateSpan], endingWith length: Int) throws -> Double {
  var state = TextState()
  let time = try Clock.time { for span in spans { try span.apply(to: &state) } }
  guard state.length == length else {
    throw CommandError.internalError("the spans leave \(state.length) units, not \(length)")
  }
  return time
}
