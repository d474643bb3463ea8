public import EditModel
public import TextState

/// A stage that gives each touched paragraph the attributes of a rule, those in the middle of an
/// edit included.
///
/// The rule has some names of its own. In a paragraph that the rule answers for, attributes of these
/// names become those of the answer; attributes of other names stay. A paragraph that has them
/// already is not changed, so typing inside it widens nothing.
public struct ParagraphStyling: EditStage {
  /// The attributes of a paragraph of this version; nil if it is to stay as it is. It must depend
  /// only on its arguments.
  public typealias Rule = @Sendable (ParagraphDescriptor, TextState) -> AttributeSet?

  private let names: Set<ExactString>
  private let rule: Rule

  /// A stage that sets attributes of these names. What the rule returns of other names is not used.
  public init(names: [String], _ rule: @escaping Rule) {
    (self.names, self.rule) = (Set(names.map(ExactString.init)), rule)
  }

  /// Styles paragraphs. O(text and runs of these paragraphs), besides the rule.
  public func fixAttributes(
    of paragraphs: Range<Int>, in state: TextState, after edit: StagedEdit?
  ) -> StageResult {
    var result = StageResult()
    for index in paragraphs {
      let paragraph = state.paragraph(at: index)
      guard let answer = rule(paragraph, state) else { continue }
      let wanted = AttributeSet(answer.filter { isOwn($0.name) })
      let runs = state.attributeRuns(in: paragraph.range)
      guard
        runs.contains(where: { AttributeSet($0.attributes.filter { isOwn($0.name) }) != wanted })
      else { continue }
      let styled = runs.map { run in
        let others = AttributeSet(run.attributes.filter { !isOwn($0.name) })
        return AttributeRun(length: run.length, attributes: others.merging(wanted))
      }
      guard
        let action = try? EditAction(
          range: paragraph.range, replacement: nil, attributes: .set(styled))
      else { continue }
      result.actions.append(action)
    }
    return result
  }

  private func isOwn(_ name: String) -> Bool { names.contains(ExactString(name)) }
}
