import Glibc

/// Notifies the service manager, as sd_notify(3) does: one datagram of `NAME=value` lines to the socket
/// that `NOTIFY_SOCKET` names. Does nothing if the variable is not set.
package struct ServiceManager: Sendable {
  private let address: String?
  /// The time between two calls of `alive`: half of the time after which the manager would end the
  /// daemon. Nil if the manager does not wait for them.
  let aliveInterval: Duration?

  /// The manager that the environment names.
  package init() {
    func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    address = text("NOTIFY_SOCKET")
    let isWatched = text("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let time = text("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    aliveInterval = isWatched && time > 1 ? .microseconds(time / 2) : nil
  }

  /// The store is open, and the socket listens. Also sent after `reloading`.
  func ready(status: String) { send("READY=1\nSTATUS=\(status)\nMAINPID=\(getpid())") }
  /// The daemon reads its settings again.
  func reloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }
  /// The daemon works.
  func alive() { send("WATCHDOG=1") }
  /// The daemon is stopping.
  func stopping() { send("STOPPING=1") }
  /// The daemon ends because of an error, which `systemctl status` shows.
  package func failed(_ error: String) {
    // A line break would begin another variable.
    send("STATUS=\(error.replacing("\n", with: " "))")
  }

  /// Errors are ignored: the daemon works without a manager.
  private func send(_ message: String) {
    guard let address, var name = sockaddr_un(path: address) else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Without the terminator, which would be a part of an abstract name.
    let size = MemoryLayout<sa_family_t>.size + address.utf8.count
    withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
        _ = message.utf8CString.withUnsafeBytes {
          sendto(
            descriptor, $0.baseAddress, $0.count - 1, Int32(MSG_NOSIGNAL), target,
            socklen_t(size))
        }
      }
    }
  }
}

extension sockaddr_un {
  /// The address of a path, or of an abstract name that begins with `@`. Returns nil if it is too long.
  init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &sun_path) { target in
      guard !bytes.isEmpty, bytes.count < target.count else { return false }
      target.copyBytes(from: bytes)
      if bytes[0] == UInt8(ascii: "@") { target[0] = 0 }
      return true
    }
    guard fits else { return nil }
  }
}
