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
    }
  }
}
