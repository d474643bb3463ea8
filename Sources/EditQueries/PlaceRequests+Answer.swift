import EditLog
import EditModel
package import EditProtocol
package import Replay

extension VersionRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> VersionAnswer {
    let point = try engine.point(at, "at")
    try await engine.refuseLost(point, replay.history)
    let sequence: SequenceNumber
    do { sequence = try replay.sequence(of: point) } catch {
      throw ProtocolError(error, of: replay.history)
    }
    return VersionAnswer(sequence: sequence, time: try replay.history.time(of: sequence))
  }
}

extension MarksRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> MarksAnswer {
    var marks: [ShownMark] = []
    do {
      try replay.check()
      for event in try replay.history.events() {
        guard case .mark(let label, let sequence) = event.kind else { continue }
        marks.removeAll { $0.label.isExactly(label) }
        marks.append(
          ShownMark(label: label, sequence: sequence, time: event.time, author: event.author))
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    return MarksAnswer(marks: marks)
  }
}
