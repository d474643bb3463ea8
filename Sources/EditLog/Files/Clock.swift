import EditLogFormat
public import EditModel

/// A source of the time of day.
public protocol WallClock: Sendable {
  /// The time now.
  func now() -> Timestamp
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
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
