import EditLogCommands
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
      let turn = session.isQuick ? 1 : trace.edits.replaysInTurn
      let contenders = [
        Contender(StateText.name, turn: turn) {
          try timeOf(spans, endingWith: trace.finalUnits.count)
        },
        // The yardstick gets the edits one by one; what it makes of spans comes beside it.
        CParagraphText.replay(trace.edits, turn: turn),
        CParagraphText.replay(merged, as: "\(CParagraphText.name)-of-spans", turn: turn),
        CGapText.replay(merged, as: "\(CGapText.name)-of-spans", turn: turn),
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

private func timeOf(_ spans: [EditSpan], endingWith length: Int) throws -> Double {
  var state = TextState()
  let time = try Clock.time {
    try spans.withUnsafeBufferPointer { spans in
      for index in spans.indices { try state.apply(spans[index]) }
    }
  }
  guard state.length == length else {
    throw CommandError.internalError("the spans leave \(state.length) units, not \(length)")
  }
  return time
}
