import EditModel

/// Units that undos and redos made visible or dead, in the order of their edits.
struct UnitFlips: Hashable, Sendable {
  /// Units that one edit brought back or took away.
  struct Flip: Hashable, Sendable {
    var units: Range<Int>
    var sequence: SequenceNumber
    var isVisible: Bool
  }

  private(set) var flips: [Flip] = []

  /// Adds units, in the order of the edits. O(1).
  mutating func append(_ units: Range<Int>, by sequence: SequenceNumber, isVisible: Bool) {
    guard !units.isEmpty else { return }
    if let last = flips.last, last.sequence == sequence, last.isVisible == isVisible,
      last.units.upperBound == units.lowerBound
    {
      flips[flips.count - 1].units = last.units.lowerBound..<units.upperBound
    } else {
      flips.append(Flip(units: units, sequence: sequence, isVisible: isVisible))
    }
  }

  /// The edit that last brought back each of some units, for those that came back: by ascending units.
  /// O(flips · log flips).
  func lastShown() -> [(units: Range<Int>, sequence: SequenceNumber)] {
    last { $0.isVisible }
  }

  /// The edit that last took away each of some units, for those that an undo or a redo took away.
  func lastHidden() -> [(units: Range<Int>, sequence: SequenceNumber)] {
    last { !$0.isVisible }
  }

  private func last(
    _ isWanted: (Flip) -> Bool
  ) -> [(units: Range<Int>, sequence: SequenceNumber)] {
    var ranges: [(units: Range<Int>, sequence: SequenceNumber)] = []
    var seen: [Range<Int>] = []
    var known = NumberRanges()
    // The newest first; what was seen is folded into one set from time to time.
    for flip in flips.reversed() where isWanted(flip) {
      for (part, isKnown) in known.parts(of: flip.units) where !isKnown {
        let fresh = NumberRanges(seen.filter { $0.overlaps(part) })
        for (part, isSeen) in fresh.parts(of: part) where !isSeen {
          ranges.append((part, flip.sequence))
        }
      }
      seen.append(flip.units)
      if seen.count > 64 {
        known = NumberRanges(known.ranges + seen)
        seen = []
      }
    }
    return ranges.sorted { $0.units.lowerBound < $1.units.lowerBound }
  }
}
