import Glibc
public import NIOCore
import NIOPosix
import Synchronization

/// Standard input, or any other descriptor that can be polled and read. Reads block a thread of
/// their own: a non-blocking descriptor would change the flags that other processes share.
public final class DescriptorInput: BridgeInput {
  private let descriptor: Int32
  /// A pipe whose one byte wakes the reader.
  private let wake: (reading: Int32, writing: Int32)
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let isStopped = Atomic<Bool>(false)
  /// After `stop()`: how long what was sent before may still be on its way.
  private let lingerMillis: Int32

  /// Reads `descriptor`, which the caller closes. Nil if the process may open no more files.
  public init?(_ descriptor: Int32, lingerMillis: Int32 = 50) {
    (self.descriptor, self.lingerMillis) = (descriptor, lingerMillis)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    wake = (ends[0], ends[1])
    threads.start()
  }

  deinit {
    close(wake.reading)
    close(wake.writing)
    threads.shutdownGracefully { _ in }
  }

  /// The next bytes, nil at the end or, after `stop()`, when no more are there.
  public func read() async throws -> ByteBuffer? {
    try await threads.runIfActive { try self.blockingRead() }
  }

  /// From now on only what has already arrived is read. Safe in a signal handler of Dispatch.
  public func stop() {
    guard !isStopped.exchange(true, ordering: .relaxed) else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(wake.writing, &byte, 1)
  }

  /// True after `stop()`, and if the writing end of a pipe is closed.
  public var isEnding: Bool {
    if isStopped.load(ordering: .relaxed) { return true }
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }

  private func blockingRead() throws -> ByteBuffer? {
    while true {
      guard try waitForBytes() else { return nil }
      var buffer = ByteBufferAllocator().buffer(capacity: 1 << 16)
      var result = 0
      buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 16) { bytes in
        result = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        return max(0, result)
      }
      if result > 0 { return buffer }
      if result == 0 { return nil }
      guard errno == EINTR || errno == EAGAIN else {
        throw IOError(errnoCode: errno, reason: "read")
      }
    }
  }

  /// True if a read returns bytes or the end; false if nothing has arrived since `stop()`.
  private func waitForBytes() throws -> Bool {
    while true {
      let isStopped = isStopped.load(ordering: .relaxed)
      var states = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&states, isStopped ? 1 : 2, isStopped ? lingerMillis : -1)
      if count < 0, errno != EINTR { throw IOError(errnoCode: errno, reason: "poll") }
      if count == 0, isStopped { return false }
      if count > 0, states[0].revents != 0 { return true }
    }
  }
}

/// Standard output. Writes block a thread of their own.
public final class DescriptorOutput: BridgeOutput {
  private let descriptor: Int32
  private let threads = NIOThreadPool(numberOfThreads: 1)

  /// Writes to `descriptor`, which the caller closes.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
    threads.start()
  }

  deinit { threads.shutdownGracefully { _ in } }

  /// Writes all of the bytes.
  public func write(_ bytes: ByteBuffer) async throws {
    try await threads.runIfActive { try self.blockingWrite(bytes) }
  }

  private func blockingWrite(_ bytes: ByteBuffer) throws {
    var bytes = bytes
    while bytes.readableBytes > 0 {
      let count = bytes.withUnsafeReadableBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 { bytes.moveReaderIndex(forwardBy: count) }
      guard count < 0, errno != EINTR else { continue }
      guard errno == EAGAIN else { throw IOError(errnoCode: errno, reason: "write") }
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&state, 1, -1)
    }
  }
}
