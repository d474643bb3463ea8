import EditProtocol
import Glibc
import NIOCore

/// Who is at the other end of a socket, as the kernel saw it connect: `struct ucred`, which Glibc
/// shows to C programs only.
private struct PeerCredentials {
  var pid: pid_t = 0
  var uid: uid_t = 0
  var gid: gid_t = 0
}

/// Lets in whoever the kernel says is the daemon's own user (or root's namesake of it), before a
/// byte is read.
struct PeerCheck {
  let user = geteuid()

  /// Closes the channel, with one message that says why, where its peer is somebody else. The
  /// future is done when the channel may be read.
  func admit(_ channel: any Channel) -> EventLoopFuture<Bool> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(false)
    }
    let credentials: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return credentials.map { $0.uid == user }
  }

  /// The error for a peer that is refused.
  var refusal: ProtocolError {
    .notPermitted(
      "this editlogd serves user \(user) alone; start one of your own, or connect as that user")
  }
}
