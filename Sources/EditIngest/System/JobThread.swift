import Glibc

/// A thread for one long job. It has a lower priority than the threads that answer clients, and ends
/// with the job.
enum JobThread {
  /// Below interactive work, above idle work.
  private static let niceness: Int32 = 10

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, or on this one if no thread can be created.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The new thread releases this reference; if there is none, it is released here.
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(&thread, attributes, start, work.toOpaque())
    if code != 0 { work.takeRetainedValue().body() }
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { argument in
      // On Linux this concerns this thread alone. An error is harmless.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      // `run` passed exactly one retained `Work`.
      if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }
}
