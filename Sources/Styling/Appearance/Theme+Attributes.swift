public import EditModel

extension Theme {
  /// What is wrong with the value of an attribute that says itself what text looks like, as the end of a
  /// sentence about it.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - value: Its value.
  /// - Returns: Nil if the value has a look, and for all other attributes.
  public static func problem(of name: String, _ value: AttributeValue) -> String? {
    switch (name, value) {
    case ("bold", .bool), ("italic", .bool), ("underline", .bool), ("strikethrough", .bool),
      ("dim", .bool):
      return nil
    case ("bold", _), ("italic", _), ("underline", _), ("strikethrough", _), ("dim", _):
      return "must be true or false"
    case ("foreground", .string(let text)), ("background", .string(let text)):
      return Colour(text) == nil ? "\(colourRule), and is \(text.shown)" : nil
    case ("foreground", _), ("background", _): return colourRule
    default: return nil
    }
  }

  private static let colourRule =
    "must be #rrggbb, #rgb or one of \(Colour.names.joined(separator: ", "))"
}
