public import EditLog
public import EditModel

/// A clock that always shows the same time.
public struct FixedClock: WallClock {
  let time: Timestamp
  /// A clock that shows `nanoseconds` since 1970.
  public init(nanoseconds: Int64 = 1_700_000_000_000_000_000) {
    time = Timestamp(nanoseconds: nanoseconds)
  }
  /// The time given to `init`.
  public func now() -> Timestamp { time }
}
