import EditLog
import EditModel
import EditProtocol
import TextState

/// The newest version of one document, and what is needed to take the next edit of it.
///
/// Owned by `Ingest`; nobody else changes it. Staging an entry moves the document forward at
/// once; should the log then refuse the batch, the document is dropped and read anew.
struct LiveDocument {
  let id: DocumentID
  private(set) var state: TextState
  /// The time of the newest entry: the next is never earlier.
  private(set) var lastTime: Timestamp
  /// What each session had acknowledged last, to answer a resend.
  private(set) var sessions: [SessionID: SessionPlace]
  /// The digest of the text last saved, to know at closing whether text was dropped.
  var lastSaved: ContentDigest?

  init(
    id: DocumentID, state: TextState, lastTime: Timestamp, sessions: [SessionID: SessionPlace]
  ) {
    (self.id, self.state, self.lastTime, self.sessions) = (id, state, lastTime, sessions)
  }

  /// True where request `counter` of `session` is in the log already.
  func contains(session: SessionID?, counter: UInt64) -> Bool {
    guard let session, let place = sessions[session] else { return false }
    return counter <= place.counter
  }

  /// Checks that all of `actions` fit, each against the text left by the one before, without
  /// changing anything. The fit depends on lengths alone.
  func check(_ actions: some Sequence<EditAction>) throws(ProtocolError) {
    var length = state.length
    for (index, action) in actions.enumerated() {
      do {
        try action.validate(textLength: length)
      } catch {
        throw .invalidEdit(
          document: id, sequence: state.sequence + UInt64(index) + 1, index: index, reason: error)
      }
      length += action.changeInLength
    }
  }

  /// Applies an action that `check` found to fit, and returns the edit to log.
  mutating func stage(_ action: EditAction, _ source: Source, opens: Bool)
    throws(EditError) -> Edit
  {
    try state.apply(action)
    let time = advanceTime(to: source)
    if opens { transaction = state.sequence }
    remember(source)
    return Edit(
      sequence: state.sequence, action: action, origin: source.origin, transaction: transaction,
      author: source.author, session: source.session, counter: source.counter, time: time,
      clientTime: source.clientTime == time ? nil : source.clientTime)
  }

  /// The event to log, at the newest version.
  mutating func stage(_ kind: HistoryEvent.Kind, _ source: Source) -> HistoryEvent {
    remember(source)
    return HistoryEvent(
      kind: kind, after: state.sequence, time: advanceTime(to: source), author: source.author,
      session: source.session, counter: source.counter)
  }

  private var transaction: SequenceNumber = 0

  /// The client's time where it sent one, but never ahead of our clock and never before the
  /// entry before it: a history's times do not decrease.
  private mutating func advanceTime(to source: Source) -> Timestamp {
    lastTime = max(lastTime, min(source.clientTime ?? source.now, source.now))
    return lastTime
  }

  private mutating func remember(_ source: Source) {
    guard let session = source.session else { return }
    sessions[session] = SessionPlace(counter: source.counter, sequence: state.sequence)
  }
}

/// Where an entry comes from, as far as the log keeps it.
struct Source {
  var origin = Origin.typing
  var author: String?
  var session: SessionID?
  var counter: UInt64 = 0
  var now: Timestamp
  var clientTime: Timestamp?
}
