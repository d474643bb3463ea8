import NIOConcurrencyHelpers
import Synchronization

/// The work on one answer, as `AnswerTurns` knows it.
final class AnswerTurn: Sendable {
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
  /// When its turn began, in nanoseconds.
  let beginning = Synchronization.Atomic<UInt64>(0)
  /// True from its first pause on.
  let isLong = Synchronization.Atomic<Bool>(false)
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
