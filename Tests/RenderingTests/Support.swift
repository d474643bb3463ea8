import EditModel
import Rendering
import Styling
import TextGrid
import TextState

/// The version of a text with some attributes.
func state(
  _ text: String, _ attributes: [(Range<Int>, AttributeSet)] = []
) throws -> TextState {
  var state = TextState()
  try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
  for (range, set) in attributes {
    try state.apply(
      EditAction(
        range: UTF16Range(range), replacement: nil,
        attributes: .merge([AttributeRun(length: range.count, attributes: set)])))
  }
  return state
}

/// Rules from the text of a file that names no other one.
func rules(_ text: String = "") throws -> StyleRules {
  try StyleRules(text) { place, name throws(RulesError) in
    throw RulesError(place, "there is no file \(name)")
  }
}

/// The sheet of a whole text.
func sheet(_ state: TextState, _ rules: StyleRules, width: Int) -> Sheet {
  let styles = RuleStyles(StyledText(state, by: rules), rules)
  var layout = GridLayout(options: GridOptions(width: width))
  let rows = layout.rows(from: .first, count: .max, of: state, styles)
  return SheetBuilder(styles).sheet(rows, width: width)
}

/// The sheet of a whole text that shows its own attributes only.
func plainSheet(_ state: TextState, width: Int = 40) -> Sheet {
  var layout = GridLayout(options: GridOptions(width: width))
  let rows = layout.rows(from: .first, count: .max, of: state)
  return SheetBuilder(AttributeStyles(state)).sheet(rows, width: width)
}
