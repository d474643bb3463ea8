import EditModel
import EditProtocol
import Glibc

/// Where to look for histories.
enum Location: Hashable, Sendable {
  /// The daemon at this socket.
  case socket(String)
  /// The files in this directory.
  case store(String)
  /// The daemon at this socket if it listens there, else the files.
  case either(socket: String, store: String)

  /// The location that the options and the environment name.
  ///
  /// An option decides. Without an option, a variable decides: `EDITLOG_SOCKET` for the daemon,
  /// `EDITLOG_STORE` for the files. If both are set, or neither, it is the daemon if one listens,
  /// else the files. A path that is not given is that of the XDG specification.
  init(
    socket: String?, store: String?,
    _ environment: @escaping @Sendable (String) -> String? = Terminal.environment
  ) {
    if let socket {
      self = .socket(socket)
    } else if let store {
      self = .store(store)
    } else {
      let places = StandardPlaces(environment: environment)
      switch (environment("EDITLOG_SOCKET"), environment("EDITLOG_STORE")) {
      case (let socket?, nil): self = .socket(socket)
      case (nil, let store?): self = .store(store)
      default:
        self =
          places.store.map { .either(socket: places.socket, store: $0) }
          ?? .socket(places.socket)
      }
    }
  }

  /// Connects to the daemon, or opens the files.
  ///
  /// - Throws: `ProtocolError`: `unreachable` if there is neither a daemon nor a store, `unresponsive` if
  ///   there is a daemon that sends nothing.
  func open(_ terms: DaemonTerms = DaemonTerms()) async throws -> any Backend {
    switch self {
    case .socket(let path): return try await SocketBackend(path: path, terms)
    case .store(let path): return try await makeStoreBackend(path: path)
    case .either(let socket, let store):
      do { return try await SocketBackend(path: socket, terms) } catch {
        guard error.code == .unreachable else { throw error }
        guard access(store, F_OK) == 0 else {
          throw ProtocolError(
            .unreachable, "\(error.message); and there is no store at \(store.shown)",
            details: error.details)
        }
        return try await makeStoreBackend(path: store)
      }
    }
  }
}
