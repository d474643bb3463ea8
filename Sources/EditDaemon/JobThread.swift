import Glibc

/// A thread for one long job of the store, at a lower priority than everything that a person waits
/// for. It ends with the job.
enum JobThread {
  /// Below interactive work, above idle work.
  private static let niceness: Int32 = 10

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread; on this one if it cannot be created.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The thread takes over this reference. Without a thread, it is taken back.
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(&thread, attributes, start, work.toOpaque())
    if code != 0 { work.takeRetainedValue().body() }
  }

  private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { argument in
      // Of this thread alone, as Linux has it. Where it is refused, jobs are merely less polite.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      // `run` passed exactly one retained `Work`.
      if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }
}
