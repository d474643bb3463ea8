import EditModel
import TextState

/// The decorations that a file of rules can name.
public enum BuiltInDecoration: String, CaseIterable, Hashable, Sendable {
  /// Nothing: takes a decoration away. Its margins stay.
  case none
  /// A rectangle over all rows of the paragraphs, and over the whole width.
  case block
  /// A bar at the start of each row. If the value is an integer, this number of bars.
  case bar
  /// A rectangle: of the characters, or as `block` of paragraphs.
  case box
  /// A colour of the cells of characters.
  case highlight
  /// A line through characters.
  case strike
  /// A sign before a paragraph, if the run begins with it.
  case bullet
  /// The same with room for a number.
  case number

  /// True if it draws the sign of an item of a list.
  public var isSign: Bool { self == .bullet || self == .number }

  /// True if it draws the cells of the decorated characters in a colour, or its rectangle.
  package var isFilled: Bool { self == .block || self == .box || self == .highlight }

  /// The granularities that it can have.
  public var granularities: [DecorationGranularity] {
    switch self {
    case .none, .box, .highlight, .strike: DecorationGranularity.allCases
    case .block, .bar, .bullet, .number: [.singleParagraph, .contiguousParagraphs]
    }
  }

  /// Makes the decoration: none for `none`.
  public var handler: DecorationRegistry.Handler {
    switch self {
    case .none: { _, _ in nil }
    case .block, .bar, .box, .highlight, .strike: { call, _ in call.decoration(rawValue) }
    case .bullet, .number:
      { call, state in
        let start = call.expanded.location
        let isStart =
          call.run.location <= start
          && state.paragraph(at: state.paragraphIndex(at: start)).range.location == start
        return isStart ? call.decoration(rawValue) : nil
      }
    }
  }
}
