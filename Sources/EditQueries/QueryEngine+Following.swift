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
        after: last, events: try history.events(after: last).count)
    } catch { throw ProtocolError(error).about(document) }
  }

  /// At most `limit` entries, which end with the one whose text reaches `HistoryPart.textLengthMax`
  /// units.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - position: The place after which the entries are.
  ///   - newEvents: If not nil, the place has all events after its edit but these last ones.
  ///   - limit: The maximum number of entries.
  package func entries(
    of document: DocumentID, from position: HistoryPosition, newEvents: Int?, limit: Int
  ) async throws(ProtocolError) -> Following {
    let replay = try await replay(HistoryReference(document))
    let last = replay.history.lastSequence
    guard position.after <= last else {
      throw .unknownPoint("\(position.after)", document: document, latest: last)
    }
    var (next, entries) = (position, [HistoryEntry]())
    do throws(LogError) {
      let events = try replay.history.events(after: position.after)
      if let newEvents { next.events = max(0, events.count - newEvents) }
      entries = events.dropFirst(next.events).map { .event($0) }
    } catch { throw ProtocolError(error).about(document) }
    var isLast = true
    if position.after < last, entries.count < limit {
      let part = HistoryPart(
        after: position.after, limit: min(limit - entries.count, HistoryPart.limitMax))
      let answer = try await LogRequest(HistoryReference(document), part).answer(self, replay)
      // The events before the first edit are those above.
      entries += answer.entries.filter { $0.isEdit || $0.place > position.after }
      isLast = answer.next == nil
    } else {
      isLast = position.after == last
    }
    if entries.count > limit { (entries, isLast) = (Array(entries.prefix(limit)), false) }
    for entry in entries {
      next =
        entry.isEdit
        ? HistoryPosition(after: entry.place)
        : HistoryPosition(after: next.after, events: next.events + 1)
    }
    return Following(entries: entries, next: next, isLast: isLast)
  }
}
