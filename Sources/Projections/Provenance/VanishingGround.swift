import EditModel

/// Finds the text that stays inside text that vanishes.
///
/// Text is inside if it is newer than vanishing units on both sides of it that stood side by side: units of
/// one edit, or units that were inserted one after the other, such as typed characters. What vanishes in
/// between, by whichever edit, does not matter.
struct VanishingGround {
  /// Text that stays between two runs of units that vanish.
  struct Kept {
    /// The range, in UTF-16 units of the text before the change.
    var range: UTF16Range
    /// Its units, in order.
    var units: [Range<Int>]
    /// The index of the vanishing run before it.
    fileprivate var run: Int
  }

  /// The vanishing runs, in order.
  private var runs: [Range<Int>] = []
  /// The newest of them that ends with units of an edit, and the one that ends before a unit.
  private var runOfEdit: [SequenceNumber: Int] = [:]
  private var runEnding: [Int: Int] = [:]
  /// The text after the first run that is inside nothing so far, in order.
  private var kept: [Kept] = []

  /// Notes units that stay, at a location of the text before the change. They follow what was noted last.
  /// O(1).
  mutating func keep(_ units: Range<Int>, at location: Int) {
    guard let run = runs.indices.last else { return }
    let end = location + units.count
    if let last = kept.last, last.run == run {
      kept[kept.count - 1].range = UTF16Range(last.range.location..<end)
      kept[kept.count - 1].units.append(units)
    } else {
      kept.append(Kept(range: UTF16Range(location..<end), units: [units], run: run))
    }
  }

  /// Notes units that vanish. They follow what was noted last. Returns the text before them that is inside
  /// what vanishes, in order, and the vanishing runs around it. O(1), besides the result.
  mutating func vanish(
    _ units: Range<Int>, _ insertions: InsertionLog
  ) -> (kept: [Kept], around: [Range<Int>]) {
    let runBefore = [
      runEnding[units.lowerBound],
      insertions.sequence(of: units.lowerBound).flatMap { runOfEdit[$0] },
    ].compactMap { $0 }.min()
    if let sequence = insertions.sequence(of: units.upperBound - 1) {
      runOfEdit[sequence] = runs.count
    }
    runEnding[units.upperBound] = runs.count
    runs.append(units)
    guard let runBefore else { return ([], []) }
    var inside: [Kept] = []
    while let last = kept.last, last.run >= runBefore,
      last.units.allSatisfy({ $0.lowerBound > units.lowerBound })
    {
      inside.append(last)
      kept.removeLast()
    }
    return (inside.reversed(), [runs[runBefore], units])
  }
}
