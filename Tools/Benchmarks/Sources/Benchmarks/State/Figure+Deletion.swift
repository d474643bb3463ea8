import CBaselines
import EditLogCommands
import EditModel
import Projections
import TextState

extension Figure {
  /// One large deletion.
  static let deletion = Figure(
    name: "deletion",
    summary: "delete all but the first and the last of up to 128,000 paragraphs of 40 units",
    isPlotted: true
  ) { session in
    for count in session.isQuick ? [1_000, 4_000] : [1_000, 4_000, 16_000, 64_000, 128_000] {
      let deletion = Deletion(paragraphs: count)
      // The yardstick is quadratic: a sample of the largest takes seconds.
      let results = try race(
        [
          Contender(StateText.name) { try deletion.time() },
          Contender(Deletion.linearName, samplesMax: count > 64_000 ? 1 : 3) {
            try deletion.linearTime()
          },
          Contender("text-state-with-events") { try deletion.timeWithEvents() },
          Contender(CParagraphText.name) { deletion.time(of: CParagraphText()) },
        ], session.effort)
      try session.show(
        [ReportLine](
          "deletion", "\(Numbers.grouped(count)) paragraphs", "µs", per: 1_000, results,
          baseline: Deletion.linearName))
      session.plot(.deletion, "TextState", x: count, y: results[0].median)
      session.plot(.deletion, "linear algorithm", isBaseline: true, x: count, y: results[1].median)
      session.plot(.deletion, "TextState, all events read", x: count, y: results[2].median)
    }
  }
}

/// A document, and the deletion of all its paragraphs but two.
private struct Deletion {
  static let linearName = "linear-paragraphs"
  private static let length = 40

  private let units: [UInt16]
  private let cut: EditBatch

  init(paragraphs count: Int) {
    units = Documents.paragraphs(count, of: Self.length)
    var cut = EditBatch()
    cut.append(at: Self.length, removing: (count - 2) * Self.length, inserting: [])
    self.cut = cut
  }

  /// Of `apply`, on a state that shares nothing. What the change holds is freed later.
  func time() throws -> Double {
    var text = StateText()
    try text.apply(.load(units))
    var change: Change?
    let time = try Clock.time { change = try text.state.apply(cut.actions[0]) }
    return withExtendedLifetime(change) { time }
  }

  /// Of `apply`, of reading what became of every paragraph, and of freeing it all.
  func timeWithEvents() throws -> Double {
    var text = StateText()
    try text.apply(.load(units))
    var count = 0
    let time = try Clock.time {
      let change = try text.state.apply(cut.actions[0])
      for event in change.paragraphEvents {
        if case .removed = event { count += 1 }
      }
    }
    guard count == cut.actions[0].range.length / Self.length else {
      throw CommandError.internalError("\(count) paragraphs were told to be removed")
    }
    return time
  }

  func time(of text: CParagraphText) -> Double {
    var text = text
    text.apply(.load(units))
    return Clock.time { text.apply(cut) }
  }

  /// Of the algorithm that is commonly used, by a monotonic clock, as it reads it very often.
  func linearTime() throws -> Double {
    var text = StateText()
    try text.apply(.load(units))
    var settings = DeletionTraceSettings()
    settings.linearWorkMax = .max
    var traces = DeletionTraces(settings: settings) { monotonic_nanoseconds() }
    traces.willApply(Edit(sequence: 2, action: cut.actions[0]), to: text.state)
    guard let linear = traces.traces.first?.linear else {
      throw CommandError.internalError("the deletion was not traced")
    }
    return Double(linear.duration)
  }
}
