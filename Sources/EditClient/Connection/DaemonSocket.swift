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
  /// If the queue of connections that the daemon has not accepted yet is full, this tries again
  /// until the limit of silence.
  ///
  /// - Throws: `ProtocolError`: `tooLarge` if the path is longer than a socket's can be,
  ///   `notPermitted` if the file system refuses or another user's program listens, `unreachable` if no
  ///   daemon answers, `unresponsive` if it accepts no connection, `requestCancelled` if the task is
  ///   cancelled meanwhile.
  static func connect(
    to path: String, _ group: (any EventLoopGroup)?, _ limits: SilenceLimits,
    _ initialize: @escaping @Sendable (any Channel) throws -> Void
  ) async throws(ProtocolError) -> any Channel {
    let loop = (group ?? MultiThreadedEventLoopGroup.singleton).any()
    var (pause, waited) = (Self.pauseMin, Duration.zero)
    var isNoted = false
    while true {
      do { return try await open(path, loop, initialize).get() } catch {
        guard (error as? IOError)?.errnoCode == EAGAIN else { throw Self.error(error, path) }
      }
      guard waited < limits.silenceMax else {
        throw .unresponsive(socket: path, after: limits.silenceMax)
      }
      if waited >= limits.noteDelay, !isNoted {
        isNoted = true
        limits.onSilence?(path)
      }
      // Without a thread of the runtime, which would wake the process from then on.
      try? await loop.scheduleTask(in: TimeAmount(pause)) {}.futureResult.get()
      guard !Task.isCancelled else { throw .requestCancelled }
      waited += pause
      pause = min(pause * 2, Self.pauseMax, max(limits.silenceMax - waited, Self.pauseMin))
    }
  }

  private static let (pauseMin, pauseMax) = (Duration.milliseconds(10), Duration.milliseconds(250))

  /// A connection to a daemon of this user, or of root. Nothing is sent, and nothing that was received is
  /// read, before that is known.
  static func open(
    _ path: String, _ loop: any EventLoop,
    _ initialize: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    guard let address = SocketAddress(socketPath: path) else {
      return loop.makeFailedFuture(
        ProtocolError(
          .tooLarge,
          "the socket's path has \(path.utf8.count) bytes, and 1 to \(EditLogClient.pathSizeMax) are allowed; give another with --socket or EDITLOG_SOCKET"
        ))
    }
    return ClientBootstrap(group: loop)
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try initialize(channel) }
      }
      .connect(to: address).flatMap { channel in
        checkUser(of: channel, path).flatMap { channel.setOption(.autoRead, value: true) }
          .map { channel }
          .flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
          }
      }
  }

  /// Fails if the program that listens is of another user. Root is no other user: it can read all texts
  /// anyway, and the system's service manager listens as root for a service.
  private static func checkUser(
    of channel: any Channel, _ path: String
  ) -> EventLoopFuture<Void> {
    PeerCredentials.of(channel).flatMapThrowing { peer in
      guard peer.user == geteuid() || peer.user == 0 else {
        throw ProtocolError.foreignListener(socket: path, user: peer.user)
      }
    }
  }

  private static func error(_ error: any Error, _ path: String) -> ProtocolError {
    if let error = error as? ProtocolError { return error }
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
