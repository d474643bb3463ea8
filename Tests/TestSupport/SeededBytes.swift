public import EditLog
import Synchronization

/// Bytes that depend on a seed alone.
public final class SeededBytes: RandomBytes {
  private let random: Mutex<SplitMix64>
  /// The bytes of `seed`.
  public init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }
  /// The next `count` bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    random.withLock { random in
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
  }
}
