package import EditModel
package import EditProtocol
package import EditorSync

/// A request to `Ingest`. Its reply is called once, on the ingest loop: with a success only after the
/// entries of the request are durable.
package enum IngestRequest: Sendable {
  /// Append edits.
  case appended(PendingAppend)
  /// Read a message of an editor. With its times, if it may be a large deletion.
  indirect case editor(
    EditorKey, LSPMessage, ticket: RequestTicket?, timing: RequestTiming? = nil, Reply<Void>)
  /// Mark a version. With the client, if it has described itself.
  indirect case mark(
    DocumentID, label: String, at: SequenceNumber, of: ClientIdentity?, Reply<Void>)
  /// Make a document of the entries of another history, or go on with it.
  case imported(ImportRequest, Reply<ImportAnswer>)
  /// Give a document another name. With the client, if it has described itself.
  indirect case rename(DidRenameFilesParams.Rename, of: ClientIdentity?, Reply<Void>)
  /// Call a closure on the loop, after all requests before this one.
  case look(@Sendable (isolated Ingest) -> Void, Reply<Void>)

  package typealias Reply<Value> = @Sendable (Result<Value, ProtocolError>) -> Void

  /// Append edits, of this client if it has described itself. Without `needsHead`, the result may have
  /// no head: it costs three hashes.
  package static func append(
    _ request: AppendRequest, of client: ClientIdentity? = nil, needsHead: Bool = true,
    timing: RequestTiming? = nil, _ reply: @escaping Reply<AppendResult>
  ) -> Self {
    .appended(
      PendingAppend(request, of: client, needsHead: needsHead, timing: timing, reply))
  }

  /// The request's session and counter, if it has them.
  var ticket: RequestTicket? {
    switch self {
    case .appended(let append): append.request.ticket
    case .editor(_, _, let ticket, _, _): ticket
    case .mark, .imported, .rename, .look: nil
    }
  }

  /// The documents that it names. Nil if it may concern other documents too.
  var documents: [DocumentID]? {
    switch self {
    case .appended(let append): [append.request.document]
    case .editor(_, let message, _, _, _): message.documents
    case .mark(let document, _, _, _, _): [document]
    case .imported(let request, _): [request.document]
    case .rename(let rename, _, _): [rename.oldURI, rename.newURI]
    case .look: []
    }
  }

  /// The document that must be in memory to stage it.
  var documentToRead: DocumentID? {
    switch self {
    case .editor(_, let message, _, _, _): message.documentToRead
    case .rename: nil
    case .appended, .mark, .imported, .look: documents?.first
    }
  }

  /// The editor that sent the message, if one did.
  var editor: EditorKey? { if case .editor(let key, _, _, _, _) = self { key } else { nil } }

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
    case .appended(let append):
      return .append(
        append.request, of: append.client, needsHead: append.needsHead, timing: append.timing,
        noting { append.reply($0) })
    case .editor(let key, let message, let ticket, let timing, let reply):
      return .editor(key, message, ticket: ticket, timing: timing, noting(reply))
    case .mark, .imported, .rename, .look: return self
    }
  }

  /// Replies with an error.
  func refuse(_ error: ProtocolError) {
    switch self {
    case .appended(let append): append.reply(.failure(error))
    case .editor(_, _, _, _, let reply): reply(.failure(error))
    case .mark(_, _, _, _, let reply): reply(.failure(error))
    case .imported(_, let reply): reply(.failure(error))
    case .rename(_, _, let reply): reply(.failure(error))
    case .look(_, let reply): reply(.failure(error))
    }
  }
}
