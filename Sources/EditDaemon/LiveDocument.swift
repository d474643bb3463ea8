import EditLog
import EditModel
import EditProtocol
import TextState

/// The newest version of one document, and what is needed to take the next edit of it.
///
/// Owned by `Ingest`; nobody else changes it. Staging an entry moves the document forward at
/// once; should the log then refuse the batch, the document is dropped and read anew.
struct LiveDocument {
  private(set) var id: DocumentID
  private(set) var state: TextState
  /// The time of the newest entry: the next is never earlier.
  private var lastTime: Timestamp
  /// What each session had acknowledged last, to answer a resend.
  private var sessions: [SessionID: SessionMark]
  /// The first edit of the newest transaction.
  private var transaction: SequenceNumber = 0

  init(
    id: DocumentID, state: TextState, lastTime: Timestamp, sessions: [SessionID: SessionMark],
    loss: HistoryDamage? = nil
  ) {
    (self.id, self.state, self.lastTime, self.sessions) = (id, state, lastTime, sessions)
    self.loss = loss
  }

  /// The last place where acknowledged entries are lost to damage.
  let loss: HistoryDamage?

  /// Returns the document with another name.
  func renamed(to name: DocumentID) -> LiveDocument {
    var document = self
    document.id = name
    return document
  }

  /// True where it has an entry.
  var isStarted: Bool { lastTime > Timestamp(nanoseconds: .min) }

  /// The place of the last request of the ticket's session, where the log has this one already.
  func place(of ticket: RequestTicket?) -> SessionMark? {
    guard let ticket, let place = sessions[ticket.session], ticket.counter <= place.counter
    else { return nil }
    return place
  }

  /// Checks that all of `actions` fit, each against the text left by the one before, without
  /// changing anything. The fit depends on lengths alone.
  func check(_ actions: some Sequence<EditAction>) throws(ProtocolError) {
    var length = state.length
    for (index, action) in actions.enumerated() {
      do {
        try action.validate(textLength: length)
      } catch {
        throw .invalidEdit(at: index, error)
      }
      length += action.changeInLength
    }
  }

  /// Applies an action that fits, and returns the edit to log.
  mutating func stage(_ action: EditAction, _ source: EntrySource, opensTransaction: Bool)
    throws(EditError) -> Edit
  {
    try state.advance(by: action)
    if opensTransaction || transaction == 0 { transaction = state.sequence }
    let time = time(for: source)
    remember(source.ticket)
    return Edit(
      sequence: state.sequence, action: action, origin: source.origin, transaction: transaction,
      author: source.author, session: source.ticket?.session,
      counter: source.ticket?.counter ?? 0, time: time,
      clientTime: source.clientTime == time ? nil : source.clientTime)
  }

  /// The event to log, at the newest version.
  mutating func stage(_ kind: HistoryEvent.Kind, _ source: EntrySource) -> HistoryEvent {
    remember(source.ticket)
    let event = source.event(kind, after: state.sequence, notBefore: lastTime)
    lastTime = event.time
    return event
  }

  /// The client's time where it sent one, but never ahead of our clock and never before the
  /// entry before it: the times of a history do not decrease. Else our clock's, to the
  /// millisecond: what is finer than a key press costs three bytes an edit and says nothing.
  private mutating func time(for source: EntrySource) -> Timestamp {
    lastTime = max(lastTime, source.time)
    return lastTime
  }

  private mutating func remember(_ ticket: RequestTicket?) {
    guard let ticket else { return }
    sessions[ticket.session] = SessionMark(counter: ticket.counter, sequence: state.sequence)
  }
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

  fileprivate var time: Timestamp { clientTime.map { min($0, now) } ?? now.millisecond }
}

/// Where an entry comes from, as far as the log keeps it.
struct EntrySource {
  var now: Timestamp
  var origin = Origin.typing
  var author: String?
  var ticket: RequestTicket?
  var clientTime: Timestamp?
}

extension Timestamp {
  /// The start of the millisecond this is in.
  fileprivate var millisecond: Timestamp {
    let rest = nanoseconds % 1_000_000
    return Timestamp(nanoseconds: nanoseconds &- (rest < 0 ? rest &+ 1_000_000 : rest))
  }
}
