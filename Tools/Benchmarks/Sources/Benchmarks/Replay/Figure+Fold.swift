import EditLog
import EditLogCommands
import EditModel
import Projections
import Replay
import TextState

extension Figure {
  /// The projections that the daemon stores.
  static let fold = Figure(
    name: "fold",
    summary: "a history into paragraph models and undo steps, in one pass; the same from stored "
      + "states, and their bytes"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore.sealed(trace)
      func fold(_ name: String) throws -> Contender {
        let replay = Replay(try store.history())
        return Contender(name) {
          try Clock.time {
            let runner = try replay.project(ProjectionBuilder.builtIn)
            guard runner.state.length == trace.finalUnits.count else {
              throw CommandError.internalError("\(trace.name): another text")
            }
          }
        }
      }
      try session.show(
        [ReportLine](
          "fold", trace.name, "ns/edit", per: Double(trace.edits.count),
          race([fold("fold")], session.effort)))
      let writer = try store.writer()
      guard
        let job = try writer.prepareCheckpoints(
          store.document, of: .projections,
          { sink throws(LogError) in
            try ProjectionBuilder.run(sink)
          })
      else { continue }
      job.run()
      try writer.finish(job)
      let places = try writer.checkpoints(of: store.document, .projections)
      try session.show(
        [ReportLine](
          "fold/resumed", trace.name, "us", per: 1e3,
          race([fold("fold")], session.effort)) + [
            ReportLine("fold/stored", trace.name, Double(places.count), "files"),
            ReportLine(
              "fold/bytes", trace.name, Double(try store.bytes(ending: ".projections")), "bytes"),
          ])
    }
  }
}
