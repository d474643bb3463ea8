import EditLog
import EditLogCommands
import EditModel
import Replay
import TestSupport
import TextState

extension Figure {
  /// The whole history, from its first edit.
  static let final = Figure(
    name: "final",
    summary: "a sealed history to its last version, without checkpoints; the C gap buffer that "
      + "counts paragraphs beside it"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let turn = session.isQuick ? 1 : trace.edits.replaysInTurn
      let replay = Contender("replay", turn: turn) {
        let history = try store.history()
        var state = TextState()
        let time = try Clock.time {
          try history.forEachSpan { try Replay.apply($0, to: &state) }
        }
        guard state.length == trace.finalUnits.count else {
          throw CommandError.internalError("\(trace.name): another text")
        }
        return time
      }
      try session.show(
        [ReportLine](
          "final", trace.name, "ms", per: 1e6,
          race([replay, CParagraphText.replay(trace.edits, turn: turn)], session.effort),
          baseline: CParagraphText.name))
    }
  }

  /// Any version, by number.
  static let version = Figure(
    name: "version",
    summary: "a state at a random sequence number: of a store that is open; of one just opened"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let replay = Replay(try store.history())
      var random = SplitMix64(seed: 4)
      var (open, fresh) = (Distribution(), Distribution())
      func take(_ replay: Replay, _ times: inout Distribution) throws {
        let sequence = UInt64.random(in: 0...UInt64(trace.edits.count), using: &random)
        try times.add(
          Clock.time {
            guard try replay.state(at: .sequence(sequence)).sequence == sequence else {
              throw CommandError.internalError("\(trace.name): another version")
            }
          })
      }
      for _ in 0..<(session.isQuick ? 20 : 2_000) { try take(replay, &open) }
      for _ in 0..<(session.isQuick ? 5 : 200) { try take(Replay(store.history()), &fresh) }
      try session.show(
        open.lines("version", trace.name) + fresh.lines("version/just-opened", trace.name))
    }
  }

  /// A checkpoint, from its file to a state.
  static let checkpoint = Figure(
    name: "checkpoint",
    summary: "the last checkpoint, from its file to a state; the number and bytes of all"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let replay = Replay(try store.history())
      let places = try store.writer().checkpoints(of: store.document)
      guard let last = places.last else { continue }
      let load = Contender("load") {
        try Clock.time {
          guard try replay.state(at: .sequence(last)).sequence == last else {
            throw CommandError.internalError("\(trace.name): another version")
          }
        }
      }
      try session.show(
        [ReportLine]("checkpoint", trace.name, "us", per: 1e3, race([load], session.effort)) + [
          ReportLine("checkpoint/count", trace.name, Double(places.count), "checkpoints"),
          ReportLine(
            "checkpoint/bytes", trace.name, Double(try store.checkpointBytes()), "bytes"),
        ])
    }
  }
}

extension BenchStore {
  /// A store with the history of a trace, sealed, with its checkpoints.
  static func sealed(_ trace: Trace) throws -> BenchStore {
    let store = try BenchStore()
    let writer = try store.writer()
    let entries = trace.entries()
    try store.record(entries, in: writer, sealCount: 1 << 16)
    let job = try writer.prepareCheckpoints(store.document) { sink throws(LogError) in
      try CheckpointBuilder.run(sink)
    }
    if let job {
      job.run()
      try writer.finish(job)
    }
    return store
  }
}
