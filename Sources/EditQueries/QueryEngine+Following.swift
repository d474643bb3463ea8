import EditLog
import EditLogFormat
package import EditModel
package import EditProtocol
import Replay

extension QueryEngine {
  /// Entries of a history from a place on, in its order.
  package struct Following: Sendable {
    package var entries: [HistoryEntry]
    /// The place after them.
    package var next: HistoryPosition
    /// False if there are more.
    package var isLast: Bool
  }

  /// The place after all entries of a history.
  package func end(of document: DocumentID) async throws(ProtocolError) -> HistoryPosition {
    let history = try await history(of: document)
    do throws(LogError) {
      let last = history.lastSequence
      return HistoryPosition(
        after: last, events: try history.events().count { $0.after == last })
    } catch { throw ProtocolError(error).about(document) }
  }

  /// At most `limit` entries, and one text of `HistoryPart.textLengthMax` units; more only if many
  /// events follow one edit.
  package func entries(
    of document: DocumentID, from position: HistoryPosition, limit: Int
  ) async throws(ProtocolError) -> Following {
    let replay = try await replay(HistoryReference(document))
    var entries: [HistoryEntry] = []
    do throws(LogError) {
      entries = try replay.history.events().filter { $0.after == position.after }
        .dropFirst(position.events).map { .event($0) }
    } catch { throw ProtocolError(error).about(document) }
    let last = replay.history.lastSequence
    guard position.after <= last else {
      throw .unknownPoint("\(position.after)", document: document, latest: last)
    }
    guard position.after < last, entries.count < limit else {
      let next = HistoryPosition(
        after: position.after, events: position.events + entries.count)
      return Following(entries: entries, next: next, isLast: position.after == last)
    }
    let part = HistoryPart(
      after: position.after, limit: min(limit - entries.count, HistoryPart.limitMax))
    let answer = try await LogRequest(HistoryReference(document), part).answer(self, replay)
    // Those before the first edit are in `entries`, from the place on.
    entries += answer.entries.filter { $0.isEdit || $0.place > position.after }
    let after = entries.reversed().lazy.compactMap { $0.isEdit ? $0.place : nil }.first
    guard let after else {
      return Following(
        entries: entries,
        next: HistoryPosition(after: position.after, events: position.events + entries.count),
        isLast: true)
    }
    let events = entries.reversed().prefix { !$0.isEdit }.count
    return Following(
      entries: entries, next: HistoryPosition(after: after, events: events),
      isLast: answer.next == nil)
  }
}
