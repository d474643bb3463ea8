import DequeModule
import EditLog
import NIOConcurrencyHelpers

/// The threads on which answers are made.
///
/// An answer that has given way keeps its thread, which waits. So there is a thread for each answer that
/// was begun: a thread is created if none is idle, and ends when it was idle for a while.
final class AnswerThreads: Sendable {
  static let shared = AnswerThreads()

  private struct Job {
    let job: UnownedJob
    let turn: AnswerTurn

    func run() { turn.runPart(job) }
  }

  private struct State {
    var jobs: Deque<Job> = []
    var idleCount = 0
  }

  /// Seconds after which an idle thread ends.
  private static let idleTime = 2.0

  private let state = NIOLockedValueBox(State())
  /// 1 while jobs wait, else 0. Idle threads wait for it.
  private let signal = ConditionLock(value: 0)

  /// Runs a part of the task of a turn soon, on one of the threads.
  func run(_ job: UnownedJob, of turn: AnswerTurn) {
    let needsThread = state.withLockedValue { state in
      state.jobs.append(Job(job: job, turn: turn))
      return state.jobs.count > state.idleCount
    }
    if needsThread {
      if JobThread.begin(.usual, { self.work() }) { return }
      // The jobs that threads are busy with end some time; without threads, this is the only one.
      take()?.run()
    } else {
      signal.lock()
      signal.unlock(withValue: 1)
    }
  }

  private func take() -> Job? { state.withLockedValue { $0.jobs.popFirst() } }

  /// Runs jobs until there were none for a while.
  private func work() {
    while true {
      while let job = take() { job.run() }
      let isIdle = state.withLockedValue { state in
        guard state.jobs.isEmpty else { return false }
        state.idleCount += 1
        return true
      }
      guard isIdle else { continue }
      let isCalled = signal.lock(whenValue: 1, timeoutSeconds: Self.idleTime)
      let isLast = state.withLockedValue { state in
        state.idleCount -= 1
        return state.jobs.count <= 1
      }
      if isCalled { signal.unlock(withValue: isLast ? 0 : 1) }
      // A job may have come when the time was over.
      guard !isCalled else { continue }
      guard let job = take() else { return }
      job.run()
    }
  }
}
