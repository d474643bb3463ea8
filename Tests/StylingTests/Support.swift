import EditModel
import Projections
import Testing
import TextState

@testable import Styling

/// Rules from the text of a file that names no other one.
func rules(_ text: String) throws -> StyleRules {
  try StyleRules(text) { place, name throws(RulesError) in
    throw RulesError(place, "there is no file \(name)")
  }
}

/// The version of a text.
func state(_ text: String, _ attributes: [(Range<Int>, AttributeSet)] = []) throws -> TextState {
  var state = TextState()
  try state.apply(replace(0..<0, text))
  for (range, set) in attributes { try state.apply(merge(range, set)) }
  return state
}

/// An action that replaces units.
func replace(_ range: Range<Int>, _ text: String) -> EditAction {
  EditAction(replacing: UTF16Range(range), with: UTF16Text(text))
}

/// An action that adds attributes.
func merge(_ range: Range<Int>, _ attributes: AttributeSet) throws -> EditAction {
  try EditAction(
    range: UTF16Range(range), replacement: nil,
    attributes: .merge([AttributeRun(length: range.count, attributes: attributes)]))
}

extension TextState {
  /// The texts of all ranges of an attribute with a value, or any, in order.
  func texts(of name: String, _ value: AttributeValue? = nil) -> [String] {
    AttributeRanges(name, in: 0..<length, self).filter { value == nil || $0.value == value }
      .map { String(text(in: $0.range)) }
  }
}

/// The tokens of a text by a grammar: the texts that have a style, and the style.
func tokens(_ text: String, _ grammar: String) throws -> [String] {
  let styled = StyledText(try state(text), by: try rules("grammar = \"\(grammar)\"")).state
  return AttributeRanges("syntax", in: 0..<styled.length, styled).map { range, value in
    guard case .string(let style) = value else { return "?" }
    return "\(style): \(String(styled.text(in: range)))"
  }
}
