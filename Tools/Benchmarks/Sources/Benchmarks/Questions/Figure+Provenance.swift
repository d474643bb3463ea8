import EditLog
import EditLogCommands
import EditModel
import Projections
import Replay
import TextState

extension Figure {
  /// The fold behind undo, blame and search.
  static let provenance = Figure(
    name: "provenance",
    summary: "a history into units and undo steps, beside the state alone; their bytes beside the "
      + "log's, plain and compressed; reading them"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let replay = Replay(try store.history())
      func fold(_ name: String, _ projections: [any Projection]) -> Contender {
        Contender(name) {
          try Clock.time {
            let runner = try replay.project(projections)
            guard runner.state.length == trace.finalUnits.count else {
              throw CommandError.internalError("\(trace.name): another text")
            }
          }
        }
      }
      try session.show(
        [ReportLine](
          "provenance/fold", trace.name, "ns/edit", per: Double(trace.edits.count),
          race([fold("units", [UndoHistory()]), fold("state", [])], session.effort)))
      let bytes = try history(of: replay).storedBytes
      try session.show(
        [ReportLine](
          "provenance/read", trace.name, "us", per: 1e3,
          race(
            [
              Contender("read") { try Clock.time { _ = try UndoHistory(storedBytes: bytes) } }
            ], session.effort)) + [
            ReportLine("provenance/bytes", trace.name, Double(bytes.count), "bytes"),
            ReportLine(
              "provenance/log", trace.name, Double(try store.bytes(ending: ".segment")), "bytes"),
          ])
    }
  }

  /// The writer of each piece.
  static let blame = Figure(
    name: "blame",
    summary: "the pieces of the last text with their writers, from the folded units"
  ) { session in
    for trace in session.traces {
      let tree = try history(of: Replay(try BenchStore.sealed(trace).history())).tree
      let whole = UTF16Range(0..<tree.provenance.length)
      let pieces = tree.provenance.blame(whole).count
      try session.show(
        [ReportLine](
          "blame", trace.name, "us", per: 1e3,
          race(
            [
              Contender("blame") { Clock.time { _ = tree.provenance.blame(whole) } }
            ], session.effort)) + [ReportLine("blame/pieces", trace.name, Double(pieces), "pieces")]
      )
    }
  }

  /// What became of an old text.
  static let fates = Figure(
    name: "fates", summary: "what became of each piece of the version in the middle of a history"
  ) { session in
    for trace in session.traces {
      let replay = Replay(try BenchStore.sealed(trace).history())
      let middle = SequenceNumber(trace.edits.count / 2)
      let (older, newer) = (
        try history(of: replay, through: middle).tree.provenance,
        try history(of: replay).tree.provenance
      )
      try session.show(
        [ReportLine](
          "fates", trace.name, "us", per: 1e3,
          race(
            [
              Contender("fates") { Clock.time { _ = newer.fates(of: older) } }
            ], session.effort)))
    }
  }

  /// The undo of one edit in a hundred, all over a history.
  static let undoSelection = Figure(
    name: "undo",
    summary: "the actions that take back one edit in a hundred, checked against the text"
  ) { session in
    for trace in session.traces {
      let replay = Replay(try BenchStore.sealed(trace).history())
      let runner = try replay.project([UndoHistory()])
      guard let tree = runner[UndoHistory.self]?.tree else { continue }
      let last = SequenceNumber(trace.edits.count)
      let selection = SequenceSet(stride(from: 1, through: last, by: 100).map { $0...$0 })
      let change = UndoneChange(undone: selection)
      try session.show(
        [ReportLine](
          "undo", trace.name, "us", per: 1e3,
          race(
            [
              Contender("undo") {
                try Clock.time { _ = try tree.actions(making: change, in: runner.state) }
              }
            ], session.effort)))
    }
  }

  /// Who worked when.
  static let activity = Figure(
    name: "activity",
    summary: "a history into days, hours, authors and pauses, beside the state alone"
  ) { session in
    for trace in session.traces {
      let replay = Replay(try BenchStore.sealed(trace).history())
      try session.show(
        [ReportLine](
          "activity", trace.name, "ns/edit", per: Double(trace.edits.count),
          race(
            [
              Contender("activity") { try Clock.time { _ = try replay.project([Activity()]) } },
              Contender("state") { try Clock.time { _ = try replay.project([]) } },
            ], session.effort)))
    }
  }

  /// What became of what each of two writers wrote.
  static let outcomes = Figure(
    name: "outcomes",
    summary: "what is left of the text of two writers, from the folded units"
  ) { session in
    for trace in session.traces {
      let tree = try history(of: Replay(try BenchStore.sealed(trace).history())).tree
      let middle = SequenceNumber(trace.edits.count / 2)
      let writers = [
        SequenceSet(1...middle), SequenceSet(middle + 1...SequenceNumber(trace.edits.count)),
      ]
      try session.show(
        [ReportLine](
          "outcomes", trace.name, "us", per: 1e3,
          race(
            [
              Contender("outcomes") {
                Clock.time { _ = tree.provenance.outcomes(of: writers, undos: SequenceSet()) }
              }
            ], session.effort)))
    }
  }

  private static func history(
    of replay: Replay, through last: SequenceNumber? = nil
  ) throws -> UndoHistory {
    let runner = try replay.project([UndoHistory()], through: last)
    guard let history = runner[UndoHistory.self] else {
      throw CommandError.internalError("no undo history")
    }
    return history
  }
}
