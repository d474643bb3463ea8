public import EditModel

/// The combined change of a group of edits, for one notification: the kinds of changes, the range,
/// and the change in length.
///
/// Edits are coalesced as a text storage does between `beginEditing` and `endEditing`. The first
/// edit's range is the extent. Each later range, in the coordinates current just before its edit,
/// is united with it, and the extent then grows by the edit's change in length. The kinds are
/// united, the changes in length summed.
///
/// The union includes unchanged text between two edits that are far apart, so an extent cannot be
/// replayed. Add edits only in their order; each must fit the text after those before it.
public struct EditedExtent: Hashable, Sendable {
  /// The kinds of changes of all edits.
  public private(set) var actions: EditActions
  /// The edited range, in UTF-16 units of the text after the last edit.
  public private(set) var editedRange: UTF16Range
  /// New length minus old length of the text, in UTF-16 units: the sum over all edits.
  public private(set) var changeInLength: Int

  /// The extent of one edit.
  public init(_ action: EditAction) {
    (actions, editedRange) = (action.actions, action.editedRange)
    changeInLength = action.changeInLength
  }

  /// The extent of one edit that was applied.
  public init(_ change: Change) {
    (actions, editedRange) = (change.actions, change.editedRange)
    changeInLength = change.changeInLength
  }

  /// The edited range, in UTF-16 units of the text before the first edit.
  public var range: UTF16Range {
    UTF16Range(editedRange.location..<editedRange.upperBound - changeInLength)
  }

  /// Adds the next edit. O(1).
  public mutating func append(_ action: EditAction) {
    append(action.actions, action.range, action.changeInLength)
  }

  /// Adds the next edit, which was applied. O(1).
  public mutating func append(_ change: Change) {
    append(change.actions, change.range, change.changeInLength)
  }

  private mutating func append(_ actions: EditActions, _ range: UTF16Range, _ change: Int) {
    let union = editedRange.union(range)
    self.actions.formUnion(actions)
    editedRange = UTF16Range(union.location..<union.upperBound + change)
    changeInLength += change
  }
}

extension UTF16Range {
  /// The smallest range that contains both ranges.
  fileprivate func union(_ other: UTF16Range) -> UTF16Range {
    UTF16Range(min(location, other.location)..<max(upperBound, other.upperBound))
  }
}
