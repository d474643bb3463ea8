import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension TraceRequest: HistoryQuestion {
  /// Which deletions are measured without `lengthMin`, for help texts.
  package static let boundsDefault = {
    let settings = DeletionTraceSettings()
    return "\(settings.unitsMin), or \(settings.paragraphsMin) ends of paragraphs"
  }()

  /// Measures the large deletions by making them again.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> TraceAnswer {
    var settings = DeletionTraceSettings()
    if let lengthMin { (settings.unitsMin, settings.paragraphsMin) = (lengthMin, .max) }
    settings.durationMin = slowerThan.map { UInt64(clamping: $0) }
    let traces = DeletionTraces(settings: settings, clock: engine.clock.monotonic)
    let start =
      after == 0 ? TextState() : try await engine.state(at: .sequence(after), "after", replay)
    let runner = try engine.fold(replay, from: start, [traces]) { runner in
      limit.map { runner[DeletionTraces.self]?.traces.count == $0 } ?? false
    }
    let hasNext = runner.state.sequence < replay.history.lastSequence
    if hasNext { engine.keep(runner.state, replay) }
    return answer(
      runner[DeletionTraces.self]?.traces ?? [], next: hasNext ? runner.state.sequence : nil)
  }

  private func answer(_ traces: [DeletionTrace], next: SequenceNumber?) -> TraceAnswer {
    TraceAnswer(
      traces: format == .chrome ? [] : traces.map(ShownTrace.init),
      chrome: format == .table
        ? nil : ChromeTrace.json(traces, process: history.document.name),
      next: next)
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
