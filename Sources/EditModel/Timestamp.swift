/// A time: nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Its range is the years 1677 to 2262. Entries of a history are ordered by sequence numbers, never
/// by time.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Nanoseconds since 1970 UTC.
  public let nanoseconds: Int64

  /// The time `nanoseconds` after 1970 UTC.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// True if `left` is earlier.
  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
