import NIOCore

/// What happened in the last 60 seconds, in steps of a second. Takes the same memory however much that
/// was.
struct LastMinute: Sendable {
  private struct Second {
    /// The number of the second, by a clock that never goes back.
    var number: UInt64 = 0
    var count: UInt64 = 0
    var longest: Int64 = 0
  }

  private static let length: UInt64 = 60
  private var seconds = [Second](repeating: Second(), count: Int(LastMinute.length))

  /// Adds events, which took `time` nanoseconds. O(1).
  mutating func add(_ count: Int, taking time: Int64, at now: NIODeadline) {
    let number = Self.number(now)
    let place = Int(number % Self.length)
    if seconds[place].number != number { seconds[place] = Second(number: number) }
    seconds[place].count += UInt64(count)
    seconds[place].longest = max(seconds[place].longest, time)
  }

  /// The number of events, and the longest time in nanoseconds.
  func sum(at now: NIODeadline) -> (count: UInt64, longest: Int64) {
    let number = Self.number(now)
    var sum: (count: UInt64, longest: Int64) = (0, 0)
    for second in seconds where second.number + Self.length > number {
      sum = (sum.count + second.count, max(sum.longest, second.longest))
    }
    return sum
  }

  /// Nil, or what is wrong: a second that is used stands at the place of its number.
  func invariantViolation() -> String? {
    for (place, second) in seconds.enumerated()
    where second.number > 0 && Int(second.number % Self.length) != place {
      return "second \(second.number) stands at place \(place)"
    }
    return nil
  }

  private static func number(_ time: NIODeadline) -> UInt64 {
    // A second that was never used is before the first minute.
    time.uptimeNanoseconds / 1_000_000_000 + length
  }
}
