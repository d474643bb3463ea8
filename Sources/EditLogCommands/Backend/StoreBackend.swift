import EditIngest
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging

/// The files of the store in the directory at `path`, without a daemon.
///
/// - Throws: `ProtocolError`. At present it never throws: whether a store exists is checked by the
///   first question or change, because `append` creates a missing store.
func makeStoreBackend(path: String) async throws(ProtocolError) -> any Backend {
  StoreBackend(path: path)
}

/// A store's files. Questions are answered from them without locks, whether or not a daemon runs.
/// All answers are those of the store at the time of the first question, so that its journals are
/// read once. The first change opens the store for writing, and keeps it open until the end.
private actor StoreBackend: Backend {
  private let path: String
  private var store: WritableStore?
  private var engine: QueryEngine?
  private var identity: ClientIdentity?

  init(path: String) { self.path = path }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    try await ask(question, QuestionWork())
  }

  func ask<Q: Question>(
    _ question: Q, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Q.Answer {
    try await ask(question, QuestionWork { progress(Double($0) / 100) })
  }

  private func ask<Q: Question>(_ question: Q, _ work: QuestionWork) async throws -> Q.Answer {
    return try await withTaskCancellationHandler {
      if let store { return try await store.ask(question, work) }
      return try await openEngine().answer(question, work)
    } onCancel: {
      work.cancel()
    }
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    if !C.createsStore { try checkStore() }
    return try await writer().perform(change)
  }

  func introduce(_ identity: ClientIdentity) {
    self.identity = identity
    store?.client = identity
  }

  func close() async {
    await store?.close()
    (store, engine) = (nil, nil)
  }

  private func openEngine() throws(ProtocolError) -> QueryEngine {
    if let engine { return engine }
    try checkStore()
    let opened = QueryEngine(try StoreFiles(at: path))
    engine = opened
    return opened
  }

  /// Refuses a missing store, and one that lost the files that identify it.
  private func checkStore() throws(ProtocolError) {
    guard access(path + "/format", F_OK) != 0, errno == ENOENT,
      access(path + "/confirmed", F_OK) != 0
    else { return }
    // Opening it says that it is a backup that was not completed.
    guard access(path + "/backup", F_OK) != 0 else { return }
    if access(path + "/documents", F_OK) == 0 || access(path + "/journal", F_OK) == 0 {
      throw ProtocolError(
        .damagedLog,
        "\(path.shown)/format and \(path.shown)/confirmed are missing, and the store is not empty; "
          + "put one of them back")
    }
    throw ProtocolError(
      .unknownDocument,
      "there is no store at \(path.shown); give another --store, or create one by `editlog append`")
  }

  private func writer() async throws(ProtocolError) -> WritableStore {
    if let store { return store }
    var opened: WritableStore
    do {
      opened = try await WritableStore.open(
        IngestOptions(store: path),
        logger: Logger(label: "editlog") { _ in SwiftLogNoOpLogHandler() })
    } catch { throw ProtocolError(reading: error) }
    opened.client = identity
    // The engine reads the files as they were before.
    (store, engine) = (opened, nil)
    return opened
  }
}

extension Change {
  /// True if the change may create a store. All others need a document or a file that exists.
  fileprivate static var createsStore: Bool {
    self == AppendRequest.self || self == ImportRequest.self
  }
}
