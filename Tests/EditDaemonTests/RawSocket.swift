import EditProtocol
import Glibc

/// A connection without SwiftNIO: blocking, for tests that need thousands of connections, or calls that
/// a client library does not make.
final class RawSocket: Sendable {
  let descriptor: Int32

  /// Connects. Reading waits a minute at most: longer than a disk takes for a flush on a busy machine.
  ///
  /// - Throws: `RawSocket.Failure`.
  init(to path: String) throws(Failure) {
    guard let address = SocketAddressBytes(path) else { throw Failure(code: ENAMETOOLONG) }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard address.connect(descriptor) == 0 else { throw Failure(code: errno) }
  }

  deinit { close(descriptor) }

  struct Failure: Error { let code: Int32 }

  /// Sends bytes; returns false once the daemon has closed the connection.
  @discardableResult
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends the sending direction.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Everything until the daemon ends the connection. Nil if it does not within a minute.
  func rest() -> [UInt8]? {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count == 0 || count < 0 && errno == ECONNRESET { return all }
      guard count > 0 else { return nil }
      all += bytes.prefix(count)
    }
  }
}

/// The address of a socket.
private struct SocketAddressBytes {
  private var name = sockaddr_un()

  init?(_ path: String) {
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &name.sun_path) { target in
      guard bytes.count < target.count else { return false }
      target.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }

  func connect(_ descriptor: Int32) -> Int32 {
    withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
