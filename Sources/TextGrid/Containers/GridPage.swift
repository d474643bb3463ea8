public import EditModel

/// A page with text.
public struct GridPage: Hashable, Sendable {
  /// The page, counted from 0.
  public let index: Int
  /// The rows of each container, in the order of `PageFormat.containers`. Rows after the text's end are
  /// left out.
  public let columns: [[GridRow]]
  /// Where the page began.
  public let start: FlowPlace
  /// Where the next page begins; nil if this is the last.
  public let next: FlowPlace?

  /// The units on the page; nil if it has none.
  public var units: UTF16Range? {
    let ranges = columns.joined().compactMap(\.units)
    guard let first = ranges.first, let last = ranges.last else { return nil }
    return UTF16Range(first.location..<last.upperBound)
  }
}

/// The text that comes after the last page.
public struct PageOverflow: Hashable, Sendable {
  /// UTF-16 units.
  public let units: Int
  /// Paragraphs, the one that is broken off included.
  public let paragraphs: Int

  /// What comes from `place` on.
  public init(from place: FlowPlace, in text: some AttributedStorage) {
    let range = text.paragraphRange(at: min(place.paragraph, text.paragraphCount - 1))
    let placed =
      switch place.part {
      case .before: 0
      case .text: min(place.done, range.length)
      case .after: range.length
      }
    units = text.length - range.location - placed
    paragraphs =
      text.paragraphCount - min(place.paragraph, text.paragraphCount)
      - (place.part == .after ? 1 : 0)
  }
}
