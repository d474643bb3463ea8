import EditModel

/// Ascending, disjoint ranges of numbers, none of them empty and no two next to each other.
struct NumberRanges: Hashable, Sendable {
  private(set) var ranges: [Range<Int>] = []

  init() {}

  /// The numbers of these ranges, in any order. O(n log n).
  init(_ ranges: [Range<Int>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound {
        self.ranges[self.ranges.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        self.ranges.append(range)
      }
    }
  }

  var isEmpty: Bool { ranges.isEmpty }
  /// The number of numbers.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The parts of `range` in order, each with whether it is in the set. O(log n + parts).
  func parts(of range: Range<Int>) -> [(range: Range<Int>, isIn: Bool)] {
    var parts: [(Range<Int>, Bool)] = []
    var next = range.lowerBound
    var index = ranges.partitionPoint { $0.upperBound <= range.lowerBound }
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      let part = ranges[index].clamped(to: range)
      if next < part.lowerBound { parts.append((next..<part.lowerBound, false)) }
      parts.append((part, true))
      next = part.upperBound
      index += 1
    }
    if next < range.upperBound { parts.append((next..<range.upperBound, false)) }
    return parts
  }

  /// True if none of these numbers is in the set. O(log n).
  func isDisjoint(with range: Range<Int>) -> Bool {
    let index = ranges.partitionPoint { $0.upperBound <= range.lowerBound }
    return index == ranges.count || ranges[index].lowerBound >= range.upperBound
  }

  func intersection(_ other: NumberRanges) -> NumberRanges {
    NumberRanges(
      ranges.flatMap { range in other.parts(of: range).compactMap { $0.isIn ? $0.range : nil } })
  }

  func subtracting(_ other: NumberRanges) -> NumberRanges {
    NumberRanges(
      ranges.flatMap { range in other.parts(of: range).compactMap { $0.isIn ? nil : $0.range } })
  }
}
