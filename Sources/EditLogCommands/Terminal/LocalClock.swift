import EditModel

/// The system's clock and time zone.
enum LocalClock {
  /// The moment it is.
  static var now: Timestamp { SystemTime.now }

  /// Nanoseconds on a clock that never goes back; only differences mean something.
  static var monotonicNanoseconds: Int64 { SystemTime.monotonicNanoseconds }

  /// Seconds that the zone of `TZ` or /etc/localtime is ahead of UTC at a moment.
  @Sendable static func utcOffset(_ secondsSince1970: Int64) -> Int {
    SystemTime.utcOffset(secondsSince1970)
  }
}
