import Glibc

/// Where the store's long jobs run: a thread of their own, behind everything else the machine
/// does. It lives as long as one job, so nobody has to end it.
enum JobThread {
  /// Lower than what people wait for, higher than what nobody does.
  private static let niceness: Int32 = 10

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread; on this one where there is no room for another.
  static func run(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The thread takes over this reference; where there is no thread, it is taken back.
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(&thread, &attributes, start, work.toOpaque())
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
