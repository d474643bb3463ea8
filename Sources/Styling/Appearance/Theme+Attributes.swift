public import EditModel

extension Theme {
  /// Checks the value of a direct style attribute: bold, italic, underline, strikethrough, dim, foreground or
  /// background.
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
    default: return nil
    }
  }
}
