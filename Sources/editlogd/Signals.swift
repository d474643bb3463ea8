import Dispatch
import Glibc
import Synchronization

/// The signals of the daemon. The first SIGTERM or SIGINT asks it to stop, and a second one ends it at
/// once. Whatever it is doing, the process ends `secondsMax` seconds after the first. SIGHUP asks it to
/// read its settings again.
struct Signals {
  /// The SIGHUPs. Those that come while one is served count as one.
  let hangUps: AsyncStream<Void>

  /// Seconds from the first signal to the end of the process, at most.
  fileprivate static let secondsMax = Atomic<UInt32>(2)
  /// The descriptor that the handler writes to.
  fileprivate static let output = Atomic<Int32>(-1)

  /// Takes over SIGHUP.
  ///
  /// - Parameter stopMilliseconds: The time in which a stop finishes its work.
  init(stopMilliseconds: Int64) {
    // Some more time, to end threads and close files.
    Self.secondsMax.store(
      UInt32(clamping: (stopMilliseconds + 800 + 999) / 1_000), ordering: .relaxed)
    let (hangUps, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.hangUps = hangUps
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "editlogd.hangup"))
    source.setEventHandler {
      // Holds the source as long as the process lives.
      _ = source
      continuation.yield()
    }
    source.resume()
  }

  /// Takes over SIGTERM and SIGINT, and calls `stop` when the first of them comes.
  ///
  /// Handlers do the rest, because the threads of the program may all be busy then.
  func onStop(_ stop: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.output.store(ends[1], ordering: .relaxed)
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
  alarm(Signals.secondsMax.load(ordering: .relaxed))
  var byte: UInt8 = 0
  _ = write(Signals.output.load(ordering: .relaxed), &byte, 1)
  errno = code
}

/// Ends the process: what is acknowledged is durable.
private func endLate(_: Int32) {
  let words: StaticString = "editlogd: stopped with work left, which the next start does\n"
  _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
  _exit(0)
}
