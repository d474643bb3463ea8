import EditModel

/// Which edit set which attributes of which units, in the order of the edits.
///
/// An attribute of a unit is what the newest edit that is not undone made of it. An insertion sets all
/// attributes of its units: those that it names, or those that the units inherit.
struct StyleLog: Hashable, Sendable {
  /// What an edit did to units.
  enum Style: Hashable, Sendable {
    case set(AttributeSet)
    case merge(AttributeSet)
    case remove([String])
  }

  struct Record: Hashable, Sendable {
    var sequence: SequenceNumber
    var units: Range<Int>
    var style: Style
  }

  private(set) var records: [Record] = []

  /// Adds what the newest edit did to some units.
  mutating func append(_ style: Style, to units: Range<Int>, by sequence: SequenceNumber) {
    if let last = records.last, last.sequence == sequence, last.style == style,
      last.units.upperBound == units.lowerBound
    {
      records[records.count - 1].units = last.units.lowerBound..<units.upperBound
    } else {
      records.append(Record(sequence: sequence, units: units, style: style))
    }
  }

  /// The units whose attributes edits of a set changed.
  func units(styledBy set: SequenceSet) -> NumberRanges {
    NumberRanges(records.compactMap { set.contains($0.sequence) ? $0.units : nil })
  }

  /// The attributes of some units without the edits that are undone: parts that cover them, in the order
  /// of their numbers. O(records · log units' ranges + parts).
  func attributes(
    of units: NumberRanges, undone: SequenceSet
  ) -> [(units: Range<Int>, attributes: AttributeSet)] {
    var parts = units.ranges.map { (units: $0, attributes: AttributeSet.empty) }
    for record in records where !undone.contains(record.sequence) {
      let first = parts.partitionPoint { $0.units.upperBound <= record.units.lowerBound }
      var end = first
      var changed: [(units: Range<Int>, attributes: AttributeSet)] = []
      while end < parts.count, parts[end].units.lowerBound < record.units.upperBound {
        let (old, attributes) = parts[end]
        let common = old.clamped(to: record.units)
        let new = record.style.applied(to: attributes)
        for (part, value) in [
          (old.lowerBound..<common.lowerBound, attributes), (common, new),
          (common.upperBound..<old.upperBound, attributes),
        ] where !part.isEmpty {
          changed.append((part, value))
        }
        end += 1
      }
      if first < end { parts.replaceSubrange(first..<end, with: changed) }
    }
    return parts
  }
}

extension StyleLog.Style {
  /// The attributes after this, of units that had `attributes`.
  func applied(to attributes: AttributeSet) -> AttributeSet {
    switch self {
    case .set(let new): return new
    case .merge(let new): return attributes.merging(new)
    case .remove(let names): return attributes.removing(names)
    }
  }
}
