import EditModel
import Glibc
import Synchronization

/// The reader of the output exited. This is not a failure: the verb ends without a message.
struct BrokenPipe: Error {}

/// A buffered stream of bytes to a descriptor, if wanted through a pager. The pager starts with the
/// first bytes, so that an error before them does not open an empty pager.
public final class Output: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var pager: Pager?
    var pagerCommand: String?
    var pagerProblem: String?
  }
  private let state: Mutex<State>
  /// Nil if the output is only collected.
  private let descriptor: Int32?
  private static let bufferSize = 1 << 16

  /// An output to a descriptor.
  init(descriptor: Int32, pagerCommand: String? = nil) {
    self.descriptor = descriptor
    state = Mutex(State(pagerCommand: pagerCommand))
  }

  /// An output that keeps its bytes in memory, for tests.
  public init() {
    descriptor = nil
    state = Mutex(State())
  }

  /// The bytes in the buffer. For an output that keeps its bytes in memory, these are all of them.
  public var captured: [UInt8] { state.withLock { $0.buffer } }

  /// Writes UTF-8.
  func write(_ text: String) throws { try write(bytes: Array(text.utf8)) }

  /// Writes UTF-8 and a line's end.
  package func writeLine(_ text: String) throws { try write(bytes: Array(text.utf8) + [0x0A]) }

  func write(bytes: [UInt8]) throws {
    try state.withLock { state in
      state.buffer += bytes
      if state.buffer.count >= Self.bufferSize { try send(&state) }
    }
  }

  /// Writes the buffer to the descriptor.
  package func flush() throws { try state.withLock { try send(&$0) } }

  /// What was wrong with the pager, if anything: known after `finish()`.
  var pagerProblem: String? { state.withLock { $0.pagerProblem } }

  /// Hands everything on, and waits until the user has left the pager.
  func finish() throws {
    defer { state.withLock { $0.pager = nil } }
    do { try flush() } catch is BrokenPipe where state.withLock({ $0.pager != nil }) {
      // The user left the pager before the end.
    }
    switch state.withLock({ $0.pager?.finish() }) ?? 0 {
    case 0: break
    case 126, 127:
      throw CommandError.io("the pager could not be run; set EDITLOG_PAGER, or give --no-pager")
    case let status:
      state.withLock { $0.pagerProblem = "the pager ended with status \(status)" }
    }
  }

  private func send(_ state: inout State) throws {
    guard let descriptor, !state.buffer.isEmpty else { return }
    if let command = state.pagerCommand {
      state.pager = Pager(command: command)
      if state.pager == nil {
        state.pagerProblem = "the pager \(command.shown) was not found, so nothing was paged"
      }
      state.pagerCommand = nil
    }
    defer { state.buffer.removeAll(keepingCapacity: true) }
    try Self.write(state.buffer, to: state.pager?.descriptor ?? descriptor)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        throw BrokenPipe()
      } else if errno == EAGAIN {
        waitForRoom(descriptor)
      } else if errno != EINTR {
        throw CommandError.io("cannot write the output: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Waits until the descriptor is writable: another program may have left it non-blocking.
  private static func waitForRoom(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}
