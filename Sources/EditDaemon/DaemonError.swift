public import EditLog
import Glibc

/// Why the daemon could not start or had to end. Each case has an exit code and one sentence
/// that says what to do.
public enum DaemonError: Error, Sendable, CustomStringConvertible {
  /// The store could not be opened, or its writer failed.
  case store(LogError)
  /// Another daemon answers at the socket.
  case socketInUse(path: String)
  /// The socket's path is longer than the system allows.
  case socketPathTooLong(path: String, size: Int, sizeMax: Int)
  /// The socket's place is not safe to use.
  case socketRefused(path: String, why: String)
  /// The system lets the process open too few files.
  case tooFewDescriptors(limit: Int, needed: Int)
  /// The operating system refused something else.
  case io(what: String, errno: Int32)

  /// One sentence for the user.
  public var description: String {
    switch self {
    case .store(let error):
      "\(error)"
    case .socketInUse(let path):
      "another editlogd already listens at \(path); stop it, or give another --socket"
    case .socketPathTooLong(let path, let size, let sizeMax):
      """
      the socket path \(path) has \(size) bytes, but a Unix socket's path holds \(sizeMax); \
      give a shorter --socket
      """
    case .socketRefused(let path, let why):
      "cannot put the socket at \(path): \(why)"
    case .tooFewDescriptors(let limit, let needed):
      """
      this process may open \(limit) files, and needs \(needed) at least; raise the limit with \
      `ulimit -n 1024`, or LimitNOFILE= of the unit
      """
    case .io(let what, let errno):
      "could not \(what): \(String(cString: strerror(errno)))"
    }
  }

  /// The exit code, by sysexits(3).
  public var exitCode: Int32 {
    switch self {
    case .store(.newerFormat): 78
    case .store(.damaged), .store(.noStore): 65
    case .store(.locked): 75
    case .store(.refused), .socketRefused: 77
    case .store(.io(_, _, let code)) where code == EACCES || code == EPERM: 77
    case .store(.noSpace), .store(.poisoned), .store(.io), .io: 74
    case .socketInUse: 73
    case .socketPathTooLong: 64
    case .tooFewDescriptors: 71
    }
  }
}
