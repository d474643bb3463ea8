extension Session {
  /// 1,000, 10,000, ... up to the largest document.
  var sizes: [Int] {
    Array(sequence(first: 1_000) { $0 * 10 <= self.largest ? $0 * 10 : nil })
  }
}

extension Figure {
  /// How the cost of an edit grows with the document.
  static let size = Figure(
    name: "size",
    summary: "typing in place, and edits of one unit at random places, against the document's size",
    isPlotted: true
  ) { session in
    for count in session.sizes {
      let units = Documents.lines(count, of: 40)
      let trace = "\(Numbers.grouped(count)) units"
      let typing = try raceOnWorkbench(units, TypingInPlace(length: count), session.effort)
      let random = try raceOnWorkbench(units, RandomEdits(length: count), session.effort)
      for (name, results) in [("typing", typing), ("random", random)] {
        try session.show(
          [ReportLine](
            "size/\(name)", trace, "ns/edit", results, baseline: CParagraphText.name))
      }
      session.plot(.edit, "typing in place", x: count, y: typing[0].median)
      session.plot(.edit, "C gap buffer, typing", isBaseline: true, x: count, y: typing[1].median)
      session.plot(.edit, "at random places", x: count, y: random[0].median)
      session.plot(.edit, "C gap buffer, random", isBaseline: true, x: count, y: random[1].median)
    }
  }
}
