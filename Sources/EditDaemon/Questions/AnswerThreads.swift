import Dispatch
import EditLog
import NIOConcurrencyHelpers

/// The threads on which answers are made.
///
/// An answer that has given way keeps its thread, which waits. So there is a thread for each answer that
/// was begun: a thread is created if none is idle, and ends when it was idle for a while. Each idle thread waits for a
/// signal of its own: one for all would wake all of them for each job.
final class AnswerThreads: Sendable {
  static let shared = AnswerThreads()

  private struct Job {
    let job: UnownedJob
    let turn: AnswerTurn

    func run() { turn.runPart(job) }
  }

  private final class IdleThread: Sendable {
    let signal = DispatchSemaphore(value: 0)
    /// The job that it is called for.
    let job = NIOLockedValueBox<Job?>(nil)
  }

  /// Seconds after which an idle thread ends.
  private static let idleTime = 2.0

  /// The idle threads that were not called. The one that was busy last is the last, and is called first, so that those
  /// that are not needed end.
  private let idle = NIOLockedValueBox<[IdleThread]>([])

  /// Runs a part of the task of a turn soon, on one of the threads.
  func run(_ job: UnownedJob, of turn: AnswerTurn) {
    let job = Job(job: job, turn: turn)
    if let thread = idle.withLockedValue({ $0.popLast() }) {
      thread.job.withLockedValue { $0 = job }
      thread.signal.signal()
    } else if !JobThread.begin(.usual, { self.work(from: job) }) {
      // The jobs that threads are busy with end some time; without threads, this is the only one.
      job.run()
    }
  }

  /// Runs jobs until there were none for a while.
  private func work(from first: Job) {
    let thread = IdleThread()
    var next: Job? = first
    while let job = next {
      job.run()
      idle.withLockedValue { $0.append(thread) }
      next = nextJob(of: thread)
    }
  }

  /// The job that an idle thread is called for; nil if it is called for none in time.
  private func nextJob(of thread: IdleThread) -> Job? {
    if thread.signal.wait(timeout: .now() + Self.idleTime) == .timedOut {
      let isIdle = idle.withLockedValue { idle in
        let index = idle.firstIndex { $0 === thread }
        if let index { idle.remove(at: index) }
        return index != nil
      }
      if isIdle { return nil }
      // It was called when the time was over.
      thread.signal.wait()
    }
    return thread.job.withLockedValue { $0.take() }
  }
}
