public import EditModel
import TextState

extension UndoTree {
  /// The change that makes a part of an old version again out of its own units, so that they keep their
  /// writers: what removed them is undone, and so is what was inserted among them. Nil if there is no such
  /// change, because one of these edits also changed other text, or if the part has no units.
  ///
  /// The text that the change makes is to be compared with the old one: another undo may have put other
  /// units between them, and a version in the middle of an undo has units of none.
  ///
  /// O(runs of units that ever existed + edits that touched those of the part).
  ///
  /// - Parameters:
  ///   - part: A range of the old version.
  ///   - older: The units of the old version.
  ///   - now: The range of the newest version that the part replaces.
  ///   - margin: A range of the old version that holds the part, and may come back with it.
  /// - Returns: The change, and the location of the part in the text that it makes.
  public func revival(
    of part: UTF16Range, in older: Provenance, replacing now: UTF16Range, margin: UTF16Range
  ) -> (change: UndoneChange, location: Int)? {
    provenance.revival(of: part, in: older, replacing: now, margin: margin)
  }
}

extension Provenance {
  fileprivate func revival(
    of part: UTF16Range, in older: Provenance, replacing now: UTF16Range, margin: UTF16Range
  ) -> (change: UndoneChange, location: Int)? {
    let wanted = older.visibleUnits(in: part)
    guard let first = older.firstVisibleUnit(in: part) else { return nil }
    let foreign = visibleUnits(in: now).subtracting(wanted)
    let deleters = deleters
    var (undone, redone): ([ClosedRange<SequenceNumber>], [ClosedRange<SequenceNumber>]) = ([], [])
    for units in foreign.ranges { insertions.forEachEdit(of: units) { undone.append($1...$1) } }
    for units in wanted.ranges {
      let alive = visible(in: units, undone: self.undone, deleters)
      for case (let dead, false) in alive.parts(of: units) {
        insertions.forEachEdit(of: dead) { if self.undone.contains($1) { redone.append($1...$1) } }
        deleters.forEach(in: dead) { part, sequence, step in
          for index in 0..<(step == 0 ? 1 : part.count) {
            let deleter = SequenceNumber(Int64(sequence) + Int64(step) * Int64(index))
            if !self.undone.contains(deleter) { undone.append(deleter...deleter) }
          }
        }
      }
    }
    let change = UndoneChange(undone: SequenceSet(undone), redone: SequenceSet(redone))
    guard !change.isEmpty else { return nil }
    let (hidden, shown) = effect(of: change)
    guard hidden.subtracting(foreign).isEmpty,
      shown.subtracting(older.visibleUnits(in: margin)).isEmpty
    else { return nil }
    return (change, location(of: first, hiding: hidden, showing: shown))
  }

  private func visibleUnits(in range: UTF16Range) -> NumberRanges {
    var units: [Range<Int>] = []
    order.forEachVisible(in: range.bounds) { units.append($0) }
    return NumberRanges(units)
  }

  private func firstVisibleUnit(in range: UTF16Range) -> Int? {
    var first: Int?
    order.forEachVisible(in: range.bounds) { first = first ?? $0.lowerBound }
    return first
  }

  /// The offset of a unit in the text without and with some units. O(runs).
  private func location(
    of unit: Int, hiding hidden: NumberRanges, showing shown: NumberRanges
  ) -> Int {
    var (location, found) = (0, 0)
    order.forEachRun { units, isVisible in
      for (part, flips) in (isVisible ? hidden : shown).parts(of: units) {
        if part.contains(unit) { found = location + unit - part.lowerBound }
        if isVisible != flips { location += part.count }
      }
    }
    return found
  }
}
