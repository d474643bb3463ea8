import EditModel

/// The times of commits as a history can have them: none in the future, and none before that of the version
/// before it.
enum CommitTimes {
  /// Times that never go back. As many as possible are the commits' own; the others are the nearest that fit
  /// between them. So one commit with a wrong clock does not change the times of those after it. O(n log n).
  ///
  /// - Parameters:
  ///   - own: The times that the commits say, in order; nil for one that says none.
  ///   - now: The present.
  static func fitting(_ own: [Timestamp?], now: Timestamp) -> [Timestamp] {
    let kept = Set(longestRise(own.map { time in time.flatMap { $0 <= now ? $0 : nil } }))
    // The latest time that each commit may have.
    var (upper, uppers) = (now, [Timestamp]())
    for (index, time) in own.enumerated().reversed() {
      if let time, kept.contains(index) { upper = time }
      uppers.append(upper)
    }
    var (lower, times) = (Timestamp?.none, [Timestamp]())
    times.reserveCapacity(own.count)
    for (time, upper) in zip(own, uppers.reversed()) {
      let nearest = min(time ?? lower ?? upper, upper)
      times.append(lower.map { max($0, nearest) } ?? nearest)
      lower = times.last
    }
    return times
  }

  /// The places of a longest sequence of times of which none is before the one before it.
  private static func longestRise(_ times: [Timestamp?]) -> [Int] {
    // The last place of the best sequence of each length, and the place before each place in its sequence.
    var (ends, before) = ([Int](), [Int?](repeating: nil, count: times.count))
    var endTimes: [Timestamp] = []
    for (index, time) in times.enumerated() {
      guard let time else { continue }
      let length = endTimes.partitionPoint { $0 <= time }
      before[index] = length > 0 ? ends[length - 1] : nil
      if length == ends.count {
        ends.append(index)
        endTimes.append(time)
      } else {
        (ends[length], endTimes[length]) = (index, time)
      }
    }
    var (rise, place) = ([Int](), ends.last)
    while let index = place {
      rise.append(index)
      place = before[index]
    }
    return rise.reversed()
  }
}
