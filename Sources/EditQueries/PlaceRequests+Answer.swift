import EditLog
import EditModel
package import EditProtocol
package import Replay

extension VersionRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber && step <= 0 }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> VersionAnswer {
    let point = try engine.point(at, "at")
    try await engine.refuseLost(point, replay.history)
    do {
      let start = try engine.sequence(of: point, replay)
      guard step != 0 else { return try answer(start, nil, replay) }
      let (sequence, stepCount) = try place(from: start, engine, replay)
      return try answer(sequence, stepCount, replay)
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }

  /// The number of steps after which the work is asked whether it goes on.
  private static let stepsAtOnce = 256

  /// The version that the steps from `start` lead to, and their number.
  private func place(
    from start: SequenceNumber, _ engine: QueryEngine, _ replay: Replay
  ) throws -> (sequence: SequenceNumber, count: Int) {
    var places = try engine.stepPlaces(replay)
    var (sequence, count) = (start, 0)
    while count < step.magnitude {
      try engine.work?.pass(0)
      let part = min(Int(step.magnitude) - count, Self.stepsAtOnce)
      let found = try places.place(
        from: sequence, step > 0 ? .forward : .backward, by: by, count: part)
      (sequence, count) = (found.sequence, count + found.count)
      if found.count < part { break }
    }
    return (sequence, count)
  }

  private func answer(
    _ sequence: SequenceNumber, _ stepCount: Int?, _ replay: Replay
  ) throws -> VersionAnswer {
    VersionAnswer(
      sequence: sequence, time: try replay.history.time(ofEdit: sequence), stepCount: stepCount)
  }
}

extension MarksRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> MarksAnswer {
    var marks: [ShownMark] = []
    do {
      var progress = FoldProgress(engine.work, 0...replay.history.lastSequence, share: 0...1)
      try replay.check { try progress.note($0) }
      for event in try replay.history.markEvents() {
        guard case .mark(let label, let sequence) = event.kind else { continue }
        marks.append(
          ShownMark(label: label, sequence: sequence, time: event.time, author: event.author))
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
    return MarksAnswer(marks: marks)
  }
}
