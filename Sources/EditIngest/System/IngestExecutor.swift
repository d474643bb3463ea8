import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Runs the work of the ingest, one piece after the other: on its event loop, or on the thread of a
/// connection that has a few requests when nothing else runs.
///
/// With the loop alone, each edit would wait for two more threads to be woken, which takes as long as
/// the flush.
final class IngestExecutor: SerialExecutor {
  let loop: any EventLoop
  private let turn = Mutex(())
  /// The thread that has the turn. 0 if none has.
  private let owner = Atomic<UInt>(0)

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { self.run { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
  }

  /// True on the thread that has the turn.
  var isCurrent: Bool { owner.load(ordering: .relaxed) == pthread_self() }

  func isIsolatingCurrentContext() -> Bool? { isCurrent }

  func checkIsolated() { precondition(isCurrent, "not a turn of the ingest") }

  /// Waits for the turn, and runs `body`.
  func run<Value: Sendable>(_ body: () -> Value) -> Value {
    turn.withLock { _ in own(body) }
  }

  /// Runs `body` after all events that this thread's event loop has received. On another thread, or if
  /// something else has the turn then, it runs on the loop.
  func runHere(_ body: @escaping @Sendable () -> Void) {
    guard let here = MultiThreadedEventLoopGroup.currentEventLoop, here !== loop else {
      return runLater(body)
    }
    here.execute {
      let hasRun: Void? = self.turn.withLockIfAvailable { _ in self.own(body) }
      if hasRun == nil { self.runLater(body) }
    }
  }

  /// Runs `body` on the loop, after what waits there.
  func runLater(_ body: @escaping @Sendable () -> Void) {
    loop.execute { self.run(body) }
  }

  /// Runs `body` on the loop at a time.
  func run(at time: NIODeadline, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void> {
    loop.scheduleTask(deadline: time) { self.run(body) }
  }

  private func own<Value: Sendable>(_ body: () -> Value) -> Value {
    owner.store(pthread_self(), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    return body()
  }
}
