public import EditModel

/// Why sections could not be inserted, deleted or moved.
public enum OutlineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The version is not the one of the outline.
  case otherVersion
  /// There are `count` sections, and these are not all among them.
  case noSections(Range<Int>, count: Int)
  /// Sections can be placed at 0 to `last`.
  case noPlace(Int, last: Int)
  /// The text, read again by the rule, would not have these sections in this order. So it is if text
  /// without a heading came after a section, or a section with an open fence before another one.
  case notReadable
  /// The text would be too long, or attributes do not cover the inserted text.
  case refused(EditError)

  /// One sentence.
  public var description: String {
    switch self {
    case .otherVersion: "the outline is one of another version; read it again"
    case .noSections(let sections, let count):
      "there are \(count) sections, but \(sections.lowerBound) up to \(sections.upperBound) are asked for"
    case .noPlace(let place, let last):
      "sections can be placed at 0 to \(last), but not at \(place)"
    case .notReadable: "the text would not have these sections if it is read again"
    case .refused(let error): "\(error)"
    }
  }
}
