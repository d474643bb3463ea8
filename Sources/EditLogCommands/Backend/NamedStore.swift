import EditClient
import EditIngest
import EditModel
import EditProtocol
import EditQueries
import Glibc

/// The store that `EDITLOG_STORE` names. A daemon that is asked must serve this store, so that nothing is
/// logged in another one than the user thinks.
struct NamedStore: Hashable, Sendable {
  let path: String

  /// Nil if the environment names none.
  init?(_ environment: (String) -> String? = Terminal.environment) {
    guard let path = environment("EDITLOG_STORE") else { return nil }
    self.path = path
  }

  /// Checks the store of the daemon that a client is connected to.
  ///
  /// - Throws: `ProtocolError`: `invalidParams` if it is another one; as `EditLogClient.call`.
  func check(_ client: EditLogClient, at socket: String) async throws(ProtocolError) {
    let status: StatusAnswer
    do { status = try await client.call(StatusRequest()) } catch { throw ProtocolError(any: error) }
    try await check(status, at: socket)
  }

  /// Checks the store of the daemon at a socket, over a connection of its own.
  ///
  /// - Throws: as `EditLogClient.connect` and `check`.
  func check(at socket: String, _ silence: SilenceLimits) async throws(ProtocolError) {
    let client = try await DaemonTerms(silence: silence, store: self).connect(to: socket)
    await client.close()
  }

  /// Checks the store of the daemon that answered.
  ///
  /// - Throws: `ProtocolError`: `invalidParams` if it is another one.
  func check(_ status: StatusAnswer, at socket: String) async throws(ProtocolError) {
    guard await !isStore(of: status) else { return }
    throw ProtocolError(
      .invalidParams,
      """
      EDITLOG_STORE names the store \(path.shown), and the daemon at \(socket.shown) serves \
      \(status.path.shown); unset EDITLOG_STORE, or start an editlogd of \(path.shown) and name its socket in \
      EDITLOG_SOCKET
      """)
  }

  /// True if the folders are the same; a copy of a store is another one, though it has the same
  /// identifier. Where the daemon's path leads nowhere here, as with one in a container, the identifiers
  /// decide.
  private func isStore(of status: StatusAnswer) async -> Bool {
    var (mine, theirs) = (stat(), stat())
    guard stat(path, &mine) == 0 else { return false }
    if stat(status.path, &theirs) == 0 {
      return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }
    guard let files = try? StoreFiles(at: path) else { return false }
    let own = try? await QueryEngine(files).answer(StatusRequest(), QuestionWork())
    return own?.store == status.store
  }
}
