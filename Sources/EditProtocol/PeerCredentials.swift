import Glibc
package import NIOCore

/// The process and the user at the other end of a Unix socket, by the kernel.
///
/// Of a connection that a daemon accepted, they are those of the process that connected. Of one that a
/// client made, they are those of the process that called listen(2) last: the daemon, or a service manager
/// that holds the socket for it.
package struct PeerCredentials: Hashable, Sendable {
  package let process: Int32
  package let user: UInt32

  /// `struct ucred`, which Swift does not import from Glibc.
  private struct Kernels {
    var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0
  }

  /// The credentials of a channel's peer.
  package static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let credentials: EventLoopFuture<Kernels> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return credentials.map { PeerCredentials(process: $0.pid, user: $0.uid) }
  }
}
