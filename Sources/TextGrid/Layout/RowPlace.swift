/// A row's place in a text, which says nothing about the rows before its paragraph.
public struct RowPlace: Hashable, Sendable, Comparable {
  /// The paragraph, counted from 0.
  public let paragraph: Int
  /// The window of the paragraph, counted from 0. A short paragraph has one.
  public let window: Int
  /// The row in the window, counted from 0. Blank rows count.
  public let row: Int

  /// A place.
  public init(paragraph: Int, window: Int = 0, row: Int = 0) {
    (self.paragraph, self.window, self.row) = (paragraph, window, row)
  }

  /// The first row of a text.
  public static let first = RowPlace(paragraph: 0)

  /// True if `left` is above `right`.
  public static func < (left: Self, right: Self) -> Bool {
    (left.paragraph, left.window, left.row) < (right.paragraph, right.window, right.row)
  }
}
