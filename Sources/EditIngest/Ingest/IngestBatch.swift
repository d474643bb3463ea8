import EditLog
import EditModel
import EditProtocol
import EditorSync

/// The staged entries of the next batch, and the replies to their requests.
struct IngestBatch {
  /// The entries, by the names of their documents before the renames.
  private var staged: [(document: DocumentID, entries: [HistoryEntry])] = []
  private var replies: [(Result<[AppendReceipt], ProtocolError>) -> Void] = []
  /// The new name of each renamed document, by its old name.
  private(set) var newNames: [DocumentID: DocumentID] = [:]
  /// The old and new names of all renamed documents.
  private var names: Set<DocumentID> = []
  /// Closures that restore the editors' sessions if the batch fails, in the order of the messages.
  private var restorers: [(inout [EditorKey: LSPSession]) -> Void] = []
  /// The cost of the requests staged since the loop last took requests, in units of `WorkCost`. It
  /// includes requests that were flushed since then.
  var cost: Int

  init(cost: Int = 0) { self.cost = cost }

  var isEmpty: Bool { staged.isEmpty }
  /// The number of `appends`.
  var count: Int { staged.count }
  /// True if the batch renames documents.
  var hasRenames: Bool { !names.isEmpty }

  /// The entries, by the names of their documents after the renames.
  var appends: [(document: DocumentID, entries: [HistoryEntry])] {
    if newNames.isEmpty { return staged }
    return staged.map { (newNames[$0.document] ?? $0.document, $0.entries) }
  }

  /// The renamed documents.
  var renames: [DocumentRename] {
    newNames.sorted { $0.key.precedes($1.key) }.map { DocumentRename($0.key, to: $0.value) }
  }

  mutating func add(_ entries: [HistoryEntry], to document: DocumentID) {
    // Without entries, a new document must not be created.
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

  /// Adds a closure that restores a session if the batch fails, so that a resent message is
  /// read as it was the first time.
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
