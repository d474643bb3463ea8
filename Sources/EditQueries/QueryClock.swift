package import EditModel

/// What queries know of time: to read points such as `10m ago`, and to time deletions. Handed
/// in, so that nothing below reads a clock.
package struct QueryClock: Sendable {
  /// The moment it is.
  package var now: @Sendable () -> Timestamp
  /// Seconds that local time is ahead of UTC, at a moment in seconds since 1970 UTC.
  package var utcOffset: @Sendable (Int64) -> Int
  /// Nanoseconds of a clock that never goes back; only differences mean something.
  package var monotonic: @Sendable () -> UInt64

  /// A clock of these functions.
  package init(
    now: @escaping @Sendable () -> Timestamp, utcOffset: @escaping @Sendable (Int64) -> Int,
    monotonic: @escaping @Sendable () -> UInt64
  ) {
    (self.now, self.utcOffset, self.monotonic) = (now, utcOffset, monotonic)
  }

  /// The machine's clocks, and the zone of `TZ` or /etc/localtime.
  package static let system = QueryClock(
    now: { SystemTime.now }, utcOffset: SystemTime.utcOffset,
    monotonic: { UInt64(bitPattern: SystemTime.monotonicNanoseconds) })
}
