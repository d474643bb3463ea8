package import EditLog
package import EditModel
package import EditProtocol
import Replay
package import TextState

/// The source of answers: a store's files, or a daemon that has the newest versions in memory.
package protocol HistorySource: Sendable {
  /// All documents of the store. The footers of all segments are read if there are at most
  /// `countMax` documents.
  func documents(openingUpTo countMax: Int) async throws(ProtocolError) -> [DocumentSummary]
  /// The present names of the documents that had this name before.
  func documents(formerlyNamed name: DocumentID) async throws(ProtocolError) -> [DocumentID]
  /// The names of the other histories of a file. Only a store that an older version wrote has any.
  func otherHistories(of document: DocumentID) async throws(ProtocolError) -> [DocumentID]
  /// The current history of a document; nil if there is no such document.
  func history(of document: DocumentID) async throws(ProtocolError) -> History?
  /// The current histories of several documents, to be opened one after the other so that few files are
  /// open at a time, and what the warnings about each depend on.
  func readings(of documents: [DocumentID]) async throws(ProtocolError) -> [HistoryReading]
  /// The number of documents of which `readings` is asked at once.
  var readingCountMax: Int { get }
  /// Store status, documents excluded.
  func status() async throws(ProtocolError) -> StoreStatus
  /// Losses that cannot be assigned to a document. Every question about a document reads them.
  func losses() async throws(ProtocolError) -> [StoreLoss]
  /// The report of a check of every byte. `work` cancels the check, and gets its progress.
  func verify(_ work: QuestionWork?) async throws(ProtocolError) -> VerificationReport
  /// The size of the store, by document and kind.
  func usage() async throws(ProtocolError) -> StoreUsage
  /// The possible repairs, and the steps that opening the store for writing would do.
  func repairPlan() async throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep])
  /// The store's folder.
  var path: String { get }
  /// The newest version of a document, if it is in memory.
  func newestState(of document: DocumentID) async -> TextState?
  /// True if a connected editor has the document open. Nil if this is not known.
  func isOpen(_ document: DocumentID) async -> Bool?
  /// The status of the daemon, if a daemon answers.
  func daemonStatus() async -> DaemonStatus?
  /// The attachments of a document whose bytes are stored.
  func attachments(of document: DocumentID) async throws(ProtocolError) -> [StoredAttachment]
  /// The attachments that were acknowledged and cannot be given back, of one document or of all.
  func attachmentLosses(of document: DocumentID?) async throws(ProtocolError) -> [AttachmentLoss]
  /// The bytes of an attachment; nil if the document has no such attachment.
  func attachment(
    _ digest: AttachmentDigest, of document: DocumentID
  ) async throws(ProtocolError) -> [UInt8]?
  /// What edits of a history cost as they happened in the daemon, ascending. A trace belongs to the
  /// edit with its number only if that has its time.
  func liveTraces(of history: History) async -> [LiveTrace]
}

/// A document's history, and what the warnings about it depend on.
package struct HistoryReading: Sendable {
  package var document: DocumentID
  package var facts: WarningFacts
  /// Opens the history; nil if there is no such document.
  package var open: @Sendable () async throws(ProtocolError) -> History?

  package init(
    _ document: DocumentID, _ facts: WarningFacts,
    open: @escaping @Sendable () async throws(ProtocolError) -> History?
  ) {
    (self.document, self.facts, self.open) = (document, facts, open)
  }
}

/// What the warnings of an answer about a document depend on, besides its history.
package struct WarningFacts: Sendable {
  /// As `HistorySource.losses`.
  package var losses: Result<[StoreLoss], ProtocolError>
  /// As `HistorySource.attachmentLosses`.
  package var attachments: Result<[AttachmentLoss], ProtocolError>
  /// As `HistorySource.otherHistories`.
  package var others: Result<[DocumentID], ProtocolError>

  package init(
    losses: Result<[StoreLoss], ProtocolError>,
    attachments: Result<[AttachmentLoss], ProtocolError>,
    others: Result<[DocumentID], ProtocolError>
  ) {
    (self.losses, self.attachments, self.others) = (losses, attachments, others)
  }
}

extension HistorySource {
  /// Nil: files do not tell which documents are open.
  package func isOpen(_ document: DocumentID) -> Bool? { nil }

  /// Those that are stored.
  package func liveTraces(of history: History) async -> [LiveTrace] { history.liveTraces }
}

/// The files of a store, read without the daemon and without locks.
package struct StoreFiles: HistorySource {
  private let store: Store
  /// The store's folder.
  package let path: String

  /// The store in the folder at `path`.
  package init(at path: String) throws(ProtocolError) {
    self.path = path
    do { store = try Store.open(at: path) } catch { throw ProtocolError(error) }
  }

  /// All documents of the store.
  package func documents(
    openingUpTo countMax: Int = 0
  ) throws(ProtocolError) -> [DocumentSummary] {
    do { return try store.documents(openingUpTo: countMax) } catch { throw ProtocolError(error) }
  }

  /// The present names of the documents that had this name before.
  package func documents(
    formerlyNamed name: DocumentID
  ) throws(ProtocolError) -> [DocumentID] {
    do { return try store.documents(formerlyNamed: name) } catch { throw ProtocolError(error) }
  }

  /// The names of the other histories of a file.
  package func otherHistories(of document: DocumentID) throws(ProtocolError) -> [DocumentID] {
    do { return try store.otherHistories(of: document) } catch { throw ProtocolError(error) }
  }

  /// The current history of a document; nil if there is no such document.
  package func history(of document: DocumentID) throws(ProtocolError) -> History? {
    do { return try store.history(of: document) } catch { throw ProtocolError(error) }
  }

  /// All of a question: the list of attachments is read once for each call.
  package var readingCountMax: Int { ManyDocuments.countMax }

  /// The current histories of several documents.
  package func readings(of documents: [DocumentID]) -> [HistoryReading] {
    let losses = Result { () throws(ProtocolError) in try self.losses() }
    let attachments = Result { () throws(ProtocolError) in
      do throws(LogError) {
        return Dictionary(grouping: try store.attachmentLosses(in: documents), by: \.document)
      } catch { throw ProtocolError(error) }
    }
    return documents.map { document in
      let facts = WarningFacts(
        losses: losses, attachments: attachments.map { $0[document] ?? [] },
        others: Result { () throws(ProtocolError) in try otherHistories(of: document) })
      return HistoryReading(document, facts) { () async throws(ProtocolError) in
        try history(of: document)
      }
    }
  }

  /// Store status, documents excluded.
  package func status() throws(ProtocolError) -> StoreStatus {
    do { return try store.status() } catch { throw ProtocolError(error) }
  }

  /// Losses that cannot be assigned to a document.
  package func losses() throws(ProtocolError) -> [StoreLoss] {
    do { return try store.losses() } catch { throw ProtocolError(error) }
  }

  /// The report of a check of every byte.
  package func verify(_ work: QuestionWork? = nil) throws(ProtocolError) -> VerificationReport {
    let report: VerificationReport?
    do throws(LogError) {
      report = try store.verify(CheckpointComparison()) { work?.goesOn($0 * 0.9) ?? true }
    } catch { throw ProtocolError(error) }
    guard let report else { throw .requestCancelled }
    return report
  }

  /// The size of the store, by document and kind.
  package func usage() throws(ProtocolError) -> StoreUsage {
    do { return try store.usage() } catch { throw ProtocolError(error) }
  }

  /// The possible repairs, and the steps that opening the store for writing would do.
  package func repairPlan() throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep]) {
    do { return (try store.repairs(CheckpointComparison()), store.recoverySteps()) } catch {
      throw ProtocolError(error)
    }
  }

  /// The attachments of a document whose bytes are stored.
  package func attachments(
    of document: DocumentID
  ) throws(ProtocolError) -> [StoredAttachment] {
    do { return try store.attachments(of: document) } catch { throw ProtocolError(error) }
  }

  /// The attachments that were acknowledged and cannot be given back, of one document or of all.
  package func attachmentLosses(
    of document: DocumentID?
  ) throws(ProtocolError) -> [AttachmentLoss] {
    do { return try store.attachmentLosses(of: document) } catch { throw ProtocolError(error) }
  }

  /// The bytes of an attachment; nil if the document has no such attachment.
  package func attachment(
    _ digest: AttachmentDigest, of document: DocumentID
  ) throws(ProtocolError) -> [UInt8]? {
    do { return try store.attachment(digest, of: document) } catch { throw ProtocolError(error) }
  }

  /// Always nil: no state is in memory.
  package func newestState(of document: DocumentID) -> TextState? { nil }

  /// Always nil: the files are read without a daemon.
  package func daemonStatus() -> DaemonStatus? { nil }
}
