import Glibc

/// A thread for one job, which ends with the job.
package enum JobThread {
  /// The priority of the thread.
  package enum Priority {
    /// That of the other threads of the process.
    case usual
    /// Below that of the threads that answer clients.
    case low
  }

  /// Below interactive work, above idle work.
  private static let niceness: Int32 = 10

  private final class Work {
    let priority: Priority
    let body: @Sendable () -> Void
    init(_ priority: Priority, _ body: @escaping @Sendable () -> Void) {
      (self.priority, self.body) = (priority, body)
    }
  }

  /// Runs `body` on a new thread, or on this one if no thread can be created.
  package static func run(
    _ priority: Priority = .low, _ body: @escaping @Sendable () -> Void
  ) {
    if !begin(priority, body) { body() }
  }

  /// Runs `body` on a new thread. Returns false if no thread can be created: `body` is not run then.
  package static func begin(
    _ priority: Priority = .low, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The new thread releases this reference; if there is none, it is released here.
    let work = Unmanaged.passRetained(Work(priority, body))
    let code = pthread_create(&thread, attributes, start, work.toOpaque())
    if code != 0 { work.release() }
    return code == 0
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { argument in
      // `begin` passed exactly one retained `Work`.
      guard let argument else { return nil }
      let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
      if case .low = work.priority {
        // On Linux this concerns this thread alone. An error is harmless.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      }
      work.body()
      return nil
    }
}
