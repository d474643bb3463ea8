import Glibc

/// A clock that never goes back.
package enum Monotonic {
  /// Nanoseconds since some moment in the past.
  @Sendable package static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
