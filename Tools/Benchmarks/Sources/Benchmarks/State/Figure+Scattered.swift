extension Figure {
  /// Edits all over large documents.
  static let random = Figure(
    name: "random",
    summary: "edits of one unit at random places in documents of 50 million units (100 MB of "
      + "UTF-16): in lines, in one paragraph; and in ten million paragraphs of a letter and an LF"
  ) { session in
    guard let trace = session.traces.first else { return }
    let scale = session.isQuick ? 1_000 : 1
    let text = trace.text(of: 50_000_000 / scale)
    func show(_ name: String, _ units: [UInt16]) throws {
      let results = try raceOnWorkbench(units, RandomEdits(length: units.count), session.effort)
      try session.show(
        [ReportLine]("random", name, "ns/edit", results, baseline: CParagraphText.name))
    }
    try show("lines \(Numbers.grouped(text.count)) units", text)
    try show("1 paragraph \(Numbers.grouped(text.count)) units", Documents.joined(text))
    let count = 10_000_000 / scale
    try show("\(Numbers.grouped(count)) paragraphs", Documents.lines(count * 2, of: 2))
  }

  /// Many writers in one document.
  static let cursors = Figure(
    name: "cursors", summary: "64 cursors that type a letter each, in 1 M and 10 M units"
  ) { session in
    guard let trace = session.traces.first else { return }
    for count in session.isQuick ? [100_000] : [1_000_000, 10_000_000] {
      let units = trace.text(of: count)
      let results = try raceOnWorkbench(
        units, CursorEdits(cursors: 64, length: units.count), session.effort)
      try session.show(
        [ReportLine](
          "cursors", "\(Numbers.grouped(count)) units", "ns/edit", results,
          baseline: CParagraphText.name))
    }
  }
}
