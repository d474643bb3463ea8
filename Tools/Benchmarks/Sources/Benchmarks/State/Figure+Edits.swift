extension Figure {
  /// Whole histories, edit by edit.
  static let edits = Figure(
    name: "edits", summary: "every trace, edit by edit, into the final state"
  ) { session in
    for trace in session.traces {
      let edits = trace.edits
      try StateText.check(edits, gives: trace.finalUnits, on: trace.name)
      try StateActionsText.check(edits, gives: trace.finalUnits, on: trace.name)
      try CParagraphText.check(edits, gives: trace.finalUnits, on: trace.name)
      try CGapText.check(edits, gives: trace.finalUnits, on: trace.name)
      try SwiftGapText.check(edits, gives: trace.finalUnits, on: trace.name)
      try SwiftGapActionsText.check(edits, gives: trace.finalUnits, on: trace.name)
      let turn = session.isQuick ? 1 : edits.replaysInTurn
      let duel = try race(
        [StateText.replay(edits, turn: turn), CParagraphText.replay(edits, turn: turn)],
        session.effort)
      var others = [
        StateActionsText.replay(edits, turn: turn),
        CGapText.replay(edits, turn: turn), SwiftGapText.replay(edits, turn: turn),
        SwiftGapActionsText.replay(edits, turn: turn), ArrayText.replay(edits),
      ]
      // Its sample takes a second.
      if !session.isQuick { others.append(RopeText.replay(edits, samplesMax: 1)) }
      let results = duel + (try race(others, session.effort))
      let count = Double(edits.count)
      try session.show(
        [ReportLine](
          "edits", trace.name, "ns/edit", per: count, results, baseline: CParagraphText.name)
          + [ReportLine](
            "edits/first", trace.name, "ns/edit", per: count,
            duel.map(\.first).filter { !$0.values.isEmpty }, baseline: CParagraphText.name))
    }
  }
}
