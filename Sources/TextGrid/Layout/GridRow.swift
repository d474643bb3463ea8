public import EditModel

/// A row of a layout.
public struct GridRow: Hashable, Sendable {
  /// Why there is a row.
  public enum Kind: String, Hashable, Sendable {
    /// It has text.
    case text
    /// Space before or after a paragraph.
    case blank
    /// The empty row after a last terminator, or of an empty text.
    case extra
    /// It holds the lower parts of attachments, and no text.
    case object
    /// It holds the sign that more follows, and no text.
    case more
  }

  /// The paragraph that it belongs to, counted from 0.
  public let paragraph: Int
  /// Its place in the text; nil if it is in a container, whose rows are not all alike.
  public let place: RowPlace?
  /// Why it is there.
  public let kind: Kind
  /// Its pieces of text, from left to right. More than one if its container has holes.
  public let fragments: [GridFragment]
  /// What lies on it of attachments, from left to right.
  public let objects: [PlacedObject]
  /// The sign that more text follows; nil if it has none.
  public let more: MoreSign?

  init(
    paragraph: Int, place: RowPlace?, kind: Kind, fragments: [GridFragment], more: MoreSign? = nil
  ) {
    (self.paragraph, self.place, self.kind) = (paragraph, place, kind)
    (self.fragments, self.more) = (fragments, more)
    objects = fragments.flatMap(\.objects)
  }

  /// The row `count` rows below the first one of `row`: what attachments have there.
  init(_ count: Int, below row: GridRow, place: RowPlace?) {
    (paragraph, self.place, kind) = (row.paragraph, place, .object)
    (fragments, more) = ([], nil)
    objects = row.objects.compactMap { $0.below(count) }
  }

  /// The smallest range with the units of all fragments; nil for a row without text.
  public var units: UTF16Range? {
    guard let first = fragments.first, let last = fragments.last else { return nil }
    return UTF16Range(first.units.location..<last.units.upperBound)
  }
}
