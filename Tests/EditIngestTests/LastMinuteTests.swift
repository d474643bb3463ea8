import NIOCore
import TestSupport
import Testing

@testable import EditIngest

@Suite struct LastMinuteTests {
  /// The sum is that of the events of the last 60 seconds, as a list of all events has it.
  @Test(arguments: seeds(20)) func sumsAreThoseOfAList(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var minute = LastMinute()
    var all: [(second: UInt64, count: Int, time: Int64)] = []
    var now = UInt64.random(in: 0...200_000_000_000, using: &random)
    for _ in 0..<500 {
      now += UInt64.random(in: 0...6_000_000_000, using: &random)
      if Int.random(in: 0..<50, using: &random) == 0 { now += 70_000_000_000 }
      let (count, time) = (
        Int.random(in: 0...9, using: &random), Int64.random(in: 0...9_999, using: &random)
      )
      minute.add(count, taking: time, at: .uptimeNanoseconds(now))
      all.append((now / 1_000_000_000, count, time))
      let last = all.filter { $0.second + 60 > now / 1_000_000_000 }
      let sum = minute.sum(at: .uptimeNanoseconds(now))
      #expect(sum.count == UInt64(last.reduce(0) { $0 + $1.count }), "seed \(seed)")
      #expect(sum.longest == last.map(\.time).max(), "seed \(seed)")
    }
    #expect(LastMinute().sum(at: .uptimeNanoseconds(5)) == (0, 0))
  }
}
