import Glibc
import Synchronization

/// The main thread: it runs tasks, and handles the signals of the daemon.
///
/// The first SIGTERM or SIGINT asks the daemon to stop, and a second one ends it at once. Whatever it is
/// doing, the process ends some time after the first. SIGHUP asks it to read its settings again.
///
/// Tasks do not run on the threads of the Swift runtime: once one has, Dispatch wakes the process every
/// second to count them.
final class MainThread: TaskExecutor {
  /// What the bytes in the pipe mean.
  fileprivate enum Message {
    static let jobs: UInt8 = 0
    static let hangUp: UInt8 = 1
    static let stop: UInt8 = 2
  }

  /// The descriptor that the handlers write to.
  fileprivate static let output = Atomic<Int32>(-1)
  /// Seconds from the first signal to the end of the process, at most.
  fileprivate static let secondsMax = Atomic<UInt32>(2)

  private let ends: [Int32]
  private let jobs = Mutex<[UnownedJob]>([])
  private let handlers = Mutex<(hangUp: @Sendable () -> Void, stop: @Sendable () -> Void)?>(nil)

  /// - Throws: `PipeError` if too many files are open.
  init() throws(PipeError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw PipeError(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.ends = ends
  }

  /// A pipe could not be made.
  struct PipeError: Error, CustomStringConvertible {
    var code: Int32
    var description: String { "could not make a pipe: \(String(cString: strerror(code)))" }
  }

  /// Takes over SIGHUP, SIGTERM and SIGINT. `hangUp` and `stop` are called by `run`.
  ///
  /// - Parameter stopMilliseconds: The time in which a stop finishes its work.
  func handleSignals(
    stopMilliseconds: Int64, hangUp: @escaping @Sendable () -> Void,
    stop: @escaping @Sendable () -> Void
  ) {
    use(stopMilliseconds: stopMilliseconds)
    Self.output.store(ends[1], ordering: .relaxed)
    handlers.withLock { $0 = (hangUp, stop) }
    signal(SIGALRM, endLate)
    signal(SIGHUP, noteHangUp)
    for number in [SIGTERM, SIGINT] { signal(number, beginStop) }
  }

  /// Uses another time in which a stop finishes its work.
  func use(stopMilliseconds: Int64) {
    // Some more time, to end threads and close files.
    Self.secondsMax.store(
      UInt32(clamping: (stopMilliseconds + 800 + 999) / 1_000), ordering: .relaxed)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { send(Message.jobs) }
  }

  /// Runs `body`, and the tasks that prefer this executor, on this thread until `body` ends.
  func run(_ body: @escaping @Sendable () async throws -> Void) throws {
    let end = End()
    Task(executorPreference: self) {
      do {
        try await body()
        end.result.withLock { $0 = .success(()) }
      } catch {
        end.result.withLock { $0 = .failure(error) }
      }
    }
    while true {
      if let result = end.result.withLock({ $0 }) { return try result.get() }
      takeMessages()
      runJobs()
    }
  }

  /// The end of `run`.
  private final class End: Sendable {
    let result = Mutex<Result<Void, any Error>?>(nil)
  }

  /// Waits for messages, and handles those of signals.
  private func takeMessages() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends[0], &bytes, bytes.count)
    guard count > 0, let (hangUp, stop) = handlers.withLock({ $0 }) else { return }
    for byte in bytes.prefix(count) {
      if byte == Message.hangUp { hangUp() }
      if byte == Message.stop { stop() }
    }
  }

  private func runJobs() {
    let taken = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in taken { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func send(_ message: UInt8) {
    var byte = message
    while write(ends[1], &byte, 1) < 0, errno == EINTR {}
  }
}

/// The handler of SIGHUP. Calls only what signal-safety(7) allows.
private func noteHangUp(_: Int32) {
  let code = errno
  var byte = MainThread.Message.hangUp
  _ = write(MainThread.output.load(ordering: .relaxed), &byte, 1)
  errno = code
}

/// The handler of the first signal to stop. Calls only what signal-safety(7) allows.
private func beginStop(_: Int32) {
  let code = errno
  signal(SIGTERM, SIG_DFL)
  signal(SIGINT, SIG_DFL)
  alarm(MainThread.secondsMax.load(ordering: .relaxed))
  var byte = MainThread.Message.stop
  _ = write(MainThread.output.load(ordering: .relaxed), &byte, 1)
  errno = code
}

/// Ends the process: what is acknowledged is durable.
private func endLate(_: Int32) {
  let words: StaticString = "editlogd: stopped with work left, which the next start does\n"
  _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
  _exit(0)
}
