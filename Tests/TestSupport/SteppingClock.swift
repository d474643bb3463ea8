public import EditLog
public import EditModel
import Synchronization

/// A clock whose time for measuring durations goes on by a step with each reading. Its wall time
/// stands still.
public final class SteppingClock: WallClock {
  private let wall = FixedClock()
  private let time: Atomic<UInt64>
  private let steps: Atomic<UInt64>

  /// A clock that goes on by `step` nanoseconds a reading.
  public init(step: UInt64 = 1) {
    time = Atomic(1_000_000_000)
    steps = Atomic(step)
  }

  /// Goes on by another step from now on.
  public func setStep(_ step: UInt64) { steps.store(step, ordering: .relaxed) }

  /// Nanoseconds a reading.
  public var step: UInt64 { steps.load(ordering: .relaxed) }

  /// The time of a `FixedClock`.
  public func now() -> Timestamp { wall.now() }

  /// The time of the reading before, and a step.
  public func monotonic() -> UInt64 {
    time.add(step, ordering: .relaxed).newValue
  }

  /// The time of the last reading.
  public var lastReading: UInt64 { time.load(ordering: .relaxed) }
}
