import Dispatch
import Glibc
import NIOConcurrencyHelpers
import Testing

@testable import EditDaemon

/// Which threads make answers.
@Suite(.timeLimit(.minutes(5))) struct AnswerThreadsTests {
  /// Runs tasks on threads of its own.
  private final class Executor: TaskExecutor {
    private let threads = AnswerThreads()
    private let turn = AnswerTurn(QuestionClient(), AnswerTurns(1))

    func enqueue(_ job: consuming ExecutorJob) { threads.run(UnownedJob(job), of: turn) }
  }

  /// Returns when this many threads have called it.
  private final class Meeting: Sendable {
    private let count: Int
    private let here = NIOLockedValueBox(0)
    private let isComplete = DispatchSemaphore(value: 0)

    init(_ count: Int) { self.count = count }

    func wait() {
      let isLast = here.withLockedValue { here in
        here += 1
        return here == count
      }
      if isLast { for _ in 1..<count { isComplete.signal() } } else { isComplete.wait() }
    }
  }

  /// The thread that was busy last takes the next job, and all others sleep on, however many there are.
  @Test func aJobWakesOneThread() async {
    let (executor, meeting) = (Executor(), Meeting(50))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask(executorPreference: executor) { meeting.wait() }
      }
    }
    var names: Set<pthread_t> = []
    for _ in 0..<200 {
      names.insert(await Task(executorPreference: executor) { Self.thread }.value)
    }
    // The next job may come before the thread of the last one is idle.
    #expect(names.count < 10)
  }

  /// A job that comes when its thread has waited for all of its time is done too.
  @Test func noJobIsLostWhenAThreadEnds() async throws {
    let executor = Executor()
    for pause in 0..<40 {
      let value = await Task(executorPreference: executor) { pause }.value
      #expect(value == pause)
      // The time after which an idle thread ends, nearly.
      if pause.isMultiple(of: 20) { try await Task.sleep(for: .milliseconds(1_995 + pause / 4)) }
    }
  }

  private static var thread: pthread_t { pthread_self() }
}
