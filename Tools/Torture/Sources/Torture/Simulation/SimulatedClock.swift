import EditLog
import EditModel
import TestSupport

/// A wall clock that does what clocks do to those who trust them.
struct SimulatedClock {
  private static let year: Int64 = 31_557_600_000_000_000
  private(set) var time: Int64 = 1_700_000_000_000_000_000
  private var pace: Int64 = 1

  /// The time now; it has gone on a little, or not.
  mutating func now() -> Timestamp {
    time &+= 1_000_000 &* pace
    return Timestamp(nanoseconds: time)
  }

  /// Ten years on or back, the end of 32 bits, standing still, a hundred times as fast, back.
  mutating func jump(_ random: inout SplitMix64) {
    switch random.next() % 6 {
    case 0: time &+= 10 * Self.year
    case 1: time &-= 10 * Self.year
    case 2: time = 2_147_483_647_000_000_000
    case 3: pace = 0
    case 4: pace = 100
    default: pace = -1
    }
    time = min(max(time, -1 << 61), 1 << 61)
  }
}
