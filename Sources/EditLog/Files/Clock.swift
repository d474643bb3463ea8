import EditLogFormat
public import EditModel

/// A source of the time of day, and of times for measuring durations.
public protocol WallClock: Sendable {
  /// The time now.
  func now() -> Timestamp
  /// Nanoseconds since a fixed time, by a clock that never goes back. Only differences are
  /// meaningful. Without an implementation, it is the machine's.
  func monotonic() -> UInt64
}

extension WallClock {
  /// Nanoseconds by the machine's clock that never goes back.
  public func monotonic() -> UInt64 { UInt64(bitPattern: SystemTime.monotonicNanoseconds) }
}

/// A source of random bytes.
public protocol RandomBytes: Sendable {
  /// `count` unpredictable bytes.
  func bytes(_ count: Int) -> [UInt8]
}

/// The machine's clock.
public struct SystemClock: WallClock {
  /// The machine's clock.
  public init() {}

  /// The time now, by the machine's clock.
  public func now() -> Timestamp { SystemTime.now }
}

/// The machine's source of random bytes.
public struct SystemRandomBytes: RandomBytes {
  /// The machine's source of random bytes.
  public init() {}

  /// `count` bytes from the system.
  public func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    // Each number is a call of the system.
    while bytes.count < count { bytes += (generator.next() as UInt64).littleEndianBytes }
    return Array(bytes.prefix(count))
  }
}
