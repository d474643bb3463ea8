/// The carets and selected ranges of an editor before and after an edit. An edit may carry it. It
/// never changes a text; an undo gives it back.
///
/// The first of several ranges is the main one.
public struct EditSelection: Hashable, Sendable {
  /// In one reference, so that an edit, which mostly has none, is moved in a few instructions.
  private final class Ranges: Sendable {
    let before: [SelectedRange]
    let after: [SelectedRange]

    init(before: [SelectedRange], after: [SelectedRange]) {
      (self.before, self.after) = (before, after)
    }
  }

  private let ranges: Ranges

  /// The ranges in the text before the edit; none if they are not known.
  public var before: [SelectedRange] { ranges.before }
  /// The ranges in the text after the edit; none if they are not known.
  public var after: [SelectedRange] { ranges.after }

  /// The maximum number of ranges on each side of an edit.
  public static let rangeCountMax = 256

  /// A selection. O(n log n) in the number of ranges, which is bounded first.
  ///
  /// - Parameters:
  ///   - before: The ranges in the text before the edit, in any order.
  ///   - after: The ranges in the text after the edit, in any order.
  /// - Throws: `EditError` if both sides are empty, a side has more than `rangeCountMax` ranges, two of
  ///   its ranges overlap or are equal, or one ends after the longest text that is allowed.
  public init(before: [SelectedRange] = [], after: [SelectedRange] = []) throws(EditError) {
    guard !before.isEmpty || !after.isEmpty else { throw .selectionEmpty }
    try Self.check(before)
    try Self.check(after)
    ranges = Ranges(before: before, after: after)
  }

  /// True if both have the same ranges, with the same directions, in the same order.
  public static func == (first: Self, second: Self) -> Bool {
    first.ranges === second.ranges
      || (first.before, first.after) == (second.before, second.after)
  }

  /// Feeds the ranges into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(before)
    hasher.combine(after)
  }

  private static func check(_ ranges: [SelectedRange]) throws(EditError) {
    guard ranges.count <= rangeCountMax else { throw .selectionTooLarge(count: ranges.count) }
    for selected in ranges where selected.range.upperBound > EditAction.textLengthMax {
      throw .selectionOutsideText(range: selected.range, textLength: EditAction.textLengthMax)
    }
    if ranges.count < 2 { return }
    let sorted = ranges.map(\.range).sorted { ($0.location, $0.length) < ($1.location, $1.length) }
    for (range, next) in zip(sorted, sorted.dropFirst())
    where range == next || range.upperBound > next.location {
      throw .selectionOverlaps(range, next)
    }
  }

  /// Checks that ranges lie in a text, and that none begins or ends inside a surrogate pair.
  ///
  /// - Parameters:
  ///   - ranges: `before` or `after`.
  ///   - textLength: The length of the text in UTF-16 units.
  ///   - unit: The unit of the text at an offset from 0 to `textLength` - 1.
  /// - Throws: `EditError.selectionOutsideText`, `EditError.selectionSplitsPair`.
  package static func check(
    _ ranges: [SelectedRange], textLength: Int, unit: (Int) -> UInt16
  ) throws(EditError) {
    for range in ranges.lazy.map(\.range) {
      guard range.upperBound <= textLength else {
        throw .selectionOutsideText(range: range, textLength: textLength)
      }
      for offset in [range.location, range.upperBound] where offset > 0 && offset < textLength {
        guard !UTF16.isLeadSurrogate(unit(offset - 1)) || !UTF16.isTrailSurrogate(unit(offset))
        else { throw .selectionSplitsPair(offset: offset) }
      }
    }
  }
}
