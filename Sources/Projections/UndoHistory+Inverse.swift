public import EditModel
public import TextState

extension UndoHistory {
  /// The actions that take a step back. Apply them in order, as one transaction of origin `undo`,
  /// to the version after the step. Text and attributes are then those before the step.
  ///
  /// `before` is the version before the step's first edit, and `edits` are the step's edits. Redo
  /// needs no such function: it applies the step's own actions again. O(cost of the edits + units
  /// they removed).
  ///
  /// - Throws: `ProjectionError` if state or edits are not those of the step.
  public static func inverseActions(
    of step: UndoStep, from before: TextState, edits: [Edit]
  ) throws(ProjectionError) -> [EditAction] {
    guard edits.count == step.editCount else {
      throw .notTheStep(sequences: step.sequences, editCount: edits.count)
    }
    guard before.sequence + 1 == step.sequences.lowerBound else {
      throw .outOfOrder(expected: before.sequence + 1, found: step.sequences.lowerBound)
    }
    var state = before
    var inverses: [EditAction] = []
    for edit in edits {
      guard edit.sequence == state.sequence + 1 else {
        throw .outOfOrder(expected: state.sequence + 1, found: edit.sequence)
      }
      let change: Change
      do throws(EditError) {
        change = try state.apply(edit.action, capturingRemoved: true)
      } catch {
        throw .refused(sequence: edit.sequence, error)
      }
      if let inverse = change.inverse {
        inverses.append(Self.plain(inverse, in: state))
      } else {
        // Only an attribute edit of an empty range has no inverse, and it needs none.
        precondition(change.editedRange.isEmpty && !change.actions.contains(.characters))
      }
    }
    return inverses.reversed()
  }

  /// The action; without its attributes if the text would inherit the same ones. So an undo in
  /// plain text has no attribute change.
  private static func plain(_ action: EditAction, in state: TextState) -> EditAction {
    guard let text = action.replacement, case .set(let runs) = action.attributes,
      runs.count == 1, runs[0].attributes == state.attributesInherited(in: action.range)
    else { return action }
    return EditAction(replacing: action.range, with: text)
  }
}

extension TextState {
  /// The attributes that new text in place of `range` inherits; see `AttributeChange.inherit`.
  fileprivate func attributesInherited(in range: UTF16Range) -> AttributeSet {
    guard length > 0 else { return .empty }
    return attributes(at: range.isEmpty ? max(range.location - 1, 0) : range.location).attributes
  }
}
