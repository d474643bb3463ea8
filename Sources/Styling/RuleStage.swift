import EditModel
public import Projections
public import TextState

/// A stage that gives the touched paragraphs the attributes of rules.
///
/// What it derives is cleared and made again in each touched paragraph; attributes of other names stay.
/// Each paragraph passes the state of the grammar (that of the text, or of a block of code) to the next one. If
/// the state after a touched paragraph changes, the following paragraphs are styled again, up to the first
/// whose state before it is unchanged. No other paragraph is read.
public struct RuleStage: EditStage {
  private var styler: ParagraphStyler
  /// How many paragraphs were styled so far.
  public private(set) var styledCount = 0

  /// A stage for these rules.
  public init(_ rules: StyleRules) { styler = ParagraphStyler(rules) }

  /// Styles paragraphs. O(text and runs of the paragraphs that are styled).
  public mutating func fixAttributes(
    of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
  ) -> StageResult {
    var result = StageResult()
    var index = paragraphs.lowerBound
    if paragraphs.isEmpty {
      // An edit may remove whole paragraphs and touch no other.
      guard let edit, styler.readsPrevious else { return result }
      index = state.paragraphIndex(at: edit.change.editedRange.upperBound)
    }
    var syntax = SyntaxState()
    if index > 0 {
      let previous = state.paragraph(at: index - 1)
      syntax = styler.states(of: previous, in: state)?.after ?? SyntaxState()
    }
    while index < state.paragraphCount {
      let paragraph = state.paragraph(at: index)
      if index >= paragraphs.upperBound {
        guard styler.readsPrevious,
          let before = styler.states(of: paragraph, in: state)?.before,
          before != styler.state(before: paragraph, in: state, after: syntax)
        else { break }
      }
      styledCount += 1
      if let action = styler.action(on: paragraph, in: state, &syntax) {
        result.actions.append(action)
      }
      index += 1
    }
    return result
  }
}
