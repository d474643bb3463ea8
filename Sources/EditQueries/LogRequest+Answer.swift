import EditLog
import EditModel
package import EditProtocol
package import Replay

extension LogRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> LogAnswer {
    let history = replay.history
    if through == nil { try await engine.refuseLost(.latest, history) }
    let through = min(through ?? .max, history.lastSequence)
    guard after <= through else { return LogAnswer(entries: []) }
    let size = min(UInt64(limit), through - after)
    let range =
      newestFirst
      ? (after: through - size, through: through) : (after: after, through: after + size)
    var entries: [HistoryEntry] = []
    do {
      try replay.check(after: range.after, through: range.through)
      try history.forEachEntry(after: range.after, through: range.through) { entries.append($0) }
    } catch { throw ProtocolError(reading: error, of: history) }
    if newestFirst {
      return LogAnswer(
        entries: entries.reversed(), next: range.after > after ? range.after : nil)
    }
    return LogAnswer(entries: entries, next: range.through < through ? range.through : nil)
  }
}
