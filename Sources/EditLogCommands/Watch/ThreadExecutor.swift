import NIOPosix

/// Runs tasks on a thread of its own, and not on those of the Swift runtime: once one of them has run,
/// Dispatch wakes the process every second to count them.
final class ThreadExecutor: TaskExecutor {
  private let threads = NIOThreadPool(numberOfThreads: 1)

  init() { threads.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
