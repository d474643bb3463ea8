package import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SocketAddress {
  /// The address of the socket at `path`; nil if the path is empty or too long. It is used instead
  /// of swift-nio's initializer, which accepts at most 103 bytes on every system.
  package init?(socketPath path: String) {
    guard (1...StandardPlaces.socketPathSizeMax).contains(path.utf8.count) else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    self.init(address)
  }
}
