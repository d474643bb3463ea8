import Glibc

/// The machine's clocks and its time zone.
package enum SystemTime {
  /// The time now.
  package static var now: Timestamp { Timestamp(nanoseconds: read(CLOCK_REALTIME)) }

  /// Nanoseconds of a clock that never goes back. Only differences are meaningful.
  package static var monotonicNanoseconds: Int64 { read(CLOCK_MONOTONIC) }

  /// Seconds by which local time is ahead of UTC at a time. The zone is that of `TZ` or
  /// /etc/localtime.
  @Sendable package static func utcOffset(_ secondsSince1970: Int64) -> Int {
    var (moment, local) = (time_t(secondsSince1970), tm())
    return localtime_r(&moment, &local) == nil ? 0 : local.tm_gmtoff
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    // After the year 2262, the result is the latest time that can be represented.
    let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : seconds &+ Int64(time.tv_nsec)
  }
}
