/// A selected range of a text, or a caret, with its direction. In UTF-16 units.
public struct SelectedRange: Hashable, Sendable, CustomStringConvertible {
  /// The range.
  public let range: UTF16Range
  /// True if its head is its start, as after a selection from right to left. A caret is never reversed.
  public let isReversed: Bool

  /// The end that stays when the selection is extended.
  public var anchor: Int { isReversed ? range.upperBound : range.location }
  /// The end that moves when the selection is extended, at which the caret is.
  public var head: Int { isReversed ? range.location : range.upperBound }
  /// True if it selects nothing.
  public var isCaret: Bool { range.isEmpty }

  /// A range with a direction. That of an empty one does not count.
  public init(_ range: UTF16Range, isReversed: Bool = false) {
    (self.range, self.isReversed) = (range, isReversed && !range.isEmpty)
  }

  /// A range between two offsets, which must not be negative.
  public init(_ bounds: Range<Int>, isReversed: Bool = false) {
    self.init(UTF16Range(bounds), isReversed: isReversed)
  }

  /// The range between an anchor and a head; nil if one is negative.
  public init?(anchor: Int, head: Int) {
    guard anchor >= 0, head >= 0 else { return nil }
    self.init(min(anchor, head)..<max(anchor, head), isReversed: head < anchor)
  }

  /// `{location, length}`, with `reversed` after it if it is.
  public var description: String { isReversed ? "\(range) reversed" : "\(range)" }
}
