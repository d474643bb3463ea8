import EditModel
import Glibc

/// The system's clock and time zone.
enum LocalClock {
  /// The moment it is.
  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Nanoseconds on a clock that never goes back; only differences mean something.
  static var monotonicNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Seconds that the zone of `TZ` or /etc/localtime is ahead of UTC at a moment.
  @Sendable static func utcOffset(_ secondsSince1970: Int64) -> Int {
    var (moment, local) = (time_t(secondsSince1970), tm())
    guard localtime_r(&moment, &local) != nil else { return 0 }
    return local.tm_gmtoff
  }
}
