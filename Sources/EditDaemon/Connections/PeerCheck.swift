import EditProtocol
import Glibc
import NIOCore

/// The process at the other end of a socket when it connected: `struct ucred`, which Swift does not
/// import from Glibc.
private struct PeerCredentials {
  var pid: pid_t = 0
  var uid: uid_t = 0
  var gid: gid_t = 0
}

/// Admits only connections of the daemon's own user, by the kernel's credentials of the peer.
struct PeerCheck {
  let user = geteuid()

  /// The number of the peer's process if it is one of the daemon's user; else nil.
  func admit(_ channel: any Channel) -> EventLoopFuture<pid_t?> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(nil)
    }
    let credentials: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return credentials.map { $0.uid == user ? $0.pid : nil }
  }

  /// The error for a peer that is refused.
  var refusal: ProtocolError {
    .notPermitted(
      "this editlogd serves only user \(user); start your own editlogd, or connect as that user")
  }
}
