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

  /// The minimum number of UTF-16 units of a large deletion.
  package static let unitsMinDefault = DeletionTraceSettings().unitsMin
  /// The number of paragraph ends from which a deletion is large, however few its units.
  package static let paragraphsMinDefault = DeletionTraceSettings().paragraphsMin

  /// Measures the large deletions by making them again.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> TraceAnswer {
    var settings = DeletionTraceSettings()
    if let lengthMin { (settings.unitsMin, settings.paragraphsMin) = (lengthMin, .max) }
    settings.durationMin = slowerThan.map { UInt64(clamping: $0) }
    let live = await engine.source.liveTraces(of: replay.history)
    if let durationMin = settings.durationMin {
      // They were slow as they happened, and may be fast now.
      settings.sequences = Set(live.filter { $0.duration >= durationMin }.map(\.sequence))
    }
    let traces = DeletionTraces(settings: settings, clock: engine.clock.monotonic)
    let start =
      after == 0 ? TextState() : try await engine.state(at: .sequence(after), "after", replay)
    let runner = try engine.fold(replay, from: start, [traces]) { runner in
      limit.map { runner[DeletionTraces.self]?.traces.count == $0 } ?? false
    }
    let hasNext = runner.state.sequence < replay.history.lastSequence
    if hasNext { engine.keep(runner.state, replay) }
    return answer(
      runner[DeletionTraces.self]?.traces ?? [], live,
      next: hasNext ? runner.state.sequence : nil)
  }

  private func answer(
    _ traces: [DeletionTrace], _ live: [LiveTrace], next: SequenceNumber?
  ) -> TraceAnswer {
    let measured = Dictionary(live.map { ($0.sequence, $0) }) { $1 }
    let matching = traces.compactMap { trace in
      // A trace of another history that had this number is not shown.
      measured[trace.sequence].flatMap { $0.time == trace.time ? $0 : nil }
    }
    let known = Dictionary(matching.map { ($0.sequence, $0) }) { $1 }
    return TraceAnswer(
      traces: format == .chrome ? [] : traces.map { ShownTrace($0, known[$0.sequence]) },
      chrome: format == .table
        ? nil : ChromeTrace.json(traces, live: known, process: history.document.name),
      next: next)
  }
}

extension ShownTrace {
  fileprivate init(_ trace: DeletionTrace, _ live: LiveTrace?) {
    func duration(_ phase: TracePhase) -> Int64 { Int64(clamping: trace.duration(of: phase)) }
    self.init(
      sequence: trace.sequence, time: trace.time, origin: trace.origin, author: trace.author,
      units: trace.unitsDeleted, paragraphs: trace.paragraphsDeleted,
      unitsBefore: trace.unitsBefore, paragraphsBefore: trace.paragraphsBefore,
      phases: Phases(
        locate: duration(.locate), text: duration(.text), attributes: duration(.attributes),
        paragraphs: duration(.paragraphs), notify: duration(.notify)),
      total: Int64(clamping: trace.duration),
      linear: trace.linear.map { Int64(clamping: $0.duration) },
      live: live.map(ShownLiveTrace.init))
  }
}

extension ShownLiveTrace {
  fileprivate init(_ trace: LiveTrace) {
    func duration(_ phase: LivePhase) -> Int64? {
      trace.duration(of: phase).map { Int64(clamping: $0) }
    }
    self.init(
      phases: Phases(
        receive: duration(.receive), decode: duration(.decode), locate: duration(.locate),
        text: duration(.text), attributes: duration(.attributes),
        paragraphs: duration(.paragraphs), journal: duration(.journal), flush: duration(.flush),
        notify: duration(.notify), acknowledge: duration(.acknowledge)),
      waiting: Int64(clamping: trace.waiting), total: Int64(clamping: trace.duration))
  }
}
