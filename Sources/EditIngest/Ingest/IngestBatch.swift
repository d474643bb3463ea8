import EditLog
import EditModel
import EditProtocol
import EditorSync
import NIOCore

/// The staged entries of the next batch, and the replies to their requests.
struct IngestBatch {
  /// Append requests to one document, staged one after the other.
  struct Run {
    let document: DocumentID
    let entries = EncodedEntries()
    /// With each, the number of entries of the run up to its last one, and the number of its last edit.
    var requests: [(append: PendingAppend, end: Int, sequence: SequenceNumber)] = []
    /// The large deletions of the run.
    var measured: [(edit: MeasuredEdit, timing: RequestTiming?)] = []

    /// The numbers of entries after which a receipt is needed.
    fileprivate var ends: [Int] {
      requests.indices.filter { requests[$0].append.needsHead || $0 == requests.count - 1 }
        .map { requests[$0].end }
    }

    /// Replies to all requests. `receipts` has one for each of `ends`.
    fileprivate func succeed(_ receipts: [AppendReceipt]) {
      guard !receipts.isEmpty else { return }
      var next = receipts.startIndex
      for (append, _, sequence) in requests {
        let receipt = receipts[next].lastSequence == sequence ? receipts[next] : nil
        if receipt != nil { next += 1 }
        append.reply(
          .success(
            AppendResult(
              first: sequence - UInt64(append.request.edits.count) + 1, sequence: sequence,
              durable: true,
              head: receipt?.head.description)))
      }
    }
  }

  /// The entries, by the names of their documents before the renames.
  private var staged: [(document: DocumentID, entries: EncodedEntries, ends: [Int])] = []
  /// The large deletions, by the names of their documents before the renames.
  private(set) var measured: [(document: DocumentID, edit: MeasuredEdit, timing: RequestTiming?)] =
    []
  private var replies: [(Result<Receipts, ProtocolError>) -> Void] = []
  /// The new name of each renamed document, by its old name.
  private(set) var newNames: [DocumentID: DocumentID] = [:]
  /// The old and new names of all renamed documents.
  private var names: Set<DocumentID> = []
  /// Closures that restore the editors' sessions if the batch fails, in the order of the messages.
  private var restorers: [(inout EditorDesk) -> Void] = []
  /// The cost of the requests staged since the loop last took requests, in units of `WorkCost`. It
  /// includes requests that were flushed since then.
  var cost: Int
  /// When the oldest of its requests arrived, if that is known.
  let arrival: NIODeadline?

  init(cost: Int = 0, arrival: NIODeadline? = nil) { (self.cost, self.arrival) = (cost, arrival) }

  var isEmpty: Bool { staged.isEmpty }
  /// The number of `appends`.
  var count: Int { staged.count }
  /// True if the batch renames documents.
  var hasRenames: Bool { !names.isEmpty }

  /// The entries, by the names of their documents after the renames, and the numbers of entries after
  /// which a receipt is needed.
  var appends: [(document: DocumentID, entries: EncodedEntries, ends: [Int])] {
    if newNames.isEmpty { return staged }
    return staged.map { (newNames[$0.document] ?? $0.document, $0.entries, $0.ends) }
  }

  /// The renamed documents.
  var renames: [DocumentRename] {
    newNames.sorted { $0.key.precedes($1.key) }.map { DocumentRename($0.key, to: $0.value) }
  }

  mutating func add(
    _ entries: [HistoryEntry], to document: DocumentID, measured edits: [MeasuredEdit] = [],
    timing: RequestTiming? = nil
  ) {
    // Without entries, a new document must not be created.
    guard !entries.isEmpty else { return }
    for edit in edits { measured.append((document, edit, timing)) }
    staged.append((document, EncodedEntries(entries), [entries.count]))
  }

  /// Adds a run of requests. If the batch fails, `note` is called for each.
  mutating func add(
    _ run: Run, noting note: @escaping (ProtocolError, PendingAppend) -> Void = { _, _ in }
  ) {
    let place = staged.count
    staged.append((run.document, run.entries, run.ends))
    for (edit, timing) in run.measured { measured.append((run.document, edit, timing)) }
    replies.append { result in
      switch result {
      case .success(let receipts):
        run.succeed(receipts.all[place])
      case .failure(let error):
        for (append, _, _) in run.requests {
          note(error, append)
          append.reply(.failure(error))
        }
      }
    }
  }

  /// Renames a document. The messages that follow must not stage entries for either name in this
  /// batch.
  mutating func rename(_ old: DocumentID, to new: DocumentID, _ events: [HistoryEvent]) {
    newNames[old] = new
    names.formUnion([old, new])
    staged.append((old, EncodedEntries(events.map { .event($0) }), [events.count]))
  }

  /// Adds a closure that restores a session if the batch fails, so that a resent message is
  /// read as it was the first time.
  mutating func whenFailed(_ restore: @escaping (inout EditorDesk) -> Void) {
    restorers.append(restore)
  }

  /// Restores the sessions to what they were before the batch.
  func restore(_ desk: inout EditorDesk) {
    for restore in restorers.reversed() { restore(&desk) }
  }

  /// True if one of these is the old or new name of a document that the batch renames.
  func renames(_ documents: [DocumentID]) -> Bool {
    !names.isEmpty && documents.contains { names.contains($0) }
  }

  /// True if entries of the document are staged.
  func contains(_ document: DocumentID) -> Bool { staged.contains { $0.document == document } }

  /// The receipts of a durable batch.
  struct Receipts {
    /// For each of `appends`: a receipt for each of its ends.
    let all: [[AppendReceipt]]

    /// The receipt for the last entry of one of `appends`; nil if there is none.
    subscript(place: Int) -> AppendReceipt? { place < all.count ? all[place].last : nil }
  }

  /// Calls `reply` when the batch is durable or has failed.
  mutating func whenDone(_ reply: @escaping (Result<Receipts, ProtocolError>) -> Void) {
    replies.append(reply)
  }

  /// `receipts` has those of each of `appends`.
  func succeed(_ receipts: [[AppendReceipt]]) {
    for reply in replies { reply(.success(Receipts(all: receipts))) }
  }
  func fail(_ error: ProtocolError) { for reply in replies { reply(.failure(error)) } }
}

extension AppendResult {
  /// The result of a request with `count` edits.
  init(_ receipt: AppendReceipt, count: UInt64) {
    let last = receipt.lastSequence
    self.init(
      first: last - count + 1, sequence: last, durable: true, head: receipt.head.description)
  }
}
