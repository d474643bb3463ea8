public import EditLog
public import EditModel
import Synchronization

/// A clock that stands still.
public struct FixedClock: WallClock {
  let time: Timestamp
  /// A clock that shows this time.
  public init(nanoseconds: Int64 = 1_700_000_000_000_000_000) {
    time = Timestamp(nanoseconds: nanoseconds)
  }
  /// The one time.
  public func now() -> Timestamp { time }
}

/// Randomness by seed.
public final class SeededBytes: RandomBytes {
  private let random: Mutex<SplitMix64>
  /// The bytes that belong to `seed`.
  public init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }
  /// The next `count` bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    random.withLock { random in
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
  }
}
