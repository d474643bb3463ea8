/// Why an edit was refused. Nothing is logged and no state changes.
public enum EditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The range ends after the end of the text.
  case rangeOutsideText(range: UTF16Range, textLength: Int)
  /// The declared `changeInLength` is not the replacement's length minus the range's.
  case lengthMismatch(declared: Int, range: UTF16Range, newLength: Int)
  /// An attribute run is empty, or the runs do not add up to the units of the edit.
  case runsDoNotCover(length: Int, covered: Int)
  /// The edit names neither characters nor attributes to change.
  case noAction
  /// The text would become longer than `EditAction.textLengthMax`.
  case textTooLong(changeInLength: Int, textLength: Int)
  /// A selection has no range, neither before nor after the edit.
  case selectionEmpty
  /// A selection has more than `EditSelection.rangeCountMax` ranges before or after the edit.
  case selectionTooLarge(count: Int)
  /// Two ranges of a selection overlap or are equal.
  case selectionOverlaps(UTF16Range, UTF16Range)
  /// A range of a selection ends after the end of the text.
  case selectionOutsideText(range: UTF16Range, textLength: Int)
  /// A range of a selection begins or ends between the halves of a surrogate pair.
  case selectionSplitsPair(offset: Int)

  /// One sentence: what is wrong, and its numbers.
  public var description: String {
    switch self {
    case .rangeOutsideText(let range, let textLength):
      "range \(range) ends at \(range.upperBound), but the text has \(textLength) UTF-16 units"
    case .lengthMismatch(let declared, let range, let newLength):
      """
      changeInLength is \(declared), but replacing range \(range) by \(newLength) UTF-16 units \
      changes the length by \(newLength - range.length)
      """
    case .runsDoNotCover(let length, let covered):
      "attribute runs cover \(covered) UTF-16 units of \(length), or one of them is empty"
    case .noAction:
      "the edit changes neither characters nor attributes"
    case .textTooLong(let changeInLength, let textLength):
      """
      the text has \(textLength) UTF-16 units and would grow by \(changeInLength), past the \
      limit of \(EditAction.textLengthMax)
      """
    case .selectionEmpty:
      "the selection has no range; give ranges for before or after, or leave it out"
    case .selectionTooLarge(let count):
      """
      the selection has \(count) ranges on one side of the edit, and \(EditSelection.rangeCountMax) \
      are allowed
      """
    case .selectionOverlaps(let range, let other):
      "the ranges \(range) and \(other) of the selection overlap or are equal"
    case .selectionOutsideText(let range, let textLength):
      """
      range \(range) of the selection ends at \(range.upperBound), but the text has \(textLength) \
      UTF-16 units there
      """
    case .selectionSplitsPair(let offset):
      "a range of the selection begins or ends at \(offset), between the halves of a surrogate pair"
    }
  }
}
