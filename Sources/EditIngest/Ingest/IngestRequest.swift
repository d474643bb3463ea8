package import EditModel
package import EditProtocol
package import EditorSync

/// A request to `Ingest`. Its reply is called once, on the ingest loop: with a success only after the
/// entries of the request are durable.
package enum IngestRequest: Sendable {
  /// Append edits.
  case append(AppendRequest, Reply<AppendResult>)
  /// Read a message of an editor.
  case editor(EditorKey, LSPMessage, ticket: RequestTicket?, Reply<Void>)
  /// Mark a version.
  case mark(DocumentID, label: String, at: SequenceNumber, Reply<Void>)
  /// Call a closure on the loop, after all requests before this one.
  case look(@Sendable (isolated Ingest) -> Void, Reply<Void>)

  package typealias Reply<Value> = @Sendable (Result<Value, ProtocolError>) -> Void

  /// The request's session and counter, if it has them.
  var ticket: RequestTicket? {
    switch self {
    case .append(let append, _): append.ticket
    case .editor(_, _, let ticket, _): ticket
    case .mark, .look: nil
    }
  }

  /// The documents that it names. Nil if it may concern other documents too.
  var documents: [DocumentID]? {
    switch self {
    case .append(let append, _): [append.document]
    case .editor(_, let message, _, _): message.documents
    case .mark(let document, _, _, _): [document]
    case .look: []
    }
  }

  /// The document that must be in memory to stage it.
  var documentToRead: DocumentID? {
    if case .editor(_, let message, _, _) = self { return message.documentToRead }
    return documents?.first
  }

  /// The editor that sent the message, if one did.
  var editor: EditorKey? { if case .editor(let key, _, _, _) = self { key } else { nil } }

  /// The request, with a reply that first calls `note` if the request has a ticket and failed.
  func noting(_ note: @escaping @Sendable (ProtocolError, RequestTicket) -> Void) -> Self {
    guard let ticket else { return self }
    func noting<Value>(_ reply: @escaping Reply<Value>) -> Reply<Value> {
      { result in
        if case .failure(let error) = result { note(error, ticket) }
        reply(result)
      }
    }
    switch self {
    case .append(let append, let reply): return .append(append, noting(reply))
    case .editor(let key, let message, let ticket, let reply):
      return .editor(key, message, ticket: ticket, noting(reply))
    case .mark, .look: return self
    }
  }

  /// Replies with an error.
  func refuse(_ error: ProtocolError) {
    switch self {
    case .append(_, let reply): reply(.failure(error))
    case .editor(_, _, _, let reply): reply(.failure(error))
    case .mark(_, _, _, let reply): reply(.failure(error))
    case .look(_, let reply): reply(.failure(error))
    }
  }
}
