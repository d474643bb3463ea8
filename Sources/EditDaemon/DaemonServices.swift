import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Replay
import TextState

/// The parts of the daemon that a connection uses.
package struct DaemonServices: Sendable {
  let ingest: Ingest
  let limits: DaemonLimits
  /// What all connections may have in flight beyond what each may always have.
  let budget: ByteBudget
  let answerFiles: AnswerFiles
  let engine: QueryEngine

  init(ingest: Ingest, limits: DaemonLimits) {
    (self.ingest, self.limits) = (ingest, limits)
    budget = ByteBudget(size: limits.sharedBytes)
    answerFiles = AnswerFiles(in: ingest.options.store, bytesMax: limits.answerFileBytesMax)
    engine = QueryEngine(DaemonHistories(ingest: ingest))
  }

  /// The answer to a call, as it is sent.
  func answer(_ request: any MethodRequest) async -> Result<JSON, ProtocolError> {
    do throws(ProtocolError) {
      switch request {
      case let question as any Question: return .success(try await json(question))
      case let change as any Change: return .success(try await json(change))
      default:
        throw ProtocolError(.internalError, "\(type(of: request).method) is no question or change")
      }
    } catch { return .failure(error) }
  }

  private func json<Q: Question>(_ question: Q) async throws(ProtocolError) -> JSON {
    Q.answerCodec.encode(try await engine.answer(question))
  }

  private func json<C: Change>(_ change: C) async throws(ProtocolError) -> JSON {
    C.answerCodec.encode(try await change.perform(services: self))
  }
}

/// The histories of a running daemon: what is sealed, what is in the journal, and the newest
/// versions in memory.
struct DaemonHistories: HistorySource {
  let ingest: Ingest

  /// Only what is in memory is copied between batches; files are looked at beside them.
  func documents(openingUpTo countMax: Int) async throws(ProtocolError) -> [DocumentSummary] {
    let listing = try await ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.listing()
    }
    do { return try listing.summaries(openingUpTo: countMax) } catch { throw ProtocolError(error) }
  }

  func history(of document: DocumentID) async throws(ProtocolError) -> History? {
    try await ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.history(of: document)
    }
  }

  func status() async throws(ProtocolError) -> StoreStatus {
    try await ingest.reading { (ingest) throws(LogError) in try ingest.writer.status() }
  }

  func losses() async throws(ProtocolError) -> [StoreLoss] {
    try await ingest.reading { (ingest) throws(LogError) in ingest.writer.losses }
  }

  /// Reads the files as any reader does, so that a long check keeps no edit waiting.
  func verify() async throws(ProtocolError) -> VerificationReport {
    try StoreFiles(at: path).verify()
  }

  var path: String { ingest.options.store }

  func usage() async throws(ProtocolError) -> StoreUsage { try StoreFiles(at: path).usage() }

  /// The store is open: it has recovered.
  func repairPlan() async throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep]) {
    (try StoreFiles(at: path).repairPlan().repairs, [])
  }

  func newestState(of document: DocumentID) async -> TextState? {
    await ingest.newestState(of: document)
  }

  func daemonStatus() async -> DaemonStatus? { await ingest.daemonStatus }
}
