import EditModel
package import EditProtocol
import Projections
package import Replay

extension TraceRequest: HistoryQuestion {
  /// Measures the large deletions by doing them again.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> TraceAnswer {
    var settings = DeletionTraceSettings()
    if let lengthMin { (settings.unitsMin, settings.paragraphsMin) = (lengthMin, .max) }
    let runner = try engine.fold(
      replay, [DeletionTraces(settings: settings, clock: engine.clock.monotonic)])
    let traces = runner[DeletionTraces.self]?.traces ?? []
    return TraceAnswer(
      traces: format == .chrome ? [] : traces.map(ShownTrace.init),
      chrome: format == .table
        ? nil : ChromeTrace.json(traces, process: history.document.name))
  }
}

extension ShownTrace {
  fileprivate init(_ trace: DeletionTrace) {
    func duration(_ phase: TracePhase) -> Int64 { Int64(clamping: trace.duration(of: phase)) }
    self.init(
      sequence: trace.sequence, time: trace.time, origin: trace.origin, author: trace.author,
      units: trace.unitsDeleted, paragraphs: trace.paragraphsDeleted,
      unitsBefore: trace.unitsBefore, paragraphsBefore: trace.paragraphsBefore,
      phases: Phases(
        locate: duration(.locate), text: duration(.text), attributes: duration(.attributes),
        paragraphs: duration(.paragraphs), notify: duration(.notify)),
      total: Int64(clamping: trace.duration),
      linear: trace.linear.map { Int64(clamping: $0.duration) })
  }
}
