import Glibc

/// The clock of all measurements.
enum MonotonicClock {
  /// Nanoseconds since an arbitrary start.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
