import EditModel
import TextState

/// The decorations that a file of rules can name.
public enum BuiltInDecoration: String, CaseIterable, Hashable, Sendable {
  /// Nothing: takes a decoration away.
  case none
  /// A rectangle behind all paragraphs of a block, over the whole width.
  case block
  /// A bar at the start of each row. If the value is an integer, this number of bars.
  case bar
  /// A rectangle behind characters.
  case box
  /// A colour behind characters.
  case highlight
  /// A line through characters.
  case strike
  /// A sign before a paragraph, if the run begins with it.
  case bullet
  /// The same with room for a number.
  case number

  /// True if it draws the sign of an item of a list.
  public var isSign: Bool { self == .bullet || self == .number }

  /// Makes the decoration; nil for `none`.
  public var handler: DecorationRegistry.Handler? {
    switch self {
    case .none: nil
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
