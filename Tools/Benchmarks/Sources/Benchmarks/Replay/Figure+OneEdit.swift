import EditLog
import EditLogCommands
import EditModel
import TestSupport

extension Figure {
  /// One edit of many.
  static let oneEdit = Figure(
    name: "edit", summary: "time, author and text of a random edit, by its number, in an open store"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let history = try store.history()
      let entries = trace.entries()
      var random = SplitMix64(seed: 5)
      var times = Distribution()
      for _ in 0..<(session.isQuick ? 20 : 2_000) {
        let index = Int.random(in: 0..<entries.count, using: &random)
        let sequence = UInt64(index + 1)
        var found: Edit?
        try times.add(Clock.time { found = try history.edit(at: sequence) })
        guard case .edit(let expected) = entries[index], expected == found else {
          throw CommandError.internalError("\(trace.name): another edit \(sequence)")
        }
      }
      try session.show(times.lines("edit", trace.name))
    }
  }

  /// Every edit, one after the other.
  static let entries = Figure(
    name: "entries", summary: "a whole sealed history, entry by entry"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      let read = Contender("entries") {
        var count = 0
        let time = try store.time { try $0.forEachEntry { _ in count += 1 } }
        guard count == trace.edits.count else {
          throw CommandError.internalError("\(trace.name): \(count) entries")
        }
        return time
      }
      try session.show(
        [ReportLine](
          "entries", trace.name, "ns/edit", per: Double(trace.edits.count),
          race([read], session.effort)))
    }
  }
}
