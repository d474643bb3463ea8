import Dispatch
import Glibc
import Synchronization

/// The signals that end the daemon: the first SIGTERM or SIGINT asks it to stop, and a second one ends
/// it at once. Whatever it is doing, the process ends `secondsMax` seconds after the first.
enum StopSignals {
  /// Seconds from the first signal to the end of the process, at most.
  static let secondsMax: UInt32 = 2

  /// The descriptor that the handler writes to.
  fileprivate static let output = Atomic<Int32>(-1)

  /// Takes over SIGTERM and SIGINT, and calls `stop` when the first of them comes. SIGHUP is ignored:
  /// there is no configuration to be read again.
  ///
  /// Handlers do the rest, because the threads of the program may all be busy then.
  static func install(_ stop: @escaping @Sendable () -> Void) {
    signal(SIGHUP, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output.store(ends[1], ordering: .relaxed)
    let input = ends[0]
    let source = DispatchSource.makeReadSource(
      fileDescriptor: input, queue: DispatchQueue(label: "editlogd.signals"))
    source.setEventHandler {
      // Holds the source as long as the process lives.
      source.cancel()
      stop()
    }
    source.resume()
    signal(SIGALRM, endLate)
    for number in [SIGTERM, SIGINT] { signal(number, beginStop) }
  }
}

/// The handler of the first signal. Calls only what signal-safety(7) allows.
private func beginStop(_: Int32) {
  let code = errno
  signal(SIGTERM, SIG_DFL)
  signal(SIGINT, SIG_DFL)
  alarm(StopSignals.secondsMax)
  var byte: UInt8 = 0
  _ = write(StopSignals.output.load(ordering: .relaxed), &byte, 1)
  errno = code
}

/// Ends the process: what is acknowledged is durable.
private func endLate(_: Int32) {
  let words: StaticString = "editlogd: stopped with work left, which the next start does\n"
  _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
  _exit(0)
}
