import EditProtocol
import Glibc
import NIOCore

/// Lets in whoever the kernel says is the daemon's own user (or root's namesake of it), before a
/// byte is read.
struct PeerCheck {
  let user: uid_t

  /// Closes the channel, with one message that says why, where its peer is somebody else. The
  /// future is done when the channel may be read.
  func admit(_ channel: any Channel) -> EventLoopFuture<Bool> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(false)
    }
    let credentials: EventLoopFuture<ucred> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return credentials.map { $0.uid == user }
  }

  /// What a peer that is not let in is told.
  var refusal: ProtocolError {
    .notPermitted(
      "this editlogd serves user \(user) alone; start one of your own, or connect as that user")
  }
}
