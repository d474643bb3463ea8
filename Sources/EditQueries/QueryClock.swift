package import EditModel

/// The clocks for queries: for points such as `10m ago`, and for timing deletions. They are passed
/// in, so that no lower module reads a clock.
package struct QueryClock: Sendable {
  /// Returns the current time.
  package var now: @Sendable () -> Timestamp
  /// Seconds by which local time is ahead of UTC, at a time in seconds since 1970 UTC.
  package var utcOffset: @Sendable (Int64) -> Int
  /// Nanoseconds of a clock that never goes back. Only differences are meaningful.
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
