import Glibc
import NIOPosix
import Synchronization

/// Handles the signals with which editors end their servers, and a terminal its programs, as long
/// as this object lives. At most one lives at a time.
///
/// Without Dispatch, whose threads wake every second once one of them has run.
package final class StopSignals: Sendable {
  /// Where the handlers write to.
  fileprivate static let output = Atomic<Int32>(-1)
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let ends: [Int32]

  /// Calls `stop` on a thread for SIGHUP and SIGTERM, and for SIGINT if `interrupt` is true; otherwise
  /// SIGINT is ignored, because a key in the editor's terminal sends it to all its processes.
  package init(interrupt: Bool, _ stop: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe, the signals end the process as they do by default.
    let isOpen = pipe(&ends) == 0
    for end in ends where isOpen { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.ends = ends
    Self.output.store(ends[1], ordering: .relaxed)
    threads.start()
    if isOpen {
      threads.submit { [input = ends[0]] _ in
        var byte: UInt8 = 0
        while true {
          let count = read(input, &byte, 1)
          if count < 0, errno == EINTR { continue }
          guard count == 1, byte == 1 else { return }
          stop()
        }
      }
    }
    // Writing to a closed pipe is an error of that write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    if !interrupt { signal(SIGINT, SIG_IGN) }
    for number in [SIGHUP, SIGTERM] + (interrupt ? [SIGINT] : []) where isOpen {
      signal(number, noteSignal)
    }
  }

  deinit {
    for number in [SIGHUP, SIGTERM, SIGINT] { signal(number, SIG_IGN) }
    var byte: UInt8 = 0
    _ = write(ends[1], &byte, 1)
    threads.shutdownGracefully { [ends] _ in for end in ends { close(end) } }
  }
}

/// The handler. Calls only what signal-safety(7) allows.
private func noteSignal(_: Int32) {
  let code = errno
  var byte: UInt8 = 1
  _ = write(StopSignals.output.load(ordering: .relaxed), &byte, 1)
  errno = code
}
