import NIOConcurrencyHelpers
import Synchronization

/// Work that is not known to take long, and work that has used its time once.
enum WorkKind { case new, long }

/// The work on one answer, as `AnswerTurns` knows it.
///
/// As the executor of a task, it counts the processor time of the task. The threads are those of
/// `AnswerThreads`.
final class AnswerTurn: TaskExecutor {
  /// What `AnswerTurns` calls.
  struct Calls: Sendable {
    /// Begins the work, when its turn comes. Must not block.
    var begin: @Sendable () -> Void
    /// Called instead of `begin` if the work is not wanted any more.
    var drop: @Sendable () -> Void
    /// False if the work is not wanted any more.
    var isWanted: @Sendable () -> Bool
  }

  /// The connection for which the answer is made.
  let client: QuestionClient
  /// True if the work may be ended in the middle, and begun again later.
  let mayRestart: Synchronization.Atomic<Bool>
  private let turns: AnswerTurns
  private let calls: NIOLockedValueBox<Calls?>
  /// What it has used since its turn began.
  private let clock = NIOLockedValueBox(TurnClock())
  private let isLong = Synchronization.Atomic<Bool>(false)
  /// True if the work has to end and to begin again.
  let isSetBack = Synchronization.Atomic<Bool>(false)
  /// 1 when its turn comes after a pause.
  private let gate = ConditionLock(value: 0)

  init(_ client: QuestionClient, _ turns: AnswerTurns, mayRestart: Bool = false) {
    (self.client, self.turns) = (client, turns)
    self.mayRestart = Atomic(mayRestart)
    calls = NIOLockedValueBox(nil)
  }

  /// Waits for its turn. Returns at once.
  func wait(_ calls: Calls) {
    self.calls.withLockedValue { $0 = calls }
    turns.add(self)
  }

  /// Gives way to others if its time is over: the thread waits until its turn comes again. Called often by
  /// the thread that works.
  ///
  /// - Returns: False if the work has to end and to begin again later.
  func pass() -> Bool { turns.pass(self) }

  /// Ends the turn. It may wait again.
  func end() {
    // They hold what holds this.
    calls.withLockedValue { $0 = nil }
    turns.end(self)
  }

  var isWanted: Bool { calls.withLockedValue { $0 }?.isWanted() ?? false }
  func begin() { calls.withLockedValue { $0 }?.begin() }
  func drop() { calls.withLockedValue { $0.take() }?.drop() }

  func enqueue(_ job: consuming ExecutorJob) {
    AnswerThreads.shared.run(UnownedJob(job), of: self)
  }

  /// Runs a part of its task on the calling thread.
  func runPart(_ job: UnownedJob) {
    clock.withLockedValue { $0.beginPart() }
    job.runSynchronously(on: asUnownedTaskExecutor())
    clock.withLockedValue { $0.endPart() }
  }

  /// True if `time` nanoseconds of processor time are used since its turn began.
  func hasUsed(_ time: UInt64) -> Bool { clock.withLockedValue { $0.hasUsed(time) } }

  /// Long once it has used its time.
  var kind: WorkKind { isLong.load(ordering: .relaxed) ? .long : .new }
  func becomeLong() { isLong.store(true, ordering: .relaxed) }

  /// Its virtual deadline in nanoseconds: the earliest is served first.
  var deadline: (peer: UInt64, connection: UInt64) { client.deadline(of: kind) }

  func beginClock() { clock.withLockedValue { $0.begin() } }

  /// Charges its client for what it has used. What new work used beyond its time is long work.
  func charge() {
    let used = clock.withLockedValue { $0.takeUsed() }
    let short = kind == .new ? min(used, AnswerTurns.shortTime) : 0
    if kind == .new { client.charge(short, for: .new) }
    if used > short { client.charge(used - short, for: .long) }
  }

  /// Continues after `pause`.
  func resume() {
    gate.lock()
    gate.unlock(withValue: 1)
  }

  /// Returns after `resume`.
  func pause() {
    gate.lock(whenValue: 1)
    gate.unlock(withValue: 0)
  }
}
