import EditJSON
import EditModel
import EditProtocol
import TextState

/// A message of an editor, as far as it means something for the log.
enum LSPMessage: Sendable {
  /// A client said who it is; `open` are documents it has open already, in a run that outlives
  /// its connections. They follow as `reopened`.
  case initialize(LSPClient, open: [DocumentID])
  case reopened(ArraySlice<DocumentID>)
  case didOpen(DidOpenParams)
  /// `as`: the identity of a document that is not open, once it is identified.
  case didChange(DidChangeParams, as: UnopenedDocument? = nil)
  /// `as`: as for `didChange`.
  case didSave(DidSaveParams, as: UnopenedDocument? = nil)
  case didClose(TextDocumentParams)
  case didRenameFiles(DidRenameFilesParams)
  /// Documents are renamed to free names, all of them or none.
  case renamed([DidRenameFilesParams.Rename])
  /// A document is renamed to a name that has a history of its own.
  case renamedOntoKnown(DidRenameFilesParams.Rename)
  /// A part of a message, which is refused if an earlier part failed. `hasTicket` is false for a part
  /// that would count as resent because an earlier part logged the same ticket.
  indirect case part(PartsOutcome, LSPMessage, hasTicket: Bool)
  /// The connection ended: each open document is closed, then the session is `ended`.
  case end
  /// The rest of `end`: closes the documents that are still open, and ends the session.
  case ended
  /// Nothing to learn from, but the answer to it speaks for all before it too.
  case other

  /// The message of a notification; nil where the log has nothing to learn from it.
  init?(_ method: String, _ params: JSON) throws(ProtocolError) {
    switch method {
    case "textDocument/didOpen":
      self = .didOpen(
        try params.params { (json) throws(ShapeError) in try DidOpenParams(json: json) })
    case "textDocument/didChange":
      self = .didChange(
        try params.params { (json) throws(ShapeError) in try DidChangeParams(json: json) })
    case "textDocument/didSave":
      self = .didSave(
        try params.params { (json) throws(ShapeError) in try DidSaveParams(json: json) })
    case "textDocument/didClose":
      self = .didClose(
        try params.params { (json) throws(ShapeError) in try TextDocumentParams(json: json) })
    case "workspace/didRenameFiles":
      self = .didRenameFiles(
        try params.params { (json) throws(ShapeError) in try DidRenameFilesParams(json: json) })
    default:
      return nil
    }
  }

  /// The message of a notification that a bridge passes on.
  ///
  /// - Throws: `invalidParams` where an editor has no such notification about its documents: to
  ///   acknowledge it would say that what it told is logged.
  init(_ forwarded: ForwardRequest) throws(ProtocolError) {
    let method = forwarded.method
    if DaemonMethods.told.contains(method), let message = try Self(method, forwarded.params) {
      self = message
    } else if DaemonMethods.mayIgnore(method) {
      self = .other
    } else {
      throw ProtocolError(
        .invalidParams,
        """
        params.method must be a notification that LSP 3.17 has an editor send while a session \
        lasts, but is \(ProtocolError.shown(method: method)); it was not logged
        """)
    }
  }
}

/// What a bridge adds to `initialize`: its run, and the documents it has open already, because
/// the daemon was away. In `initializationOptions.editlog`.
struct EditorAttachment {
  var session: SessionID?
  var open: [DocumentID] = []

  /// What is of another shape counts as missing, as in the rest of `initialize`.
  init(initialize params: JSON) {
    guard let editlog = params["initializationOptions"]?["editlog"] else { return }
    if case .string(let name)? = editlog["session"] {
      session = name.string.flatMap { SessionID($0) }
    }
    guard case .array(let uris)? = editlog["open"] else { return }
    open = uris.compactMap { uri in
      guard case .string(let name) = uri else { return nil }
      return name.string.flatMap { DocumentID($0) }
    }
  }
}

extension LSPSession {
  /// Adds documents that the client had open before it connected, with the log's text.
  private mutating func reopened(
    _ open: ArraySlice<DocumentID>, in environment: LSPEnvironment
  ) -> LSPPlan {
    for document in open {
      guard let state = environment.state(document) else { continue }
      documents[document] = OpenDocument(document, version: nil, endsInNewline: state.endsInNewline)
    }
    return LSPPlan()
  }

  /// True if the document of a message is not open and not identified yet.
  func needsIdentification(_ message: LSPMessage) -> Bool {
    switch message {
    case .didChange(let params, as: nil): !params.changes.isEmpty && documents[params.uri] == nil
    case .didSave(let params, as: nil): documents[params.uri] == nil
    default: false
    }
  }

  /// The message with the identity of its document, which is not open. O(n) in the document's file and
  /// the texts of the open documents.
  func identified(_ message: LSPMessage, in environment: LSPEnvironment) -> LSPMessage {
    switch message {
    case .didChange(let params, _):
      .didChange(
        params, as: identify(params.uri, changedBy: params.changes, in: environment))
    case .didSave(let params, _):
      .didSave(params, as: identify(params.uri, savedAs: params.text, in: environment))
    default: message
    }
  }

  /// What a message means for the log.
  mutating func read(_ message: LSPMessage, in environment: LSPEnvironment) -> LSPPlan {
    switch message {
    case .initialize, .other: LSPPlan()
    case .reopened(let open): reopened(open, in: environment)
    case .didOpen(let params): didOpen(params, in: environment)
    case .didChange(let params, let found): didChange(params, as: found, in: environment)
    case .didSave(let params, let found): didSave(params, as: found, in: environment)
    case .didClose(let params): didClose(params, in: environment)
    case .didRenameFiles(let params): didRenameFiles(params, in: environment)
    case .renamed(let moves): rename(moves)
    case .renamedOntoKnown, .part: LSPPlan()
    case .end, .ended: end(in: environment)
    }
  }
}
