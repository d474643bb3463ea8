import Glibc

/// A blocking connection to the daemon's socket: the fewest threads between the clock and the daemon.
struct Connection: ~Copyable {
  private let descriptor: Int32

  init(path: String) throws { descriptor = try Self.connect(to: path) }

  private static func connect(to path: String) throws -> Int32 {
    var address = sockaddr_un()
    let sizeMax = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= sizeMax else {
      throw Failure("the socket's path is longer than \(sizeMax) bytes: \(path)")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.system("socket") }
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let failure = Failure.system("cannot connect to \(path)")
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  deinit { close(descriptor) }

  /// Sends as many of the bytes as the system takes now. Returns their number.
  borrowing func send(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    let count = Glibc.send(
      descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    if count >= 0 { return count }
    guard errno == EAGAIN || errno == EINTR else { throw Failure.system("send") }
    return 0
  }

  /// Receives what is there, at most `room.count` bytes. Returns their number; 0 if there is nothing.
  borrowing func receive(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
    if count > 0 { return count }
    guard count < 0 else { throw Failure("the daemon closed the connection") }
    guard errno == EAGAIN || errno == EINTR else { throw Failure.system("receive") }
    return 0
  }

  /// Waits until there is something to receive, there is room to send if `sends`, or `nanoseconds`
  /// have passed.
  borrowing func wait(sends: Bool, nanoseconds: UInt64) {
    var (readable, writable) = (fd_set(), fd_set())
    set(descriptor, in: &readable)
    if sends { set(descriptor, in: &writable) }
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    // `poll` has milliseconds only.
    _ = pselect(descriptor + 1, &readable, &writable, nil, &time, nil)
  }

  private func set(_ descriptor: Int32, in set: inout fd_set) {
    withUnsafeMutableBytes(of: &set) { bytes in
      bytes[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8)
    }
  }
}
