package import EditJSON
package import EditModel
package import EditProtocol

/// A message of an editor that can change the log. Some cases are parts of LSP messages: a message
/// about several documents is split, and its parts are read one by one.
package enum LSPMessage: Sendable {
  /// `initialize`. `open` are documents that the client has open already: the run of a bridge outlives
  /// its connections. They follow as `reopened`.
  case initialize(LSPClient, open: [ReopenedDocument])
  case reopened(ArraySlice<ReopenedDocument>)
  /// `copyOf`: the version that the document is a copy of, if that is known.
  case didOpen(DidOpenParams, copyOf: CopySource? = nil)
  /// `as`: the identity of a document that is not open, once it is identified.
  case didChange(DidChangeParams, as: UnopenedDocument? = nil)
  /// `as`: as for `didChange`.
  case didSave(DidSaveParams, as: UnopenedDocument? = nil)
  case didClose(TextDocumentParams)
  case didRenameFiles(DidRenameFilesParams)
  /// Documents are renamed to free names, all of them or none.
  case renamed([DidRenameFilesParams.Rename])
  /// A document is renamed to a name that has a history already.
  case renamedOntoKnown(DidRenameFilesParams.Rename)
  /// A part of a message, which is refused if an earlier part failed. `hasTicket` is false for a part
  /// that would count as resent because an earlier part logged the same ticket.
  indirect case part(PartsOutcome, LSPMessage, hasTicket: Bool)
  /// The connection ended: each open document is closed, then the session is `ended`.
  case end
  /// The rest of `end`: closes the documents that are still open, and ends the session.
  case ended
  /// A notification without an effect on the log. It is acknowledged after all messages before it.
  case other

  /// The message of a notification. Returns nil if the notification has no effect on the log.
  ///
  /// - Throws: `invalidParams`.
  package init?(_ method: String, _ params: JSON) throws(ProtocolError) {
    guard let notification = EditorNotification(rawValue: method) else { return nil }
    switch notification {
    case .didOpen:
      self = .didOpen(
        try params.params { (json) throws(ShapeError) in try DidOpenParams(json: json) })
    case .didChange:
      self = .didChange(
        try params.params { (json) throws(ShapeError) in try DidChangeParams(json: json) })
    case .didSave:
      self = .didSave(
        try params.params { (json) throws(ShapeError) in try DidSaveParams(json: json) })
    case .didClose:
      self = .didClose(
        try params.params { (json) throws(ShapeError) in try TextDocumentParams(json: json) })
    case .didRenameFiles:
      self = .didRenameFiles(
        try params.params { (json) throws(ShapeError) in try DidRenameFilesParams(json: json) })
    }
  }

  /// The message of a notification that a bridge forwards.
  ///
  /// - Throws: `invalidParams` if LSP has no such notification from an editor. It must not be
  ///   acknowledged, because an acknowledgement means that its edits are logged.
  package init(_ forwarded: ForwardRequest) throws(ProtocolError) {
    let method = forwarded.method
    if let message = try Self(method, forwarded.params) {
      self = message
    } else if EditorNotification.hasNoEffect(method) {
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

extension LSPMessage {
  /// The message with what the client has told of its changes.
  package func annotated(by annotations: ChangeAnnotations) -> LSPMessage {
    guard case .didChange(var params, let found) = self, params.annotation == nil,
      let annotation = annotations[params.uri]
    else { return self }
    params.annotation = annotation
    return .didChange(params, as: found)
  }

  /// The message with the attributes that the client has set for what it types.
  package func typed(with attributes: TypingAttributes) -> LSPMessage {
    guard case .didChange(var params, let found) = self, let typing = attributes[params.uri]
    else { return self }
    params.typing = typing
    return .didChange(params, as: found)
  }

  /// The documents that it names. Nil if it may concern other documents too.
  package var documents: [DocumentID]? {
    switch self {
    case .didOpen(let params, _): [params.uri]
    case .didChange(let params, _): [params.uri]
    case .didSave(let params, _): [params.uri]
    case .didClose(let params): [params.uri]
    case .reopened(let open): open.count > 1 ? nil : open.map(\.document)
    case .renamed(let moves): moves.flatMap { [$0.oldURI, $0.newURI] }
    case .renamedOntoKnown(let rename): [rename.oldURI, rename.newURI]
    case .part(_, let message, _): message.documents
    case .initialize, .other: []
    case .didRenameFiles, .end, .ended: nil
    }
  }

  /// The document whose text is needed to read it.
  package var documentToRead: DocumentID? {
    switch self {
    case .renamed: nil
    case .part(_, let message, _): message.documentToRead
    default: documents?.first
    }
  }

  /// The documents that it renames to free names.
  package var moves: [DidRenameFilesParams.Rename] {
    switch self {
    case .renamed(let moves): moves
    case .part(_, let message, _): message.moves
    default: []
    }
  }

  /// True if reading it compares a text with the file of its document.
  package var isComparedWithFile: Bool {
    switch self {
    case .didOpen, .didSave, .didChange(_, as: .opened): true
    default: false
    }
  }

  /// The number of UTF-16 units of its texts.
  package var textLength: Int {
    switch self {
    case .didOpen(let params, _): params.text.count
    case .didChange(let params, _): params.changes.reduce(0) { $0 + $1.text.count }
    case .didSave(let params, _): params.text?.count ?? 0
    case .part(_, let message, _): message.textLength
    case .initialize, .reopened, .didClose, .didRenameFiles, .renamed, .renamedOntoKnown, .end,
      .ended, .other:
      0
    }
  }
}

extension LSPMessage {
  /// True if it may delete more than a few characters or lines. O(changes): the text is not known.
  package var mayDeleteMuch: Bool {
    switch self {
    case .didOpen, .didSave: true
    case .didChange(let params, _):
      params.changes.contains { change in
        guard let range = change.range else { return true }
        return range.start.line != range.end.line
          || range.end.character - range.start.character >= Self.charactersMin
      }
    default: false
    }
  }

  /// A large deletion has this number of characters or more, in one line or in several.
  private static let charactersMin = 20
}
