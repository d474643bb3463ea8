import EditModel
import TextState

/// A change between two versions, widened to whole characters: a mark is shown with its letter, and not with
/// another one beside it.
struct ChangedPart {
  /// The range in the older version, in UTF-16 units.
  private(set) var oldRange: UTF16Range
  /// The range in the newer version, in UTF-16 units.
  private(set) var newRange: UTF16Range
  /// Units of the older version that are not known.
  private(set) var missing: Int

  /// Units beside an edge that are looked at.
  private static let reach = 64
  /// Units before a change in which the beginning of its line is looked for.
  private static let lineReach = 1_024
  private static let lineFeed: UInt16 = 0x0A

  init(_ change: StateDifference.TextChange, _ missing: Int) {
    (oldRange, newRange, self.missing) = (change.oldRange, change.newRange, missing)
  }

  /// Moves a change that only removes or only inserts back to the start of its line, if it is then whole lines, as
  /// `TextDifference` does: the ends of two lines and their beginnings may be alike. At least one unit is left between
  /// it and `end`, the end of the change before it in the newer version. O(log n).
  mutating func slideToWholeLines(in version: TextState, _ base: TextState, after end: Int) {
    let most = newRange.location - end - 1
    let distance =
      newRange.isEmpty
      ? Self.distanceToWholeLines(base, oldRange, most: most)
      : oldRange.isEmpty ? Self.distanceToWholeLines(version, newRange, most: most) : 0
    oldRange = UTF16Range(oldRange.location - distance..<oldRange.upperBound - distance)
    newRange = UTF16Range(newRange.location - distance..<newRange.upperBound - distance)
  }

  /// By how many units a range can be moved back, so that it is whole lines, and without it the text stays the same;
  /// 0 if it cannot, by `most` units at most.
  private static func distanceToWholeLines(
    _ text: TextState, _ range: UTF16Range, most: Int
  ) -> Int {
    let most = min(most, lineReach, range.length - 1)
    guard most > 0, range.location > 0,
      text.unit(at: range.location - 1) == text.unit(at: range.upperBound - 1)
    else { return 0 }
    let before = text.text(in: UTF16Range(max(0, range.location - most - 1)..<range.location)).units
    let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
    let distance = before.count - start
    guard distance <= most, start > 0 || range.location == distance else { return 0 }
    let end = range.upperBound
    let moved = text.text(in: UTF16Range(end - distance - 1..<end)).units
    return moved[0] == lineFeed && moved[1...] == before[start...] ? distance : 0
  }

  /// Widens both ranges, by the same units on each side, which both versions have. O(log n).
  mutating func widen(in version: TextState, _ base: TextState) {
    let before = max(
      Self.distances(version, newRange.location).before,
      Self.distances(base, oldRange.location).before)
    let after = max(
      Self.distances(version, newRange.upperBound).after,
      Self.distances(base, oldRange.upperBound).after)
    oldRange = UTF16Range(
      max(0, oldRange.location - before)..<min(base.length, oldRange.upperBound + after))
    newRange = UTF16Range(
      max(0, newRange.location - before)..<min(version.length, newRange.upperBound + after))
  }

  /// True if a later change begins in this one, or at its end.
  func touches(_ next: ChangedPart) -> Bool { next.newRange.location <= newRange.upperBound }

  /// Adds a later change that this one touches.
  mutating func append(_ next: ChangedPart) {
    oldRange = UTF16Range(oldRange.location..<max(oldRange.upperBound, next.oldRange.upperBound))
    newRange = UTF16Range(newRange.location..<max(newRange.upperBound, next.newRange.upperBound))
    missing += next.missing
  }

  /// The units from an edge to the borders of the character in which it is; 0 if it is between two.
  private static func distances(
    _ text: TextState, _ edge: Int
  ) -> (before: Int, after: Int) {
    guard edge > 0, edge < text.length else { return (0, 0) }
    let beside = text.text(in: UTF16Range(edge - 1..<edge + 1)).units
    // No character goes on with an earlier scalar, but after a joiner.
    guard beside[1] >= 0x300 || beside[0] == 0x200D else { return (0, 0) }
    let start = max(0, edge - reach)
    let units = text.text(in: UTF16Range(start..<min(text.length, edge + reach))).units
    let index = edge - start
    var place = 0
    for character in String(decoding: units, as: UTF16.self) {
      let end = place + character.utf16.count
      if end >= index { return end == index ? (0, 0) : (index - place, end - index) }
      place = end
    }
    return (0, 0)
  }
}

extension TextState {
  /// The unit at an offset that the text has; nil at its end. O(log n).
  fileprivate func unit(at offset: Int) -> UInt16? {
    text(in: UTF16Range(offset..<min(length, offset + 1))).units.first
  }
}
