public import EditModel
import TextState

/// A value that a tap at a caret finds: a link, or what a pattern matched.
public struct CaretValue: Hashable, Sendable {
  /// The name of the attribute: `link`, that of addresses, or that of a pattern.
  public var name: String
  /// The value, such as the address or the mention.
  public var value: AttributeValue
  /// The longest range with this value, in UTF-16 units.
  public var range: UTF16Range
}

extension StyledText {
  /// The links and patterns at a caret: the attributes of the unit before it, or of the first unit at the
  /// start of the text. A link comes first, then an address, then patterns in the order of the rules.
  /// O(log n) for each name.
  ///
  /// - Parameters:
  ///   - caret: The offset of the caret, in UTF-16 units. A place outside the text has no values.
  ///   - rules: The rules that the text was styled by.
  public func values(atCaret caret: Int, _ rules: StyleRules) -> [CaretValue] {
    guard state.length > 0, caret >= 0, caret <= state.length else { return [] }
    let unit = max(0, caret - 1)
    let names =
      [AutomaticLink.attribute] + [rules.linkAttribute].compactMap { $0 } + rules.patternNames
    return names.compactMap { name in
      let (value, range) = state.attribute(name, at: unit)
      return value.map { CaretValue(name: name, value: $0, range: range) }
    }
  }
}
