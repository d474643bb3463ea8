import EditProtocol
import Glibc
import NIOCore

/// Admits only connections of the daemon's own user, by the kernel's credentials of the peer.
struct PeerCheck {
  let user = geteuid()

  /// The number of the peer's process if it is one of the daemon's user; else nil. Fails if that is not
  /// known.
  func admit(_ channel: any Channel) -> EventLoopFuture<Int32?> {
    PeerCredentials.of(channel).map { $0.user == user ? $0.process : nil }
  }

  /// The error for a peer that is refused.
  var refusal: ProtocolError {
    .notPermitted(
      "this editlogd serves only user \(user); start your own editlogd, or connect as that user")
  }
}
