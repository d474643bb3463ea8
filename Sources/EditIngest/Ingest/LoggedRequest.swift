import EditJSON
import EditLog
import EditLogFormat
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Replay
import TextState

/// Where a message that was sent again was found in the log. The next one is searched from there on, so that
/// many of them cost no more than one reading of the history.
struct ResentPlace: Sendable {
  fileprivate let ticket: RequestTicket
  /// The text after the message.
  fileprivate let state: TextState
}

/// What the log has of a request whose counter is not above the last one of its session in the document.
///
/// One rule holds for every way in: the native dialect, `editlog/append`, `editlog/forward` and spools. The
/// counters of a session ascend. A request with a counter that was passed is answered as logged if the log
/// has it with the same content, and refused otherwise.
struct LoggedRequest {
  private let ticket: RequestTicket
  private let history: History
  /// The edits with this ticket. Edits without a ticket have that of the last request, and may follow.
  private var edits: [Edit] = []
  private var events: [HistoryEvent] = []
  /// The last edit that was there before the request, if an earlier entry of the session was found.
  private var start: SequenceNumber?
  /// The last edit before the next request of the session.
  private var end: SequenceNumber
  /// The edit after which the entries were searched.
  private let searched: SequenceNumber
  /// The place of an earlier message, from which the entries were searched.
  private let before: ResentPlace?

  /// - Parameters:
  ///   - searched: The edit after which the entries are that are passed to `note`.
  ///   - before: The place of an earlier message, if the entries are those after it.
  fileprivate init(
    _ ticket: RequestTicket, in history: History, after searched: SequenceNumber,
    through end: SequenceNumber, before: ResentPlace? = nil
  ) {
    (self.ticket, self.history, self.searched, self.end) = (ticket, history, searched, end)
    (self.before, start) = (before, before?.state.sequence)
  }

  /// Notes the next entry.
  fileprivate mutating func note(_ entry: HistoryEntry) {
    guard let (session, counter) = entry.source, session == ticket.session else {
      if case .edit = entry, !isPassed { isChangedByOthers = true }
      return
    }
    if counter == ticket.counter {
      switch entry {
      case .edit(let edit): edits.append(edit)
      case .event(let event): events.append(event)
      }
    } else if counter < ticket.counter {
      (start, isChangedByOthers) = (entry.place, false)
    } else {
      end = min(end, entry.before)
      isPassed = true
    }
  }

  /// True if another session has an edit between the requests before and after it.
  private var isChangedByOthers = false
  /// True if a later request of the session was found.
  fileprivate private(set) var isPassed = false

  /// True if there are no entries of the request before those that were noted.
  fileprivate var isComplete: Bool {
    // The edits of a request are consecutive.
    searched == 0 || start != nil || edits.first.map { $0.sequence > searched + 1 } == true
  }

  /// The first answer to the request.
  ///
  /// - Throws: `sequenceConflict` if the log has not this request under its ticket.
  func answer(to request: AppendRequest) throws(ProtocolError) -> AppendResult {
    guard let first = edits.first?.sequence, let last = edits.last?.sequence else {
      throw .neverLogged(ticket)
    }
    guard request.isLogged(as: edits) else { throw otherContent }
    let head: ChainHead?
    do { head = try history.head(at: last) } catch {
      throw ProtocolError(reading: error).about(history.document)
    }
    return AppendResult(
      first: first, sequence: last, durable: true, head: head?.description, duplicate: true)
  }

  /// Checks that an editor's message about this document was read before: its effect is in the log, between
  /// the messages of its session before it and after it. A message without an effect is not in the log.
  ///
  /// - Parameter session: The editor's session, for its way of counting.
  /// - Returns: The place of the message, if it is known.
  /// - Throws: `sequenceConflict` if the log has not this message under its ticket.
  func check(
    _ message: LSPMessage, of session: LSPSession
  ) throws(ProtocolError) -> ResentPlace? {
    var isLogged = true
    switch message {
    case .didOpen(let params, _):
      let start = edits.first.map { $0.sequence - 1 } ?? start ?? end
      let found = try version(from: start) { $0.hasText(params.text) }
      if let found { return ResentPlace(ticket: ticket, state: found) }
      isLogged = false
    case .didChange(let params, _):
      if params.changes.isEmpty { return before }
      if let found = try version(after: params, of: session) {
        return ResentPlace(ticket: ticket, state: found)
      }
      isLogged = false
    case .didSave(let params, _):
      if edits.isEmpty, events.isEmpty { isLogged = try isUnclear(params) }
    case .didClose:
      isLogged = events.contains { if case .closed = $0.kind { true } else { false } }
    default: break
    }
    guard !isLogged else { return before }
    throw edits.isEmpty && events.isEmpty ? .neverLogged(ticket) : otherContent
  }

  /// True if the request has renamed the document.
  var isRename: Bool {
    events.contains { if case .renamed = $0.kind { true } else { false } }
  }

  /// Checks that the log has nothing under this ticket.
  func checkIsAbsent() throws(ProtocolError) {
    guard edits.isEmpty, events.isEmpty else { throw otherContent }
  }

  /// True if a save may have logged nothing, because its text was not the log's.
  private func isUnclear(_ params: DidSaveParams) throws(ProtocolError) -> Bool {
    if isChangedByOthers { return true }
    guard let text = params.text, let start else { return false }
    return try !state(at: start).hasText(text)
  }

  /// The version to which the changes lead: from the text before the edits with the ticket, or from the text
  /// after the message before, if the log has the changes under another ticket. Nil if there is none.
  private func version(
    after params: DidChangeParams, of session: LSPSession
  ) throws(ProtocolError) -> TextState? {
    // Edits of the origin `external` lead back to the editor's text first.
    let own = edits.first { $0.origin != .external }.map { $0.sequence - 1 }
    let starts = [own ?? edits.last?.sequence, start].compactMap(\.self)
    for start in starts {
      let texts = session.texts(after: params, in: try state(at: start))
      let found = try version(from: start) { state in
        texts.contains { state.length == $0.length && state.text == $0.text }
      }
      if let found { return found }
    }
    return nil
  }

  /// The first version from `first` to the next request of which `isMatch` is true. O(edits).
  private func version(
    from first: SequenceNumber, _ isMatch: (TextState) -> Bool
  ) throws(ProtocolError) -> TextState? {
    var state = try state(at: first)
    if isMatch(state) { return state }
    var found: TextState?
    try forEachEdit(after: first, through: end) { edit in
      guard found == nil else { return }
      try state.advance(by: edit.action)
      if isMatch(state) { found = state }
    }
    return found
  }

  private func state(at sequence: SequenceNumber) throws(ProtocolError) -> TextState {
    guard var state = before?.state, state.sequence <= sequence else {
      return try history.state(at: sequence)
    }
    try forEachEdit(after: state.sequence, through: sequence) { try state.advance(by: $0.action) }
    return state
  }

  private func forEachEdit(
    after first: SequenceNumber, through last: SequenceNumber, _ body: (Edit) throws -> Void
  ) throws(ProtocolError) {
    guard first < last else { return }
    do {
      try history.forEachEntry(after: first, through: last) { entry in
        if case .edit(let edit) = entry, edit.sequence <= last { try body(edit) }
      }
    } catch { throw ProtocolError(reading: error).about(history.document) }
  }

  /// The log has other content under this ticket.
  private var otherContent: ProtocolError {
    var details: JSONObject = [
      "document": JSON(history.document.name), "counter": JSON(ticket.counter),
    ]
    var place = ""
    if let first = edits.first?.sequence, let last = edits.last?.sequence {
      place = ", as \(first) to \(last) of \(history.document.shown)"
      (details["first"], details["sequence"]) = (JSON(first), JSON(last))
    }
    return ProtocolError(
      .sequenceConflict,
      """
      request \(ticket.counter) of this session was logged with other edits\(place); this request was \
      not logged; send its edits with a counter that was not used
      """, details: details)
  }
}

extension History {
  /// What the log has of a request. `place` is the last logged request of its session.
  ///
  /// The newest edits are searched first, because most resent requests are recent. Counters of a session
  /// ascend.
  ///
  /// - Parameter before: The place of an earlier message of the session in this document.
  func logged(
    _ ticket: RequestTicket, notAfter place: SessionMark, after before: ResentPlace? = nil
  ) throws(ProtocolError) -> LoggedRequest {
    var count: UInt64 = 1024
    if let before, before.ticket.session == ticket.session,
      before.ticket.counter < ticket.counter, before.state.sequence <= place.sequence
    {
      while true {
        let start = before.state.sequence
        let last = start + min(place.sequence - start, count)
        var found = LoggedRequest(
          ticket, in: self, after: start, through: place.sequence, before: before)
        // The events after the edit `start` count too.
        do {
          try forEachEntry(after: max(start, 1) - 1, through: last) { found.note($0) }
        } catch {
          throw ProtocolError(reading: error).about(document)
        }
        if found.isPassed || last == place.sequence { return found }
        count *= 8
      }
    }
    while true {
      let start = place.sequence - min(place.sequence, count)
      var found = LoggedRequest(ticket, in: self, after: start, through: place.sequence)
      do { try forEachEntry(after: start, through: place.sequence) { found.note($0) } } catch {
        throw ProtocolError(reading: error).about(document)
      }
      if found.isComplete { return found }
      count *= 8
    }
  }
}

extension TextState {
  fileprivate func hasText(_ text: UTF16Text) -> Bool { length == text.count && self.text == text }
}

extension ProtocolError {
  /// The log has a later request of the session, but not this one.
  static func neverLogged(_ ticket: RequestTicket) -> ProtocolError {
    ProtocolError(
      .sequenceConflict,
      """
      request \(ticket.counter) of this session was never logged, but a later one was; read the \
      newest version, and send the edits again with a higher counter
      """, details: ["counter": JSON(ticket.counter)])
  }
}

extension AppendRequest {
  /// True if the edits are those that were logged. Times, and authors that are not given, are not
  /// compared: the daemon may have set them, and the attributes of typed text that has none of its own.
  /// Earlier programs logged every edit without an origin as `typing`.
  func isLogged(as logged: [Edit]) -> Bool {
    edits.count == logged.count
      && zip(edits, logged).allSatisfy { edit, logged in
        edit.action.isLogged(as: logged) && edit.selection == logged.selection
          && (edit.author ?? author).map { $0 == logged.author } ?? true
          && (loggedOrigin(of: edit) == logged.origin
            || (edit.origin ?? origin) == nil && logged.origin == .typing)
      }
  }
}

extension EditAction {
  /// True if the change is the one that was logged, but for attributes of the client's typing.
  fileprivate func isLogged(as logged: Edit) -> Bool {
    if self == logged.action { return true }
    guard case .inherit = attributes, logged.origin == .typing else { return false }
    return range == logged.action.range && replacement == logged.action.replacement
  }
}
