import CBaselines

/// The clocks that figures are taken with.
enum Clock {
  /// Said in every report.
  static let name = "processor time of the thread (CLOCK_THREAD_CPUTIME_ID)"

  /// Nanoseconds of processor time that `body` takes on this thread: what other programs do in
  /// the meantime does not count, though it still costs caches.
  static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = thread_nanoseconds()
    try body()
    return Double(thread_nanoseconds() - start)
  }

  /// Nanoseconds that have passed, for budgets.
  static var now: UInt64 { monotonic_nanoseconds() }
}
