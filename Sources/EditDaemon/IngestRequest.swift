import EditLog
import EditModel
import EditProtocol

/// Something `Ingest` is asked to do. A reply is called once, on the ingest loop, and only when
/// what it tells of is durable.
enum IngestRequest: Sendable {
  /// Append edits.
  case append(AppendRequest, Reply<AppendResult>)
  /// Read a message of an editor.
  case editor(EditorKey, LSPMessage, ticket: RequestTicket?, Reply<Void>)
  /// Give a version a name.
  case mark(DocumentID, label: String, at: SequenceNumber, Reply<Void>)
  /// Look at the newest versions, after all requests before this one.
  case look(@Sendable (isolated Ingest) -> Void, Reply<Void>)

  typealias Reply<Value> = @Sendable (Result<Value, ProtocolError>) -> Void

  /// The client's run and the request's number in it, where it has them.
  var ticket: RequestTicket? {
    switch self {
    case .append(let append, _): append.ticket
    case .editor(_, _, let ticket, _): ticket
    case .mark, .look: nil
    }
  }

  /// The documents that it names; nil if it may affect others too.
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

  /// The request, with a reply that first tells `note` where a request with a ticket failed.
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

  /// Answers with an error, whatever was asked.
  func refuse(_ error: ProtocolError) {
    switch self {
    case .append(_, let reply): reply(.failure(error))
    case .editor(_, _, _, let reply): reply(.failure(error))
    case .mark(_, _, _, let reply): reply(.failure(error))
    case .look(_, let reply): reply(.failure(error))
    }
  }
}

/// Who an editor's messages come from: a connection, or a bridge's run, which outlives its
/// connections.
enum EditorKey: Hashable, Sendable {
  case connection(Int)
  case bridge(SessionID)
}

/// Entries that are staged to become one batch, and the requests to answer.
struct IngestBatch {
  /// Entries, with the names of their documents before the renames.
  private var staged: [(document: DocumentID, entries: [HistoryEntry])] = []
  private var replies: [(Result<[AppendReceipt], ProtocolError>) -> Void] = []
  /// The new name of each renamed document, by its old name.
  private(set) var newNames: [DocumentID: DocumentID] = [:]
  /// The old and new names of all renamed documents.
  private var names: Set<DocumentID> = []
  /// Closures that restore the editors' sessions if the batch fails, in the order of the messages.
  private var restorers: [(inout [EditorKey: LSPSession]) -> Void] = []
  /// The cost of the requests staged since the loop last took requests, those flushed before
  /// included, in units of `WorkCost`.
  var cost: Int

  init(cost: Int = 0) { self.cost = cost }

  var isEmpty: Bool { staged.isEmpty }
  /// The number of `appends`.
  var count: Int { staged.count }
  /// True if the batch renames documents.
  var hasRenames: Bool { !names.isEmpty }

  /// The staged entries, with the names of their documents after the renames.
  var appends: [(document: DocumentID, entries: [HistoryEntry])] {
    if newNames.isEmpty { return staged }
    return staged.map { (newNames[$0.document] ?? $0.document, $0.entries) }
  }

  /// The renamed documents.
  var renames: [DocumentRename] {
    newNames.sorted { $0.key.precedes($1.key) }.map { DocumentRename($0.key, to: $0.value) }
  }

  mutating func add(_ entries: [HistoryEntry], to document: DocumentID) {
    // A document does not come into being without an entry.
    guard !entries.isEmpty else { return }
    staged.append((document, entries))
  }

  /// Renames a document. The messages that follow must not stage entries for either name in this
  /// batch.
  mutating func rename(_ old: DocumentID, to new: DocumentID, _ event: HistoryEvent) {
    newNames[old] = new
    names.formUnion([old, new])
    staged.append((old, [.event(event)]))
  }

  /// Adds a closure that restores a session if the batch fails, so that a message that is sent again
  /// is read as it was the first time.
  mutating func whenFailed(_ restore: @escaping (inout [EditorKey: LSPSession]) -> Void) {
    restorers.append(restore)
  }

  /// Restores the sessions to what they were before the batch.
  func restore(_ sessions: inout [EditorKey: LSPSession]) {
    for restore in restorers.reversed() { restore(&sessions) }
  }

  /// True if one of these is the old or new name of a document that the batch renames.
  func renames(_ documents: [DocumentID]) -> Bool {
    !names.isEmpty && documents.contains { names.contains($0) }
  }

  /// True if entries of the document are staged.
  func contains(_ document: DocumentID) -> Bool { staged.contains { $0.document == document } }

  /// Calls `reply` when the batch is durable (with a receipt for each of `appends`) or has failed.
  mutating func whenDone(_ reply: @escaping (Result<[AppendReceipt], ProtocolError>) -> Void) {
    replies.append(reply)
  }

  func succeed(_ receipts: [AppendReceipt]) { for reply in replies { reply(.success(receipts)) } }
  func fail(_ error: ProtocolError) { for reply in replies { reply(.failure(error)) } }
}
