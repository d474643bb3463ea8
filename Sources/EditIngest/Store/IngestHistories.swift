import EditLog
import EditModel
import EditQueries
import EditProtocol
import Replay
import TextState

/// The histories of a store that is open for writing: the sealed entries, those in the journal, and the
/// newest versions in memory.
struct IngestHistories: HistorySource {
  let ingest: Ingest

  /// Between batches, only memory is copied. Files are opened afterwards, beside the batches.
  func documents(openingUpTo countMax: Int) async throws(ProtocolError) -> [DocumentSummary] {
    let listing = try await ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.listing()
    }
    do { return try listing.summaries(openingUpTo: countMax) } catch { throw ProtocolError(error) }
  }

  /// Reads the files as a reader without the writer does, so that no edit waits.
  func documents(formerlyNamed name: DocumentID) async throws(ProtocolError) -> [DocumentID] {
    try StoreFiles(at: path).documents(formerlyNamed: name)
  }

  func otherHistories(of document: DocumentID) async throws(ProtocolError) -> [DocumentID] {
    try await ingest.reading { (ingest) throws(LogError) in
      ingest.writer.otherHistories(of: document)
    }
  }

  func history(of document: DocumentID) async throws(ProtocolError) -> History? {
    try await ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.history(of: document)
    }
  }

  /// Few, because no batch is written while their places are copied.
  var readingCountMax: Int { 16 }

  /// Between batches, only memory is copied, unless a document is read for the first time. The files are
  /// opened beside the batches.
  func readings(of documents: [DocumentID]) async throws(ProtocolError) -> [HistoryReading] {
    typealias Part = (
      history: Result<PendingHistory?, LogError>, check: AttachmentCheck, others: [DocumentID]
    )
    let (losses, parts) = try await ingest.reading { (ingest) throws(LogError) in
      let parts = documents.map { document -> Part in
        (
          Result { () throws(LogError) in try ingest.writer.pendingHistory(of: document) },
          ingest.writer.attachmentCheck(of: document),
          ingest.writer.otherHistories(of: document)
        )
      }
      return (ingest.writer.losses, parts)
    }
    return zip(documents, parts).map { document, part in
      let facts = WarningFacts(
        losses: .success(losses),
        attachments: Result { () throws(LogError) in try part.check.losses() }
          .mapError { ProtocolError($0) },
        others: .success(part.others))
      return HistoryReading(document, facts) { () async throws(ProtocolError) in
        try await open(part.history, of: document)
      }
    }
  }

  private func open(
    _ pending: Result<PendingHistory?, LogError>, of document: DocumentID
  ) async throws(ProtocolError) -> History? {
    switch pending {
    case .failure(let error): throw ProtocolError(error)
    case .success(nil): return nil
    case .success(let pending?):
      if let history = pending.open() { return history }
      return try await history(of: document)
    }
  }

  func status() async throws(ProtocolError) -> StoreStatus {
    try await ingest.reading { (ingest) throws(LogError) in try ingest.writer.status() }
  }

  func losses() async throws(ProtocolError) -> [StoreLoss] {
    try await ingest.reading { (ingest) throws(LogError) in ingest.writer.losses }
  }

  /// Reads the files as a reader without the writer does, so that no edit waits for a long check.
  func verify(_ work: QuestionWork?) async throws(ProtocolError) -> VerificationReport {
    try StoreFiles(at: path).verify(work)
  }

  var path: String { ingest.path }

  func usage() async throws(ProtocolError) -> StoreUsage { try StoreFiles(at: path).usage() }

  func attachments(of document: DocumentID) async throws(ProtocolError) -> [StoredAttachment] {
    try StoreFiles(at: path).attachments(of: document)
  }

  /// The files are looked for beside the batches.
  func attachmentLosses(
    of document: DocumentID?
  ) async throws(ProtocolError) -> [AttachmentLoss] {
    let check = try await ingest.reading { (ingest) throws(LogError) in
      ingest.writer.attachmentCheck(of: document)
    }
    do { return try check.losses() } catch { throw ProtocolError(error) }
  }

  func attachment(
    _ digest: AttachmentDigest, of document: DocumentID
  ) async throws(ProtocolError) -> [UInt8]? {
    try StoreFiles(at: path).attachment(digest, of: document)
  }

  /// There are no steps of recovery: it was done when the store was opened.
  func repairPlan() async throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep]) {
    (try StoreFiles(at: path).repairPlan().repairs, [])
  }

  func newestState(of document: DocumentID) async -> TextState? {
    await ingest.newestState(of: document)
  }

  /// Those in memory, and those that were stored before.
  func liveTraces(of history: History) -> [LiveTrace] {
    LiveTrace.merged(history.liveTraces, ingest.traces.traces(of: history.document))
  }

  func isOpen(_ document: DocumentID) async -> Bool? { await ingest.isOpen(document) }

  func daemonStatus() async -> DaemonStatus? { await ingest.daemonStatus }
}
