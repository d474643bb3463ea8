extension Figure {
  /// One insertion of much text.
  static let load = Figure(
    name: "load", summary: "a state from one insertion of 10 MB and of 100 MB of UTF-16"
  ) { session in
    for trace in session.traces {
      for megabytes in session.isQuick ? [1] : [10, 100] {
        let units = trace.text(of: megabytes * 500_000)
        let batch = EditBatch.load(units)
        try session.show(
          [ReportLine](
            "load", "\(trace.name) \(megabytes) MB", "ns/unit", per: Double(units.count),
            race([StateText.replay(batch), CParagraphText.replay(batch)], session.effort),
            baseline: CParagraphText.name))
      }
    }
  }
}
