import EditProtocol
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Connections to the daemon's socket, in either dialect.
enum DaemonSocket {
  /// Connects to the socket at `path`. Runs on `group`, or on threads that all clients share.
  ///
  /// - Throws: `ProtocolError`: `tooLarge` if the path is longer than a socket's can be,
  ///   `notPermitted` if the file system refuses, `unreachable` if no daemon answers.
  static func connect(
    to path: String, _ group: (any EventLoopGroup)?,
    _ initialize: @escaping @Sendable (any Channel) throws -> Void
  ) async throws(ProtocolError) -> any Channel {
    guard let address = SocketAddress(socketPath: path) else {
      throw ProtocolError(
        .tooLarge,
        "the socket's path has \(path.utf8.count) bytes, and 1 to \(EditLogClient.pathSizeMax) are allowed; give another with --socket or EDITLOG_SOCKET"
      )
    }
    do {
      return try await ClientBootstrap(group: group ?? MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try initialize(channel) }
        }
        .connect(to: address).get()
    } catch { throw Self.error(error, path) }
  }

  private static func error(_ error: any Error, _ path: String) -> ProtocolError {
    let code = (error as? IOError)?.errnoCode
    return switch code {
    case EACCES, EPERM: .notPermitted("this user may not open the socket \(path)")
    case ENOENT: .unreachable(socket: path, "there is no such socket")
    case ECONNREFUSED: .unreachable(socket: path, "nothing listens on it")
    case ENOTSOCK: .unreachable(socket: path, "it is not a socket")
    default: .unreachable(socket: path, "\(error)")
    }
  }

  /// The error of a connection that ended with this error.
  static func lost(_ error: any Error, _ path: String) -> ProtocolError {
    switch error {
    case FrameError.unexpectedEnd: .unreachable(socket: path, "the connection was lost")
    case let error as FrameError: ProtocolError(error)
    case let error as ProtocolError: error
    case let error as IOError:
      .unreachable(socket: path, "the connection broke (\(error))")
    default: ProtocolError(.internalError, "\(error)")
    }
  }
}
