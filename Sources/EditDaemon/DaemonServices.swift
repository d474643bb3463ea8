import EditLog
import EditModel
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Replay
import TextState

/// The parts of the daemon a connection talks to.
struct DaemonServices: Sendable {
  let ingest: Ingest
  let limits: DaemonLimits
  /// What all connections may have in flight beyond what each may always have.
  let budget: ByteBudget
  let answerFiles: AnswerFiles

  init(ingest: Ingest, limits: DaemonLimits) {
    (self.ingest, self.limits) = (ingest, limits)
    budget = ByteBudget(size: limits.sharedBytes)
    answerFiles = AnswerFiles(in: ingest.options.store, bytesMax: limits.answerFileBytesMax)
  }

  /// The result of any method but those that change histories by themselves.
  func answer(_ method: String, _ params: JSON) async -> Result<JSON, ProtocolError> {
    do throws(ProtocolError) {
      let engine = QueryEngine(DaemonHistories(ingest: ingest))
      switch method {
      case "editlog/forget": return .success(try await forget(params))
      case "editlog/repair" where try !params.flag("dryRun"):
        return .success(try await repair(engine, params))
      case "editlog/mark": return .success(try await mark(params, engine))
      case "editlog/status":
        let status = try await engine.answer(method, params)
        return .success(status.merging(await ingest.runningStatus))
      case "editlog/undo" where try !Self.isPlan(undo: params):
        return .success(try await undo(params, engine))
      default: return .success(try await engine.answer(method, params))
      }
    } catch {
      return .failure(error)
    }
  }

  /// True if an undo is only asked about.
  private static func isPlan(undo params: JSON) throws(ProtocolError) -> Bool {
    let (isList, isDryRun) = (try params.flag("list"), try params.flag("dryRun"))
    return isList || isDryRun
  }

  private func mark(_ params: JSON, _ engine: QueryEngine) async throws(ProtocolError) -> JSON {
    let (document, label, sequence) = try await engine.mark(params)
    try await ingest.mark(document, label: label, at: sequence)
    return ["label": JSON(label), "sequence": JSON(sequence)]
  }

  /// Takes the current undo step back by appending the edits that do so. Another edit may come
  /// between; then it is planned anew.
  private func undo(_ params: JSON, _ engine: QueryEngine) async throws(ProtocolError) -> JSON {
    while true {
      let (step, request) = try await engine.undoRequest(params)
      do throws(ProtocolError) {
        let result = try await ingest.append(request)
        return ["step": JSON(step), "sequence": JSON(result.sequence)]
      } catch {
        guard error.code == .sequenceConflict else { throw error }
      }
    }
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
}

extension JSON {
  /// This object with the members of `other` put over its own.
  fileprivate func merging(_ other: JSONObject) -> JSON {
    guard case .object(var object) = self else { return self }
    for member in other.members { object[member.name] = member.value }
    return .object(object)
  }
}
