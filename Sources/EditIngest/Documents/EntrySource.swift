import EditModel
import EditProtocol

/// The source of an entry: the fields that all entries of a request share.
struct EntrySource {
  var now: Timestamp
  var origin = Origin.typing
  var author: String?
  var ticket: RequestTicket?
  var clientTime: Timestamp?
  /// Which edits are measured; none if nil.
  var tracing: LiveTracing?
  /// The client, if it has described itself for the session of the entries.
  let identity: ClientIdentity?

  /// The source of a request with this ticket, over a connection of this client. What the client sends
  /// without a ticket belongs to its session too. The author is the client's.
  init(
    now: Timestamp, ticket: RequestTicket?, of client: ClientIdentity?,
    _ tracing: LiveTracing? = nil
  ) {
    (self.now, self.ticket, self.tracing) = (now, ticket, tracing)
    let isOwn = ticket.map { $0.session == client?.session } ?? true
    identity = isOwn ? client : nil
    author = identity?.author
  }

  /// A deletion of fewer units is not measured.
  var measuredLengthMin: Int { tracing?.bounds.lengthMin ?? .max }

  /// The session of the entries.
  var session: SessionID? { ticket?.session ?? identity?.session }
}

extension EntrySource {
  /// The event to log, with a time that is not before `lastTime`. Only marks and descriptions of
  /// clients have an author: the others are no one's.
  func event(
    _ kind: HistoryEvent.Kind, after sequence: SequenceNumber, counter: UInt64,
    notBefore lastTime: Timestamp
  ) -> HistoryEvent {
    let hasAuthor =
      switch kind {
      case .mark, .session, .undo: true
      case .baseline, .saved, .closed, .divergence, .renamed, .copied: false
      }
    return HistoryEvent(
      kind: kind, after: sequence, time: max(lastTime, time), author: hasAuthor ? author : nil,
      session: session, counter: counter)
  }

  /// The client's time, to the nanosecond. If there is none, or it is after the time of the machine's
  /// clock, the time of the clock in milliseconds: finer times cost three bytes an edit and are of no
  /// use, because edits are in the order of their numbers.
  var time: Timestamp {
    if let clientTime, clientTime <= now { clientTime } else { now.millisecond }
  }
}

extension Timestamp {
  /// The start of its millisecond.
  fileprivate var millisecond: Timestamp {
    let rest = nanoseconds % 1_000_000
    return Timestamp(nanoseconds: nanoseconds &- (rest < 0 ? rest &+ 1_000_000 : rest))
  }
}
