import EditDaemon
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging

/// The files of the store in the directory at `path`, without a daemon.
///
/// - Throws: `ProtocolError` never now: a store that is not there is for a reader an error and
///   for a writer the beginning of one.
func makeStoreBackend(path: String) async throws(ProtocolError) -> any Backend {
  StoreBackend(path: path)
}

/// A store's files. Questions are answered from them without locks, beside a daemon or after it: all
/// from the store as it was at the first, whose journals are read once. The first call that changes
/// something opens the store for writing, and keeps it until the end.
private actor StoreBackend: Backend {
  private let path: String
  private var daemon: LocalDaemon?
  private var files: StoreFiles?

  init(path: String) { self.path = path }

  func call(_ method: String, _ params: JSON) async throws -> JSON {
    if daemon == nil, Self.isQuestion(method, params) {
      return try await QueryEngine(openFiles()).answer(method, params)
    }
    // Neither begins a store.
    if method == "editlog/forget" || method == "editlog/repair" { try checkStore() }
    return try await writer().call(method, params)
  }

  func close() async {
    await daemon?.close()
    (daemon, files) = (nil, nil)
  }

  private func openFiles() throws(ProtocolError) -> StoreFiles {
    if let files { return files }
    try checkStore()
    let opened = try StoreFiles(at: path)
    files = opened
    return opened
  }

  /// A store that is not there knows no document; a verb that writes makes it.
  private func checkStore() throws(ProtocolError) {
    guard access(path + "/format", F_OK) != 0, errno == ENOENT,
      access(path + "/confirmed", F_OK) != 0
    else { return }
    if access(path + "/documents", F_OK) == 0 || access(path + "/journal", F_OK) == 0 {
      throw ProtocolError(
        .damagedLog,
        "\(path.shown)/format and \(path.shown)/confirmed are missing, and the store is not empty; "
          + "put one of them back")
    }
    throw ProtocolError(
      .unknownDocument,
      "there is no store at \(path.shown); give another --store, or make one by `editlog append`")
  }

  private func writer() async throws(ProtocolError) -> LocalDaemon {
    if let daemon { return daemon }
    let opened = try await LocalDaemon.open(
      store: path, logger: Logger(label: "editlog") { _ in SwiftLogNoOpLogHandler() })
    // What it changes, the files as they were do not tell.
    (daemon, files) = (opened, nil)
    return opened
  }

  private static func isQuestion(_ method: String, _ params: JSON) -> Bool {
    guard QueryEngine.methods.contains(method) else { return false }
    switch method {
    case "editlog/undo": return params["list"] == true || params["dryRun"] == true
    case "editlog/repair": return params["dryRun"] == true
    default: return true
    }
  }
}
