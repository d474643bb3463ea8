import EditModel
import TextState

/// Runs stages on one version.
struct StagePass {
  /// The version, with the attributes of the stages so far.
  private(set) var state: TextState
  /// The edit that made the version; nil if a runner starts.
  private(set) var edit: StagedEdit?
  /// The touched paragraphs: their indices, without gaps.
  private var paragraphs: Range<Int>

  /// The start of a runner: all paragraphs are touched.
  init(startingAt state: TextState) {
    self.state = state
    paragraphs = 0..<state.paragraphCount
  }

  /// The version `state` after an edit.
  init(_ edit: StagedEdit, _ state: TextState) {
    (self.state, self.edit) = (state, edit)
    let indices = edit.change.paragraphEvents.compactMap { event -> Int? in
      switch event {
      case .removed: nil
      case .inserted(let index, _, _), .edited(let index, _, _),
        .attributesChanged(let index, _, _):
        index
      }
    }
    // They ascend.
    paragraphs = (indices.first ?? 0)..<(indices.last.map { $0 + 1 } ?? 0)
  }

  /// Calls the stages in order. Stops at the first that breaks its contract.
  mutating func run(_ stages: inout [any EditStage]) throws(ProjectionError) {
    for index in stages.indices {
      let result = stages[index].fixAttributes(of: paragraphs, in: state, after: edit)
      try take(result, of: index, .fixAttributes)
    }
    for index in stages.indices {
      guard let edit else { return }
      try take(stages[index].didEdit(edit, in: state), of: index, .didEdit)
    }
  }

  private mutating func take(
    _ result: StageResult, of stage: Int, _ phase: StagedEdit.Phase
  ) throws(ProjectionError) {
    guard !result.actions.contains(where: { $0.replacement != nil }) else {
      throw .stageReplacedText(stage: stage, sequence: state.sequence)
    }
    var range: UTF16Range?
    do throws(EditError) {
      for action in result.actions {
        try state.applyDerived(action)
        range = action.range.joined(with: range)
      }
      if let invalidated = result.invalidated {
        try EditAction.validate(
          invalidated, newLength: invalidated.length, textLength: state.length)
        range = invalidated.joined(with: range)
      }
    } catch {
      throw .stageRefused(stage: stage, sequence: state.sequence, error)
    }
    guard let range, var edit else { return }
    edit.widenings.append(StagedEdit.Widening(stage: stage, phase: phase, range: range))
    edit.invalidatedRange = range.joined(with: edit.invalidatedRange)
    self.edit = edit
    guard !range.isEmpty else { return }
    let first = state.paragraphIndex(at: range.location)
    let end = state.paragraphIndex(at: range.upperBound - 1) + 1
    paragraphs =
      paragraphs.isEmpty
      ? first..<end : min(paragraphs.lowerBound, first)..<max(paragraphs.upperBound, end)
  }
}

extension UTF16Range {
  /// The smallest range with both.
  fileprivate func joined(with other: UTF16Range?) -> UTF16Range {
    guard let other else { return self }
    return UTF16Range(
      min(location, other.location)..<max(upperBound, other.upperBound))
  }
}
