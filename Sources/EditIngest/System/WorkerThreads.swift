import NIOCore
import NIOPosix

/// Runs tasks on threads of NIO, and not on those of the Swift runtime: once one of them has run,
/// Dispatch wakes the process every second to count them. For the same reason, its `sleep` takes the
/// place of `Task.sleep`.
package final class WorkerThreads: TaskExecutor {
  /// The threads for all tasks of the process.
  package static let shared = WorkerThreads()

  private let threads = NIOThreadPool(numberOfThreads: System.coreCount)

  private init() { threads.start() }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Returns after a time.
  ///
  /// - Throws: `CancellationError`.
  package static func sleep(for time: Duration) async throws {
    let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(time)) {}
    await withTaskCancellationHandler {
      _ = try? await timer.futureResult.get()
    } onCancel: {
      timer.cancel()
    }
    try Task.checkCancellation()
  }
}
