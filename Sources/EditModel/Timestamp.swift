/// A moment: nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Covers the years 1677 to 2262. Order in a history comes from sequence numbers, never from
/// time.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Nanoseconds since 1970 UTC.
  public let nanoseconds: Int64

  /// The moment this many nanoseconds after 1970 UTC.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// True where `left` is earlier.
  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
