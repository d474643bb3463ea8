public import EditModel
import TextState

extension Provenance {
  /// Where ranges that were selected in an earlier version stand in the text after an undo.
  ///
  /// A range reaches from its first unit to its last one; if none of its units is in the text, it is a caret
  /// where they were. A caret stays after the unit that was before it. Of ranges that become equal, the
  /// first one stays. O(runs + ranges · log ranges).
  ///
  /// - Parameters:
  ///   - ranges: The ranges. Those that do not lie in the text of `older` are left out.
  ///   - older: The earlier version of the same history.
  ///   - change: What the undo does; it is not made yet.
  public func ranges(
    _ ranges: [SelectedRange], of older: Provenance, after change: UndoneChange
  ) -> [SelectedRange] {
    let places = ranges.filter { $0.range.upperBound <= older.length }.map { selected in
      older.place(of: selected)
    }
    let counts = visibleCounts(at: places.flatMap { [$0.start, $0.end] }, after: change)
    var (found, isFound) = ([SelectedRange](), Set<UTF16Range>())
    for place in places {
      let lower = counts[place.start] ?? 0
      let range = UTF16Range(lower..<max(lower, counts[place.end] ?? 0))
      guard isFound.insert(range).inserted else { continue }
      found.append(SelectedRange(range, isReversed: place.isReversed))
    }
    return found
  }

  /// A place before or after a unit; or the start, before all of them.
  private struct UnitPlace: Hashable {
    /// -1 for the start.
    var unit: Int
    var isAfter: Bool
  }

  private func place(
    of selected: SelectedRange
  ) -> (start: UnitPlace, end: UnitPlace, isReversed: Bool) {
    let range = selected.range
    guard !range.isEmpty else {
      let caret = UnitPlace(
        unit: range.location == 0 ? -1 : unit(range.location - 1), isAfter: true)
      return (caret, caret, false)
    }
    return (
      UnitPlace(unit: unit(range.location), isAfter: false),
      UnitPlace(unit: unit(range.upperBound - 1), isAfter: true), selected.isReversed
    )
  }

  /// The number of the visible unit at an offset of the text.
  private func unit(_ offset: Int) -> Int {
    var unit = -1
    order.forEachVisible(in: offset..<offset + 1) { unit = $0.lowerBound }
    return unit
  }

  /// The units of the text before each place, once a change is made.
  private func visibleCounts(
    at places: [UnitPlace], after change: UndoneChange
  ) -> [UnitPlace: Int] {
    let sorted = places.sorted { $0.unit < $1.unit }
    var counts: [UnitPlace: Int] = [:]
    let (hidden, shown) = effect(of: change)
    var count = 0
    order.forEachRun { units, isVisible in
      for (part, flips) in (isVisible ? hidden : shown).parts(of: units) {
        let length = isVisible != flips ? part.count : 0
        var index = sorted.partitionPoint { $0.unit < part.lowerBound }
        while index < sorted.count, sorted[index].unit < part.upperBound {
          let place = sorted[index]
          let offset = place.unit - part.lowerBound + (place.isAfter ? 1 : 0)
          counts[place] = count + min(offset, length)
          index += 1
        }
        count += length
      }
    }
    return counts
  }
}
