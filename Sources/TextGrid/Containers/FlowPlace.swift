/// A place in a text at which a container may begin.
public struct FlowPlace: Hashable, Sendable {
  /// What comes next.
  public enum Part: String, Hashable, Sendable {
    /// Blank rows before the paragraph.
    case before
    /// Text of the paragraph.
    case text
    /// Blank rows after the paragraph.
    case after
  }

  /// The paragraph, counted from 0.
  public let paragraph: Int
  /// What of the paragraph comes next.
  public let part: Part
  /// Of text: UTF-16 units of the paragraph that are placed already. Of blank rows: how many are.
  public let done: Int

  /// A place.
  public init(paragraph: Int, part: Part, done: Int) {
    (self.paragraph, self.part, self.done) = (paragraph, part, done)
  }

  /// The start of a text.
  public static let first = FlowPlace(paragraph: 0, part: .before, done: 0)
}
