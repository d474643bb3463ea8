import EditJSON
import EditLog
import EditModel
package import EditProtocol
import EditorSync
import NIOCore
import TextState

// A change from elsewhere to a document that is open in an editor goes through that editor: the editor is
// asked to make it, and what it then reports is logged as the change that was asked for. The buffer of the
// editor and the log never differ.
extension Ingest {
  /// Asks the editor that has the document open to make the edits of a request. Returns false if no editor
  /// has it open, or if it cannot be asked.
  ///
  /// What it is asked for is durable before: if the daemon ends before it has logged the edits, the next
  /// run knows them.
  func ask(
    _ append: PendingAppend, _ document: borrowing LiveDocument, _ batch: inout IngestBatch
  ) throws(ProtocolError) -> Bool {
    let request = append.request
    if desk.isEmpty || request.atRest || request.isSaved { return false }
    let id = request.document
    // The request may be this one, sent again.
    if desk.asked(id) != nil { throw .overloaded(retryAfterMillis: 100) }
    guard let (key, session) = desk.askable(id), !doubtful.contains(id), document.loss == nil,
      document.state.length <= options.longLength, !isLong(request),
      session.documents[id]?.sequence ?? document.state.sequence == document.state.sequence
    else { return false }
    try check(request, document)
    guard
      let asked = session.applyEdit(request.edits.map(\.action), to: id, in: document.state)
    else { return false }
    try keep(append, document, &batch)
    let seconds = options.askingSeconds
    let timer = after(.seconds(seconds)) {
      $0.endAsked(id, because: "did not make them within \(seconds) s")
    }
    desk.ask(
      append, of: key, asked.params, base: document.state.sequence, after: asked.after, timer)
    return true
  }

  /// Logs a `didChange` that brings what its editor was asked for. Returns false if it does not: then
  /// its changes are the editor's own.
  func stage(
    _ params: DidChangeParams, of key: EditorKey, _ ticket: RequestTicket?,
    _ batch: inout IngestBatch, _ reply: @escaping IngestRequest.Reply<Void>
  ) throws(ProtocolError) -> Bool {
    let id = params.uri
    guard !params.changes.isEmpty else { return false }
    guard let asked = desk.asked(id), asked.editor == key else {
      return try stage(askedBefore: params, of: key, ticket, &batch, reply)
    }
    var document = try liveDocument(id)
    var session = desk.session(of: key)
    let before = session.documents[id]
    guard document.place(of: ticket) == nil else { return false }
    guard document.state.sequence == asked.base,
      let plan = session.didChange(params, bringing: asked.after, in: environment)
    else {
      if asked.isSent {
        endAsked(id, because: "its text has changed meanwhile")
      } else {
        later { $0.endWaiting(for: id) }
      }
      return false
    }
    _ = desk.endAsking(id)
    batch.whenFailed { desk in desk.restore(id, to: before, of: key) }
    desk.put(session, of: key, plan.anomalies)
    documents[id] = nil
    var run = IngestBatch.Run(document: id)
    do throws(ProtocolError) {
      try run.stage(asked.append, at: clock.now(), in: &document, tracing)
    } catch {
      // The edits fit before: `after` is the state after them.
      asked.append.reply(.failure(error))
      throw error
    }
    document.remember(EntrySource(now: clock.now(), ticket: ticket, of: session.client.identity))
    document.asked.removeAll { $0.base == asked.base && $0.ticket == asked.append.request.ticket }
    documents[id] = document
    keepAskedWhenDone(of: id, &batch)
    desk.showSelection(of: asked.append.request, in: document.state, to: key)
    batch.add(run)
    for planned in plan.documents { try stage(planned, ticket, session.client, &batch) }
    if let document = documents[id] { desk.settle(id, at: document.state.sequence, of: key) }
    batch.whenDone { reply($0.map { _ in }) }
    return true
  }

  /// Refuses the request that waits for an editor, because the editor did not make its edits.
  func endAsked(_ id: DocumentID, because reason: String) {
    guard let asked = desk.asked(id) else { return }
    let client = desk.session(of: asked.editor).client.shownName
    endAsked(id, .notMadeByEditor(id, client: client, because: reason))
  }

  /// Refuses the request that waits for an editor. Unless `isDropped`, it will be sent again, and the editor
  /// may have made its edits by then.
  func endAsked(_ id: DocumentID, _ error: ProtocolError, isDropped: Bool = true) {
    guard let asked = desk.endAsking(id) else { return }
    if isDropped { drop(asked, of: id) }
    asked.append.reply(.failure(error))
  }

  /// Notes the answer of an editor to a request with this identifier.
  package func answered(_ answer: RPCID, by key: EditorKey, isApplied: Bool) {
    if isApplied { return }
    for id in desk.documents(asked: answer, of: key) { endAsked(id, because: "it refused") }
  }

  /// Sets the connection over which an editor gets requests.
  package func setOutput(_ output: EditorOutput, of key: EditorKey) {
    desk.setOutput(output, of: key)
  }

  /// Notes that a connection has ended over which an editor got requests.
  package func removeOutput(_ source: Int, of key: EditorKey) {
    for id in desk.removeOutput(source, of: key) { endAsked(id, because: "its connection ended") }
  }
}
