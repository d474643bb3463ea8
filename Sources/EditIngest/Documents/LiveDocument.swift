import EditJSON
import EditLog
import EditLogFormat
import EditModel
import EditProtocol
import TextState

/// The newest version of one document, and the other state that the next edit needs.
///
/// Only `Ingest` changes it. A staged entry is applied at once; if its batch cannot be written, the
/// document is dropped and read again.
struct LiveDocument {
  private(set) var id: DocumentID
  private(set) var state: TextState
  /// The time of the newest entry. The next entry is not earlier.
  private var lastTime: Timestamp
  /// The last logged request of each session, to recognise resent requests.
  private var sessions: SessionMarks
  /// The first edit of the newest transaction.
  private var transaction: SequenceNumber = 0
  /// The composition of which the newest edit is a step; nil if it is none, or an event followed it.
  private var composition: Composition?
  /// Where the last message that was sent again was found. Nil once an edit is staged.
  var resent: ResentPlace?
  /// The requests that its editor was asked for, and that are not in the log.
  var asked: [AskedEdits] = []
  /// The request that waited for its editor, in vain.
  var waited: RequestTicket?
  /// True if the file of the requests that an editor was asked for has others than `asked`.
  var hasOldAsked = false
  /// The large deletions since the last call of `takeMeasured`.
  private(set) var measured: [MeasuredEdit] = []

  init(
    id: DocumentID, state: TextState, lastTime: Timestamp, sessions: [SessionID: SessionMark],
    loss: HistoryDamage? = nil
  ) {
    (self.id, self.state, self.lastTime) = (id, state, lastTime)
    self.sessions = SessionMarks(sessions)
    self.loss = loss
  }

  /// The memory of the document in bytes. O(nodes of its state).
  var size: Int { state.size + sessions.size }
  /// An upper bound of `size`. O(1).
  var sizeBound: Int { state.sizeBound + sessions.size }

  /// A composition, by the name that the client gave it.
  private struct Composition: Equatable {
    let name: String
    let session: SessionID?
  }

  /// True if an edit of this composition continues that of the newest edit, and so its transaction.
  func continues(_ composition: String?, of source: EntrySource) -> Bool {
    guard let composition, let newest = self.composition else { return false }
    return newest == Composition(name: composition, session: source.session)
  }

  /// Notes that the newest edit is a step of a composition.
  mutating func note(_ composition: String?, of source: EntrySource) {
    self.composition = composition.map { Composition(name: $0, session: source.session) }
  }

  /// The last place where acknowledged entries are damaged, if that is not accepted.
  let loss: HistoryDamage?

  /// Returns the document with another name.
  func renamed(to name: DocumentID) -> LiveDocument {
    var document = self
    document.id = name
    return document
  }

  /// True if it has an entry.
  var isStarted: Bool { lastTime > Timestamp(nanoseconds: .min) }

  /// The last logged request of the ticket's session. Returns nil unless this request is logged, or a
  /// later one.
  func place(of ticket: RequestTicket?) -> SessionMark? {
    guard let ticket, let place = sessions[ticket.session], ticket.counter <= place.counter
    else { return nil }
    return place
  }

  /// The version after the last logged request of a session. Returns nil if the session has logged none.
  func lastVersion(of session: SessionID) -> SequenceNumber? { sessions[session]?.sequence }

  /// Checks that the selections of edits lie in the texts before and after their edits, which fit. The
  /// edits before the last one with a selection are applied to a copy of the text.
  func checkSelections(of edits: [AppendEdit]) throws(ProtocolError) {
    guard let last = edits.lastIndex(where: { $0.selection != nil }) else { return }
    var state = state
    for (index, edit) in edits[...last].enumerated() {
      do throws(EditError) {
        if let selection = edit.selection { try state.check(selection, of: edit.action) }
        if index < last { try state.advance(by: edit.action) }
      } catch { throw .invalidEdit(at: index, error) }
    }
  }

  /// Checks that all of `actions` fit, each in the text after the one before. Only lengths matter, so
  /// nothing is applied.
  ///
  /// - Parameter lengthMax: The UTF-16 units that the edits may not exceed, unless they make the text
  ///   shorter.
  func check(
    _ actions: some Sequence<EditAction>, lengthMax: Int
  ) throws(ProtocolError) {
    var length = state.length
    for (index, action) in actions.enumerated() {
      do {
        try action.validate(textLength: length)
      } catch {
        throw .invalidEdit(at: index, error)
      }
      length += action.changeInLength
    }
    guard length <= max(lengthMax, state.length) else {
      throw .textTooLong(length: length, lengthMax: lengthMax)
    }
  }

  /// Applies an action, and returns the edit to log, with a selection that fits it.
  mutating func stage(
    _ action: EditAction, selection: EditSelection? = nil, _ source: EntrySource,
    opensTransaction: Bool
  ) throws(EditError) -> Edit {
    let spans = try advance(by: action, source)
    composition = nil
    if opensTransaction || transaction == 0 { transaction = state.sequence }
    let time = time(for: source)
    if let spans {
      measured.append(MeasuredEdit(sequence: state.sequence, time: time, spans: spans))
    }
    return Edit(
      sequence: state.sequence, action: action, origin: source.origin, transaction: transaction,
      author: source.author, session: source.session, counter: counter(of: source), time: time,
      clientTime: source.clientTime == time ? nil : source.clientTime, selection: selection)
  }

  /// Applies an action. Returns the phases of a large deletion, nil for any other edit.
  private mutating func advance(
    by action: EditAction, _ source: EntrySource
  ) throws(EditError) -> [LiveSpan]? {
    resent = nil
    guard action.range.length >= source.measuredLengthMin, let tracing = source.tracing,
      tracing.isLarge(action, in: state)
    else {
      try state.advance(by: action)
      return nil
    }
    var probe = LiveProbe(tracing.clock)
    try state.advance(by: action, probe: &probe)
    return probe.spans
  }

  /// The large deletions that were staged since the last call.
  mutating func takeMeasured() -> [MeasuredEdit] {
    if measured.isEmpty { return [] }
    defer { measured = [] }
    return measured
  }

  /// The event to log, at the newest version.
  mutating func stage(_ kind: HistoryEvent.Kind, _ source: EntrySource) -> HistoryEvent {
    remember(source)
    return add(kind, source, counter: counter(of: source))
  }

  /// The event that describes the client, if it has described itself and the document has no entry of
  /// its session. It is logged with the next entry. Without a counter, it never makes a request count
  /// as resent.
  mutating func introduce(_ source: EntrySource) -> HistoryEvent? {
    guard let identity = source.identity, sessions[identity.session] == nil else { return nil }
    sessions[identity.session] = SessionMark(counter: 0, sequence: state.sequence)
    return add(.session(identity.client), source, counter: 0)
  }

  private mutating func add(
    _ kind: HistoryEvent.Kind, _ source: EntrySource, counter: UInt64
  ) -> HistoryEvent {
    let event = source.event(kind, after: state.sequence, counter: counter, notBefore: lastTime)
    lastTime = event.time
    composition = nil
    return event
  }

  /// The counter of an entry. One without a ticket has that of the last request of its session, so that
  /// counters never decrease.
  private func counter(of source: EntrySource) -> UInt64 {
    if let ticket = source.ticket { return ticket.counter }
    return source.session.flatMap { sessions[$0] }?.counter ?? 0
  }

  /// The time for the next entry. It is not before the last entry's, as the times of a history do not
  /// decrease.
  private mutating func time(for source: EntrySource) -> Timestamp {
    lastTime = max(lastTime, source.time)
    return lastTime
  }

  /// Records the source's request, at the newest version.
  mutating func remember(_ source: EntrySource) {
    guard let session = source.session else { return }
    sessions[session] = SessionMark(counter: counter(of: source), sequence: state.sequence)
  }

  // MARK: Asked edits

  /// Takes over the requests of which it is not known whether an editor has made them: those that are not
  /// logged, and of those without a ticket the ones about the newest version.
  mutating func take(asked all: [AskedEdits]) {
    asked = all.filter { asked in
      guard let ticket = asked.ticket else { return asked.base == state.sequence }
      return asked.base <= state.sequence && place(of: ticket) == nil
    }
    hasOldAsked = asked.count < all.count
  }

  /// Applies edits that an editor was asked for at the newest version and has made. Returns the entries to
  /// log. The document must not be used if this throws.
  mutating func stage(asked: AskedEdits) throws(EditError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for entry in asked.entries {
      switch entry {
      case .edit(var edit):
        try state.advance(by: edit.action)
        edit.time = max(lastTime, edit.time)
        (lastTime, transaction, composition) = (edit.time, edit.transaction, nil)
        note(edit.session, edit.counter)
        entries.append(.edit(edit))
      case .event(var event):
        if case .session = event.kind, event.session.flatMap({ sessions[$0] }) != nil { continue }
        event.time = max(lastTime, event.time)
        lastTime = event.time
        note(event.session, event.counter)
        entries.append(.event(event))
      }
    }
    self.asked.removeAll { $0 == asked }
    return entries
  }

  private mutating func note(_ session: SessionID?, _ counter: UInt64) {
    guard let session else { return }
    let last = sessions[session]?.counter ?? 0
    sessions[session] = SessionMark(counter: max(last, counter), sequence: state.sequence)
  }

  // MARK: Import

  /// Where a history ends.
  struct End: Hashable, Sendable {
    /// The newest version.
    var sequence: SequenceNumber
    /// The time of the newest entry.
    var time: Timestamp
    /// The first edit of the newest transaction, if the next edit may be one of it; else 0.
    var transaction: SequenceNumber
  }

  /// Where the history ends.
  var end: End { End(sequence: state.sequence, time: lastTime, transaction: transaction) }

  /// Applies the entries of another history as they are.
  ///
  /// - Parameters:
  ///   - lastTransaction: The first edit of the transaction of the entries before them; 0 if there is none.
  ///   - lengthMax: The UTF-16 units that the text may not exceed.
  /// - Throws: `ProtocolError` that names the entry which does not fit those before it. The document must
  ///   not be used then.
  mutating func stage(
    imported entries: [HistoryEntry], after lastTransaction: SequenceNumber, lengthMax: Int
  ) throws(ProtocolError) {
    // A document that was read from the log does not know it.
    transaction = lastTransaction
    for (index, entry) in entries.enumerated() {
      func refusal(_ fault: String) -> ProtocolError {
        let member = "params.entries[\(index)]"
        return ProtocolError(
          .invalidEdit, "\(member): \(fault); none of the request's entries was logged",
          details: ["member": JSON(member), "index": JSON(index)])
      }
      func check(_ isRight: Bool, _ fault: @autoclosure () -> String) throws(ProtocolError) {
        if !isRight { throw refusal(fault()) }
      }
      let author =
        switch entry {
        case .edit(let edit): edit.author
        case .event(let event): event.author
        }
      try check(entry.time >= lastTime, "its time is before that of the entry before it")
      try check(
        author.map { (1...AppendRequest.authorSizeMax).contains($0.utf8.count) } ?? true,
        "the name of its author does not have 1 to \(AppendRequest.authorSizeMax) bytes")
      switch entry {
      case .edit(let edit):
        try check(
          edit.sequence == state.sequence + 1,
          "its number is \(edit.sequence), and the next edit is \(state.sequence + 1)")
        try check(
          edit.transaction == edit.sequence || transaction > 0 && edit.transaction == transaction,
          "its transaction is \(edit.transaction), which is neither its number nor \(transaction)")
        do throws(EditError) {
          try edit.selection.map { (selection) throws(EditError) in
            try state.check(selection, of: edit.action)
          }
          try state.advance(by: edit.action)
        } catch { throw refusal("\(error)") }
        guard state.length <= lengthMax else {
          throw .textTooLong(length: state.length, lengthMax: lengthMax)
        }
        transaction = edit.transaction
      case .event(let event):
        try check(
          event.after == state.sequence,
          "it is after edit \(event.after), and the edit before it is \(state.sequence)")
        if let last = event.kind.lastNamed {
          try check(
            last <= state.sequence,
            "it names edit \(last), and the edit before it is \(state.sequence)")
        }
      }
      (lastTime, composition) = (entry.time, nil)
      if let (session, counter) = entry.source {
        let last = sessions[session]?.counter ?? 0
        sessions[session] = SessionMark(counter: max(last, counter), sequence: state.sequence)
      }
    }
  }
}

extension HistoryEvent.Kind {
  /// The last edit of its own history that the event names; nil if it names none.
  fileprivate var lastNamed: SequenceNumber? {
    switch self {
    case .mark(_, let sequence): sequence
    case .undo(let change, let target):
      [change.undone.ranges.last?.upperBound, change.redone.ranges.last?.upperBound, target]
        .compactMap(\.self).max()
    case .baseline, .saved, .closed, .divergence, .renamed, .session, .copied: nil
    }
  }
}
