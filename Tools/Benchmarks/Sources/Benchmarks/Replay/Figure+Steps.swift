import EditLogCommands
import EditModel
import Replay
import TextState
import TestSupport

extension Figure {
  /// Any version, with states kept.
  static let keptVersions = Figure(
    name: "version/kept",
    summary: "a state at a random sequence number, from states that are kept: while the first "
      + "2,000 versions are asked for; afterwards; the memory of the states"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let replay = Replay(try store.history())
      let kept = KeptStates()
      var random = SplitMix64(seed: 4)
      for name in ["version/kept-filling", "version/kept"] {
        var times = Distribution()
        for _ in 0..<(session.isQuick ? 20 : 2_000) {
          let sequence = UInt64.random(in: 0...UInt64(trace.edits.count), using: &random)
          try times.add(
            Clock.time {
              guard try kept.state(at: sequence, replay).sequence == sequence else {
                throw CommandError.internalError("\(trace.name): another version")
              }
            })
        }
        try session.show(times.lines(name, trace.name))
      }
      try session.show([
        ReportLine("version/kept-count", trace.name, Double(kept.usage.count), "states"),
        ReportLine("version/kept-bytes", trace.name, Double(kept.usage.size), "bytes"),
      ])
    }
  }

  /// A walk through a history.
  static let steps = Figure(
    name: "step", summary: "one step forward, and one back, from the middle of a sealed history"
  ) { session in
    let units: [(String, StepUnit)] = [
      ("edit", .edit), ("undo", .undoStep), ("paragraph", .paragraphChange),
      ("10s", .time(nanoseconds: 10_000_000_000)),
    ]
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let middle = UInt64(trace.edits.count / 2)
      for (name, unit) in units {
        for (direction, way) in [
          (ReplayCursor.Direction.forward, "forward"), (.backward, "back"),
        ] {
          var cursor = try ReplayCursor(Replay(store.history()), at: .sequence(middle))
          var times = Distribution()
          for _ in 0..<(session.isQuick ? 20 : 5_000) {
            var made = 0
            try times.add(Clock.time { made = try cursor.step(direction, by: unit) })
            if made == 0 { break }
          }
          try session.show(times.lines("step/\(name)-\(way)", trace.name))
        }
      }
    }
  }
}
