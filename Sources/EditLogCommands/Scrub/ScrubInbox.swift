import Glibc
import Scrubbing
import Synchronization

/// Inputs from tasks to the thread of the screen, which waits at the end of a pipe.
final class ScrubInbox: Sendable {
  /// The end of the pipe at which to wait: a byte of 0 for inputs, else the number of a signal.
  let wakeEnd: Int32
  /// The end at which the thread is woken.
  let writeEnd: Int32
  private let inputs = Mutex<[ScrubInput]>([])

  /// - Throws: `CommandError` (70) if no pipe can be made.
  init() throws(CommandError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw .internalError("no pipe can be made: \(String(cString: strerror(errno)))")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (wakeEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Adds an input, and wakes the thread.
  func put(_ input: ScrubInput) {
    inputs.withLock { $0.append(input) }
    var byte = UInt8(0)
    // If the pipe is full, the thread is awake.
    _ = write(writeEnd, &byte, 1)
  }

  /// Takes the inputs.
  func take() -> [ScrubInput] {
    inputs.withLock { inputs in
      defer { inputs = [] }
      return inputs
    }
  }

  /// The signals since the last call.
  func takeSignals() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(wakeEnd, &bytes, bytes.count)
    return count > 0 ? bytes.prefix(count).filter { $0 != 0 }.map { Int32($0) } : []
  }
}
