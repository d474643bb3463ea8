public import EditModel

/// Why a stored state was refused: it does not describe one version of a text.
public enum TextStateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is longer than `EditAction.textLengthMax` UTF-16 units.
  case textTooLong(length: Int)
  /// The sequence number is greater than `TextState.sequenceMax`.
  case sequenceTooLarge(SequenceNumber)
  /// A run is empty, or the runs do not add up to the units of the text.
  case runsDoNotCover(textLength: Int, covered: Int)
  /// The paragraph at `index` is not at `range`, which follows from the text's terminators. `range`
  /// is nil if the text has fewer paragraphs; `found` is nil if the list has fewer.
  case paragraphMisplaced(index: Int, range: UTF16Range?, found: UTF16Range?)
  /// Two paragraphs have the same identifier.
  case paragraphRepeated(ParagraphID)
  /// The paragraph was created by an edit after the state's.
  case paragraphTooNew(ParagraphID, sequence: SequenceNumber)

  /// One sentence: the problem and its place.
  public var description: String {
    switch self {
    case .textTooLong(let length):
      "the text has \(length) UTF-16 units, more than \(EditAction.textLengthMax)"
    case .sequenceTooLarge(let sequence):
      "sequence number \(sequence) is greater than \(TextState.sequenceMax)"
    case .runsDoNotCover(let textLength, let covered):
      "attribute runs cover \(covered) UTF-16 units of \(textLength), or one of them is empty"
    case .paragraphMisplaced(let index, let range, let found):
      """
      paragraph \(index) is at \(found.map(String.init) ?? "no place"), but the text has it at \
      \(range.map(String.init) ?? "no place")
      """
    case .paragraphRepeated(let id):
      "two paragraphs have the identifier \(id)"
    case .paragraphTooNew(let id, let sequence):
      "paragraph \(id) is newer than the state, which is of edit \(sequence)"
    }
  }
}
