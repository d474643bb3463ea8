extension Figure {
  /// Whole histories, edit by edit.
  static let edits = Figure(
    name: "edits", summary: "every trace, edit by edit, into the final state"
  ) { session in
    for trace in session.traces {
      let edits = trace.edits
      try StateText.check(edits, gives: trace.finalUnits, on: trace.name)
      try CParagraphText.check(edits, gives: trace.finalUnits, on: trace.name)
      try CGapText.check(edits, gives: trace.finalUnits, on: trace.name)
      try SwiftGapText.check(edits, gives: trace.finalUnits, on: trace.name)
      var contenders = [
        StateText.replay(edits), CParagraphText.replay(edits), CGapText.replay(edits),
        SwiftGapText.replay(edits), ArrayText.replay(edits),
      ]
      // Its sample takes a second.
      if !session.isQuick { contenders.append(RopeText.replay(edits, samplesMax: 1)) }
      try session.show(
        [Measurement](
          "edits", trace.name, "ns/edit", per: Double(edits.count),
          race(contenders, session.effort), baseline: CParagraphText.name))
    }
  }
}
