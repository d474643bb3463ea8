import EditJSON
import EditLog
import EditModel
package import EditProtocol
import EditorSync
import NIOCore
import TextState

/// Edits that an editor was asked to make in a document that it has open.
struct AskedEdit {
  let id: Int64
  let editor: EditorKey
  let append: PendingAppend
  /// The version to which the edits refer.
  let base: SequenceNumber
  /// False if an earlier run of the daemon has asked: this one waits for what the editor reports.
  var isSent = true
  /// The state after the edits.
  let after: TextState
  let timer: Scheduled<Void>
}

/// The connection over which an editor gets requests.
package struct EditorOutput: Sendable {
  /// The connection.
  package var source: Int
  /// Sends a message. Never blocks.
  package var send: @Sendable (RPCMessage) -> Void

  package init(source: Int, send: @escaping @Sendable (RPCMessage) -> Void) {
    (self.source, self.send) = (source, send)
  }
}

// A change from elsewhere to a document that is open in an editor goes through that editor: the editor is
// asked to make it, and what it then reports is logged as the change that was asked for. The buffer of the
// editor and the log never differ.
extension Ingest {
  /// The maximum number of requests that wait for editors.
  private static let askedCountMax = 16
  private static let prefix = "editlog/"

  /// Asks the editor that has the document open to make the edits of a request. Returns false if no editor
  /// has it open, or if it cannot be asked.
  ///
  /// What it is asked for is durable before: if the daemon ends before it has logged the edits, the next
  /// run knows them.
  func ask(
    _ append: PendingAppend, _ document: borrowing LiveDocument, _ batch: inout IngestBatch
  ) throws(ProtocolError) -> Bool {
    let request = append.request
    if editors.isEmpty || request.atRest || request.isSaved { return false }
    let id = request.document
    // The request may be this one, sent again.
    if askedEdits[id] != nil { throw .overloaded(retryAfterMillis: 100) }
    let open = editors.filter { $1.documents[id] != nil && bridges.isPresent($0) }
    guard let (key, session) = open.first, open.count == 1, session.client.appliesEdits,
      let output = editorOutputs[key],
      askedEdits.count < Self.askedCountMax, !doubtful.contains(id), document.loss == nil,
      document.state.length <= options.longLength, !isLong(request),
      session.documents[id]?.sequence ?? document.state.sequence == document.state.sequence
    else { return false }
    try check(request, document)
    guard
      let asked = session.applyEdit(request.edits.map(\.action), to: id, in: document.state)
    else { return false }
    try keep(append, document, &batch)
    lastAskedID += 1
    let seconds = options.askingSeconds
    askedEdits[id] = AskedEdit(
      id: lastAskedID, editor: key, append: append, base: document.state.sequence,
      after: asked.after,
      timer: after(.seconds(seconds)) {
        $0.endAsked(id, because: "did not make them within \(seconds) s")
      })
    output.send(
      .request(
        id: .string(JSONString("\(Self.prefix)\(lastAskedID)")), method: "workspace/applyEdit",
        params: asked.params))
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
    guard let asked = askedEdits[id], asked.editor == key else {
      return try stage(askedBefore: params, of: key, ticket, &batch, reply)
    }
    var document = try liveDocument(id)
    var session = session(of: key)
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
    asked.timer.cancel()
    askedEdits[id] = nil
    batch.whenFailed { sessions in sessions[key]?.restore(id, to: before) }
    editors[key] = session
    for anomaly in plan.anomalies { log(anomaly, of: session.client) }
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
    showSelection(asked.append.request, of: id, in: document.state, to: key, session.client)
    batch.add(run)
    for planned in plan.documents { try stage(planned, ticket, session.client, &batch) }
    if let document = documents[id] { editors[key]?.settle(id, at: document.state.sequence) }
    batch.whenDone { reply($0.map { _ in }) }
    return true
  }

  /// Asks an editor that has made the edits of a request to select what the request says, if it can. Its
  /// answer does not matter.
  private func showSelection(
    _ request: AppendRequest, of id: DocumentID, in state: TextState, to key: EditorKey,
    _ client: LSPClient
  ) {
    guard let range = request.edits.last?.selection?.after.first?.range,
      let output = editorOutputs[key],
      let params = client.showDocument(id, selecting: range, in: state)
    else { return }
    lastAskedID += 1
    output.send(
      .request(
        id: .string(JSONString("\(Self.prefix)\(lastAskedID)")), method: "window/showDocument",
        params: params))
  }

  /// Refuses the request that waits for an editor, because the editor did not make its edits.
  func endAsked(_ id: DocumentID, because reason: String) {
    guard let asked = askedEdits[id] else { return }
    let client = session(of: asked.editor).client.shownName
    endAsked(id, .notMadeByEditor(id, client: client, because: reason))
  }

  /// Refuses the request that waits for an editor. Unless `isDropped`, it will be sent again, and the editor
  /// may have made its edits by then.
  func endAsked(_ id: DocumentID, _ error: ProtocolError, isDropped: Bool = true) {
    guard let asked = askedEdits.removeValue(forKey: id) else { return }
    asked.timer.cancel()
    if isDropped { drop(asked, of: id) }
    asked.append.reply(.failure(error))
  }

  /// Notes the answer of an editor to a request with this identifier.
  package func answered(_ answer: RPCID, by key: EditorKey, isApplied: Bool) {
    guard !isApplied, case .string(let text) = answer else { return }
    for (id, asked) in askedEdits where asked.editor == key {
      guard text.description == "\(Self.prefix)\(asked.id)" else { continue }
      endAsked(id, because: "it refused")
    }
  }

  /// Sets the connection over which an editor gets requests.
  package func setOutput(_ output: EditorOutput, of key: EditorKey) { editorOutputs[key] = output }

  /// Notes that a connection has ended over which an editor got requests.
  package func removeOutput(_ source: Int, of key: EditorKey) {
    guard editorOutputs[key]?.source == source else { return }
    editorOutputs[key] = nil
    for (id, asked) in askedEdits where asked.editor == key {
      endAsked(id, because: "its connection ended")
    }
  }
}
