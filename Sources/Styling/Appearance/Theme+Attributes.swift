public import EditModel

extension Theme {
  /// The levels of a heading.
  static let headingLevels = 1...6

  /// Checks the value of an attribute that has a meaning: bold, italic, underline, strikethrough, dim, foreground and
  /// background, and those that make a kind of paragraph.
  ///
  /// - Returns: What is wrong, such as `must be true or false`. Nil for a valid value, and for other attributes.
  public static func problem(of name: String, _ value: AttributeValue) -> String? {
    switch (name, value) {
    case ("bold", .bool), ("italic", .bool), ("underline", .bool), ("strikethrough", .bool),
      ("dim", .bool):
      return nil
    case ("bold", _), ("italic", _), ("underline", _), ("strikethrough", _), ("dim", _):
      return "must be true or false"
    case ("foreground", .string(let text)), ("background", .string(let text)):
      return Colour(text) == nil ? "\(Colour.rule); found \(text.shown)" : nil
    case ("foreground", _), ("background", _): return Colour.rule
    case ("heading", _): return problem(ofLevel: value, in: headingLevels)
    case ("quote", _), (ParagraphKind.listItem, _), (ParagraphKind.orderedItem, _):
      return problem(ofLevel: value, in: 1...ParagraphKind.levelMax)
    case ("code-block", .bool), ("code-block", .string), ("code-block", .integer): return nil
    case ("code-block", _): return "must be true, false or the name of a language"
    case (ListCounters.startAttribute, .integer(let number)):
      return 0...Int64(ListCounters.numberMax) ~= number ? nil : startProblem
    case (ListCounters.startAttribute, _): return startProblem
    default: return nil
    }
  }

  /// What is wrong with the first of some attributes whose value is not valid, as `problem(of:_:)`, after its name.
  /// Nil if all are valid. O(attributes).
  package static func problem(of attributes: AttributeSet) -> String? {
    for (name, value) in attributes {
      if let problem = problem(of: name, value) { return "\(name) \(problem)" }
    }
    return nil
  }

  private static let startProblem =
    "must be an integer from 0 to \(ListCounters.numberMax)"

  /// A level is an integer, or true for 1. False takes the kind away.
  private static func problem(
    ofLevel value: AttributeValue, in levels: ClosedRange<Int>
  ) -> String? {
    switch value {
    case .bool: return nil
    case .integer(let level) where levels.contains(Int(clamping: level)): return nil
    case .integer(let level):
      return "must be from \(levels.lowerBound) to \(levels.upperBound); found \(level)"
    default: return "must be an integer from \(levels.lowerBound) to \(levels.upperBound), or true"
    }
  }
}
