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

  init(_ change: StateDifference.TextChange, _ missing: Int) {
    (oldRange, newRange, self.missing) = (change.oldRange, change.newRange, missing)
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
