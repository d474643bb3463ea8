/// A set of sequence numbers, as ranges.
public struct SequenceSet: Hashable, Sendable {
  /// The ranges, ascending; between two of them is a number that is not in the set.
  public private(set) var ranges: [ClosedRange<SequenceNumber>] = []

  /// No numbers.
  public init() {}

  /// The numbers of these ranges, which may be in any order and overlap. O(n log n).
  public init(_ ranges: some Sequence<ClosedRange<SequenceNumber>>) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
  }

  /// The numbers of one range.
  public init(_ range: ClosedRange<SequenceNumber>) { ranges = [range] }

  /// True if there are no numbers.
  public var isEmpty: Bool { ranges.isEmpty }

  /// The number of sequence numbers in the set.
  public var count: Int {
    // The ranges are disjoint; only a set of all numbers has more than an `Int` counts.
    ranges.reduce(0) { sum, range in
      let length = Int(clamping: range.upperBound - range.lowerBound)
      return sum.addingReportingOverflow(length).overflow || sum + length == .max
        ? .max : sum + length + 1
    }
  }

  /// True if the number is in the set. O(log ranges).
  public func contains(_ sequence: SequenceNumber) -> Bool {
    let index = ranges.partitionPoint { $0.upperBound < sequence }
    return index < ranges.count && ranges[index].lowerBound <= sequence
  }

  /// The parts of `range` that are in the set, ascending. O(log ranges + parts).
  public func parts(of range: ClosedRange<SequenceNumber>) -> [ClosedRange<SequenceNumber>] {
    var index = ranges.partitionPoint { $0.upperBound < range.lowerBound }
    var parts: [ClosedRange<SequenceNumber>] = []
    while index < ranges.count, ranges[index].lowerBound <= range.upperBound {
      parts.append(ranges[index].clamped(to: range))
      index += 1
    }
    return parts
  }

  /// The parts of `range` that are not in the set, ascending. O(log ranges + parts).
  public func gaps(in range: ClosedRange<SequenceNumber>) -> [ClosedRange<SequenceNumber>] {
    var gaps: [ClosedRange<SequenceNumber>] = []
    var next = range.lowerBound
    for part in parts(of: range) {
      if part.lowerBound > next { gaps.append(next...part.lowerBound - 1) }
      if part.upperBound == range.upperBound { return gaps }
      next = part.upperBound + 1
    }
    gaps.append(next...range.upperBound)
    return gaps
  }

  /// The numbers of both. O(ranges).
  public func union(_ other: SequenceSet) -> SequenceSet {
    if other.isEmpty { return self }
    if isEmpty { return other }
    // The usual case: later numbers.
    if let last = ranges.last, let first = other.ranges.first, last.upperBound < first.lowerBound {
      var result = self
      for range in other.ranges { result.append(range) }
      return result
    }
    return SequenceSet(ranges + other.ranges)
  }

  /// The numbers that are not in `other`. O(own ranges · log of the other's + parts).
  public func subtracting(_ other: SequenceSet) -> SequenceSet {
    if isEmpty || other.isEmpty { return self }
    var result = SequenceSet()
    result.ranges = ranges.flatMap { other.gaps(in: $0) }
    return result
  }

  /// The numbers that are in both. O(own ranges · log of the other's + parts).
  public func intersection(_ other: SequenceSet) -> SequenceSet {
    var result = SequenceSet()
    result.ranges = ranges.flatMap { other.parts(of: $0) }
    return result
  }

  /// Adds the numbers of a range. O(log ranges), and a move of those after it.
  package mutating func insert(_ range: ClosedRange<SequenceNumber>) {
    // Ranges that end right before it or begin right after it become one with it.
    let first = ranges.partitionPoint {
      $0.upperBound < range.lowerBound &- min(1, range.lowerBound)
    }
    let last = ranges[first...].partitionPoint {
      $0.lowerBound <= range.upperBound || $0.lowerBound == range.upperBound + 1
    }
    guard first < last else { return ranges.insert(range, at: first) }
    let joined =
      min(
        range.lowerBound, ranges[first].lowerBound)...max(
        range.upperBound, ranges[last - 1].upperBound)
    ranges.replaceSubrange(first..<last, with: CollectionOfOne(joined))
  }

  /// Removes the numbers of a range. O(log ranges), and a move of those after it.
  package mutating func remove(_ range: ClosedRange<SequenceNumber>) {
    let first = ranges.partitionPoint { $0.upperBound < range.lowerBound }
    let last = ranges[first...].partitionPoint { $0.lowerBound <= range.upperBound }
    guard first < last else { return }
    var rest: [ClosedRange<SequenceNumber>] = []
    if ranges[first].lowerBound < range.lowerBound {
      rest.append(ranges[first].lowerBound...range.lowerBound - 1)
    }
    if ranges[last - 1].upperBound > range.upperBound {
      rest.append(range.upperBound + 1...ranges[last - 1].upperBound)
    }
    ranges.replaceSubrange(first..<last, with: rest)
  }

  /// Adds a number that is at least as large as all others. Amortised O(1).
  public mutating func append(_ sequence: SequenceNumber) { append(sequence...sequence) }

  /// Adds a range that begins at or after the beginning of the last one.
  package mutating func append(_ range: ClosedRange<SequenceNumber>) {
    guard let last = ranges.last else { return ranges.append(range) }
    // The last range ends before the greatest number if the new one begins after it.
    if range.lowerBound <= last.upperBound || range.lowerBound == last.upperBound + 1 {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    } else {
      ranges.append(range)
    }
  }
}

extension SequenceSet: CustomStringConvertible {
  /// `1..3, 7`, as the CLI shows ranges of edits.
  public var description: String {
    ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
    }.joined(separator: ", ")
  }
}
