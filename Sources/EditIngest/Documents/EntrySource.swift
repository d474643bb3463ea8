import EditModel
import EditProtocol

/// The source of an entry: the fields that all entries of a request share.
struct EntrySource {
  var now: Timestamp
  var origin = Origin.typing
  var author: String?
  var ticket: RequestTicket?
  var clientTime: Timestamp?
}

extension EntrySource {
  /// The event to log, with a time that is not before `lastTime`.
  func event(
    _ kind: HistoryEvent.Kind, after sequence: SequenceNumber, notBefore lastTime: Timestamp
  ) -> HistoryEvent {
    HistoryEvent(
      kind: kind, after: sequence, time: max(lastTime, time), author: author,
      session: ticket?.session, counter: ticket?.counter ?? 0)
  }

  /// The client's time, but not after the time of the machine's clock. Without one, the time of the
  /// clock in milliseconds: finer times cost three bytes an edit and are of no use.
  var time: Timestamp { clientTime.map { min($0, now) } ?? now.millisecond }
}

extension Timestamp {
  /// The start of its millisecond.
  fileprivate var millisecond: Timestamp {
    let rest = nanoseconds % 1_000_000
    return Timestamp(nanoseconds: nanoseconds &- (rest < 0 ? rest &+ 1_000_000 : rest))
  }
}
