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

  /// The place that options and environment name.
  ///
  /// An option decides. Without one, a variable does, `EDITLOG_SOCKET` for the daemon,
  /// `EDITLOG_STORE` for the files. Where both are set or none is: the daemon if one listens,
  /// else the files; the places not named are those of XDG.
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

  /// Opens what is there.
  ///
  /// - Throws: `ProtocolError`, `unreachable` where neither daemon nor files are there.
  func open() async throws -> any Backend {
    switch self {
    case .socket(let path): return try await SocketBackend(path: path)
    case .store(let path): return try await makeStoreBackend(path: path)
    case .either(let socket, let store):
      do { return try await SocketBackend(path: socket) } catch {
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
