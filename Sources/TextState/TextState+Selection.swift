package import EditModel

extension TextState {
  /// Checks that a selection lies in this text and in the text after an edit of it, and that none of its
  /// ranges begins or ends inside a surrogate pair. The edit must fit the text. O(ranges · log n).
  ///
  /// - Parameters:
  ///   - selection: The selection before and after the edit.
  ///   - action: The edit, which is not applied.
  /// - Throws: `EditError.selectionOutsideText`, `EditError.selectionSplitsPair`.
  package func check(
    _ selection: EditSelection, of action: EditAction
  ) throws(EditError) {
    try EditSelection.check(selection.before, textLength: length) { self[$0] }
    let edited = action.editedRange
    try EditSelection.check(
      selection.after, textLength: length + action.changeInLength
    ) { offset in
      if offset < edited.location { return self[offset] }
      if offset >= edited.upperBound { return self[offset - action.changeInLength] }
      return action.replacement?[offset - edited.location] ?? self[offset]
    }
  }
}
