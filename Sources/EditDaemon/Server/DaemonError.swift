package import EditLog
import EditModel
import EditProtocol
import Glibc

/// The reason why the daemon could not start or had to end.
package enum DaemonError: Error, Sendable, CustomStringConvertible {
  /// The store could not be opened, or its writer failed.
  case store(LogError)
  /// Another daemon answers at the socket.
  case socketInUse(path: String)
  /// The socket's path is longer than the system allows.
  case socketPathTooLong(path: String, size: Int, sizeMax: Int)
  /// The folder of the socket could not be created.
  case socketFolderMissing(path: String, errno: Int32)
  /// The socket's folder or path is not safe to use.
  case socketRefused(path: String, why: String)
  /// The service manager passed something that is not one listening Unix socket.
  case badActivation(count: Int)
  /// The process may open too few files.
  case tooFewDescriptors(limit: Int, needed: Int)
  /// Another system call failed.
  case io(what: String, errno: Int32)

  /// One sentence for the user: the problem and the next step.
  package var description: String {
    switch self {
    case .store(let error):
      "\(error)"
    case .socketInUse(let path):
      "another editlogd already listens at \(path.shown); stop it, or give another --socket"
    case .socketPathTooLong(_, let size, let sizeMax):
      """
      the socket's path has \(size) bytes, and 1 to \(sizeMax) are allowed; give another with \
      --socket or EDITLOG_SOCKET
      """
    case .socketFolderMissing(let path, let errno):
      """
      could not create the folder \(path.shown) of the socket: \(String(cString: strerror(errno))); \
      set XDG_RUNTIME_DIR, or give a --socket in a folder of this user
      """
    case .socketRefused(let path, let why):
      "cannot put the socket at \(path.shown): \(why)"
    case .badActivation(let count):
      """
      the service manager passed \(count == 1 ? "a descriptor" : "\(count) descriptors"), and \
      one listening Unix stream socket is needed; correct the socket unit
      """
    case .tooFewDescriptors(let limit, let needed):
      """
      this process may open \(limit) files, and needs at least \(needed); raise the limit with \
      `ulimit -n 1024`, or with LimitNOFILE= in the systemd unit
      """
    case .io(let what, let errno):
      "could not \(what): \(String(cString: strerror(errno)))"
    }
  }

  /// The exit code of sysexits(3).
  package var exitCode: Int32 {
    switch self {
    case .store(.newerFormat), .badActivation: 78
    case .store(.damaged), .store(.noStore): 65
    case .store(.locked): 75
    case .store(.refused), .socketRefused: 77
    case .store(.io(_, _, let code)) where code == EACCES || code == EPERM: 77
    case .socketFolderMissing(_, let code) where code == EACCES || code == EPERM: 77
    case .store(.noSpace), .store(.poisoned), .store(.io), .socketFolderMissing, .io: 74
    case .socketInUse: 73
    case .socketPathTooLong: ProtocolError.Code.tooLarge.exitStatus
    case .tooFewDescriptors: 71
    }
  }
}
