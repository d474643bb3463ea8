import EditJSON
import EditModel
import EditProtocol
import EditorSync
import Logging
import NIOCore
import TextState

/// The editors, and what is known of them: their sessions and open documents, their connections, what they
/// were asked to do, and the documents whose requests wait for the spools of bridges that have ended.
///
/// It sees no document and no file: the ingest lends a session to read a message with, and puts it back.
struct EditorDesk {
  /// The number of requests that may wait for editors.
  private static let askedCountMax = 16
  /// The number of held documents up to which the names in a rename are compared with them.
  private static let heldCountCompared = 16
  private static let prefix = "editlog/"

  private let logger: Logger
  private var sessions: [EditorKey: LSPSession] = [:]
  private var bridges = Bridges()
  private var outputs: [EditorKey: EditorOutput] = [:]
  /// The edits that editors were asked to make, and have not reported yet.
  private var asked: [DocumentID: AskedEdit] = [:]
  private var lastAskedID: Int64 = 0
  /// The clients that have described themselves, by the numbers of their connections.
  private var clients: [Int: ClientIdentity] = [:]
  /// The documents of spools that are being delivered, and those that are being forgotten, with the number
  /// of holds. All other requests about them wait.
  private var held: [DocumentID: Int] = [:]
  /// The spools that cannot be delivered.
  var refusedSpools: [RefusedSpool] = []

  init(_ logger: Logger) { self.logger = logger }

  // MARK: Sessions

  /// True if no editor has sent a message.
  var isEmpty: Bool { sessions.isEmpty }

  /// The session of an editor; nil if the editor has not sent a message.
  subscript(key: EditorKey) -> LSPSession? { sessions[key] }

  /// The session of an editor; a new one if the editor has not sent `initialize`.
  func session(of key: EditorKey) -> LSPSession {
    sessions[key] ?? LSPSession(client: LSPClient(InitializeParams()))
  }

  /// The session of an editor, as `session`, which must be put back: a second reference would make each
  /// message copy the table of open documents.
  mutating func take(_ key: EditorKey) -> LSPSession {
    sessions.removeValue(forKey: key) ?? session(of: key)
  }

  /// Sets the session of an editor, and logs the anomalies of the message that was read with it.
  mutating func put(_ session: LSPSession, of key: EditorKey, _ anomalies: [LSPAnomaly] = []) {
    sessions[key] = session
    for anomaly in anomalies { log(anomaly, of: session.client) }
  }

  /// Removes the session of an editor that has ended.
  mutating func end(_ key: EditorKey) { sessions[key] = nil }

  /// Sets an open document of an editor to what it was before a message that failed. A bridge resends such a
  /// message, and the resend must not count as a duplicate.
  mutating func restore(_ document: DocumentID, to opened: OpenDocument?, of key: EditorKey) {
    sessions[key]?.restore(document, to: opened)
  }

  /// Sets the session of an editor, unless it has ended, to what it was before a message that failed.
  mutating func restore(_ session: LSPSession, of key: EditorKey) {
    if sessions[key] != nil { sessions[key] = session }
  }

  /// Notes that an editor has the text of a version.
  mutating func settle(_ document: DocumentID, at version: SequenceNumber, of key: EditorKey) {
    sessions[key]?.settle(document, at: version)
  }

  /// Renames an open document whose history another document has.
  mutating func move(_ old: DocumentID, to new: DocumentID, of key: EditorKey) {
    sessions[key]?.moveSession(old, to: new)
  }

  /// Logs an anomaly in a client's message.
  func log(_ anomaly: LSPAnomaly, of client: LSPClient) {
    logger.notice("\(client.label): \(anomaly)")
  }

  /// Logs edits that do not fit, and were left out.
  func log(_ refused: [EditError], of client: LSPClient) {
    for error in refused {
      logger.error("an edit read from \(client.label) does not fit: \(error)")
    }
  }

  // MARK: Who has a document open

  /// The editors that have a document open. One whose bridge was disconnected for `Bridges.patience` counts as
  /// ended. O(editors).
  private func editors(of document: DocumentID) -> some Sequence<
    (key: EditorKey, value: LSPSession)
  > {
    sessions.lazy.filter { $0.value.documents[document] != nil && bridges.isPresent($0.key) }
  }

  /// An editor that has a document open. O(editors).
  func editor(of document: DocumentID) -> LSPClient? {
    sessions.isEmpty ? nil : editors(of: document).first { _ in true }?.value.client
  }

  /// True if another editor has this version of a document. O(editors).
  func isOpen(_ document: DocumentID, at version: SequenceNumber, except key: EditorKey) -> Bool {
    editors(of: document).contains {
      $0.key != key && $0.value.documents[document]?.sequence == version
    }
  }

  /// True if another editor has a document open. O(editors).
  func isOpen(_ document: DocumentID, except key: EditorKey) -> Bool {
    editors(of: document).contains { $0.key != key }
  }

  /// The documents among `documents` that other connected editors have open.
  func opened(
    _ documents: Set<DocumentID>, except own: EditorKey
  ) -> [(editor: EditorKey, document: DocumentID, opened: OpenDocument)] {
    sessions.filter { $0.key != own && bridges.isPresent($0.key) }.flatMap { key, session in
      session.documents.filter { documents.contains($0.key) }.map { (key, $0.key, $0.value) }
    }
  }

  // MARK: Connections

  /// Notes that a bridge has connected.
  mutating func connect(_ key: EditorKey) { bridges.connect(key) }

  /// Notes that a connection of a bridge has ended. Returns true if the bridge is forgotten, because it has no
  /// open documents: else it will connect again.
  mutating func disconnect(_ key: EditorKey) -> Bool {
    bridges.disconnect(key)
    guard sessions[key]?.documents.isEmpty != false else { return false }
    sessions[key] = nil
    bridges.forget(key)
    return true
  }

  /// Sets the client of a connection; nil if the connection has ended.
  mutating func setClient(_ client: ClientIdentity?, ofConnection number: Int) {
    clients[number] = client
  }

  /// The connected clients, in the order in which they connected. A client with several connections of
  /// one session is listed once.
  var connectedClients: [ConnectedClient] {
    var listed: Set<SessionID> = []
    return clients.sorted { $0.key < $1.key }.compactMap { number, client in
      guard listed.insert(client.session).inserted else { return nil }
      let session = sessions[.bridge(client.session)] ?? sessions[.connection(number)]
      return ConnectedClient(client, openCount: session?.documents.count ?? 0)
    }
  }

  /// Sets the connection over which an editor gets requests.
  mutating func setOutput(_ output: EditorOutput, of key: EditorKey) { outputs[key] = output }

  /// Notes that a connection has ended over which an editor got requests. Returns the documents for which the
  /// editor was asked over it.
  mutating func removeOutput(_ source: Int, of key: EditorKey) -> [DocumentID] {
    guard outputs[key]?.source == source else { return [] }
    outputs[key] = nil
    return asked.filter { $0.value.editor == key }.map(\.key)
  }

  /// The connection over which an editor gets requests; nil if it gets none.
  func output(of key: EditorKey) -> EditorOutput? { outputs[key] }

  // MARK: Asking

  /// The edits that an editor was asked to make in a document, and has not reported yet.
  func asked(_ document: DocumentID) -> AskedEdit? { asked[document] }

  /// The documents for which editors were asked.
  var askedDocuments: [DocumentID] { Array(asked.keys) }

  /// The one editor that has a document open and can be asked to make edits. Nil if there is none, if several
  /// have it open, or if too many requests wait.
  func askable(_ document: DocumentID) -> (key: EditorKey, session: LSPSession)? {
    let open = Array(editors(of: document).prefix(2))
    guard let (key, session) = open.first, open.count == 1, session.client.appliesEdits,
      outputs[key] != nil, asked.count < Self.askedCountMax
    else { return nil }
    return (key, session)
  }

  /// An editor that had a document open before it connected to this run of the daemon, and has not said
  /// anything about it since.
  func reopening(_ document: DocumentID) -> EditorKey? {
    guard let (key, session) = editors(of: document).first(where: { _ in true }),
      session.documents[document]?.isAsBefore == true
    else { return nil }
    return key
  }

  /// Asks an editor to make the edits of a request, until `endAsking`.
  ///
  /// - Parameters:
  ///   - params: Those of `workspace/applyEdit`; nil if an earlier run of the daemon has asked.
  ///   - base: The version to which the edits refer.
  ///   - after: The state after them.
  ///   - timer: Ends the wait.
  mutating func ask(
    _ append: PendingAppend, of key: EditorKey, _ params: JSON?, base: SequenceNumber,
    after: TextState, _ timer: Scheduled<Void>
  ) {
    lastAskedID += 1
    asked[append.request.document] = AskedEdit(
      id: lastAskedID, editor: key, append: append, base: base, isSent: params != nil,
      after: after, timer: timer)
    if let params { send("workspace/applyEdit", params, to: key) }
  }

  /// Ends the wait for an editor.
  mutating func endAsking(_ document: DocumentID) -> AskedEdit? {
    let asked = asked.removeValue(forKey: document)
    asked?.timer.cancel()
    return asked
  }

  /// Asks an editor to select what a request says, if it can. Its answer does not matter.
  mutating func showSelection(
    of request: AppendRequest, in state: TextState, to key: EditorKey
  ) {
    guard let range = request.edits.last?.selection?.after.first?.range, outputs[key] != nil,
      let params = session(of: key).client.showDocument(
        request.document, selecting: range, in: state)
    else { return }
    lastAskedID += 1
    send("window/showDocument", params, to: key)
  }

  /// Sends the request with the last identifier.
  private func send(_ method: String, _ params: JSON, to key: EditorKey) {
    let id = JSONString("\(Self.prefix)\(lastAskedID)")
    outputs[key]?.send(.request(id: .string(id), method: method, params: params))
  }

  /// The documents for which an editor was asked by the request with this identifier.
  func documents(asked id: RPCID, of key: EditorKey) -> [DocumentID] {
    guard case .string(let text) = id else { return [] }
    return asked.filter {
      $0.value.editor == key && text.description == "\(Self.prefix)\($0.value.id)"
    }.map(\.key)
  }

  // MARK: Holds

  /// Lets all requests about these documents wait that do not come from `Ingest.spoolSource`, until
  /// `release`.
  mutating func hold(_ documents: Set<DocumentID>) {
    for document in documents { held[document, default: 0] += 1 }
  }

  /// Ends a `hold` of these documents.
  mutating func release(_ documents: Set<DocumentID>) {
    for document in documents {
      let count = held[document] ?? 1
      held[document] = count > 1 ? count - 1 : nil
    }
  }

  /// True if requests about a document wait.
  func isHeld(_ document: DocumentID) -> Bool { held[document] != nil }

  /// True if a request must wait because of a `hold`.
  func isHeld(_ request: IngestRequest, from source: Int) -> Bool {
    if held.isEmpty || source == Ingest.spoolSource { return false }
    if let names = request.documents { return names.contains { held[$0] != nil } }
    guard case .editor(_, .didRenameFiles(let params), _, _, _) = request,
      held.count <= Self.heldCountCompared
    else { return true }
    // It renames documents that have such a name, or are in a folder that has it.
    return params.files.contains { file in
      held.keys.contains { held in
        [file.oldURI, file.newURI].contains { held.name.utf8.starts(with: $0.name.utf8) }
      }
    }
  }

  // MARK: Invariants

  /// What is wrong with its state, if anything is: a mistake of the program, whatever the data.
  ///
  /// - Edits that were asked for are found by the document of their request, and have an identifier of their
  ///   own: `ask` is all that adds them.
  /// - A bridge is connected or has ended, and a hold was begun: each count is removed where it would be 0.
  func invariantViolation() -> String? {
    for (document, asked) in asked where asked.append.request.document != document {
      return "an editor was asked for edits of another document"
    }
    let ids = asked.values.map(\.id)
    if Set(ids).count < ids.count || ids.contains(where: { $0 > lastAskedID }) {
      return "two requests to editors have one identifier: \(ids)"
    }
    if held.values.contains(where: { $0 < 1 }) { return "a document is held without a hold" }
    return bridges.invariantViolation()
  }
}
