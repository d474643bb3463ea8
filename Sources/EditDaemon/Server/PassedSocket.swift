import Glibc

/// The listening socket that the service manager passes, as sd_listen_fds(3) does.
struct PassedSocket {
  /// The first descriptor that is passed.
  private static let firstDescriptor: Int32 = 3

  let descriptor: Int32
  /// The path to which it is bound.
  let path: String

  /// The socket that the environment names. Nil if none was passed to this process.
  ///
  /// - Throws: `DaemonError.badActivation` if it is not exactly one listening Unix stream socket.
  static func current() throws(DaemonError) -> PassedSocket? {
    func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    guard number("LISTEN_PID") == Int(getpid()), let count = number("LISTEN_FDS"), count > 0
    else { return nil }
    let socket = firstDescriptor
    guard count == 1, option(SO_DOMAIN, of: socket) == AF_UNIX,
      option(SO_TYPE, of: socket) == Int32(SOCK_STREAM.rawValue),
      option(SO_ACCEPTCONN, of: socket) == 1, let path = path(of: socket)
    else { throw .badActivation(count: count) }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return PassedSocket(descriptor: socket, path: path)
  }

  private static func option(_ name: Int32, of socket: Int32) -> Int32? {
    var (value, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  private static func path(of socket: Int32) -> String? {
    var (name, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
    let result = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    guard result == 0 else { return nil }
    return withUnsafeBytes(of: name.sun_path) { bytes in
      // The name of an abstract socket begins with a zero byte.
      let isAbstract = bytes.first == 0
      let text = bytes.dropFirst(isAbstract ? 1 : 0).prefix { $0 != 0 }
      return (isAbstract ? "@" : "") + String(decoding: text, as: UTF8.self)
    }
  }
}
