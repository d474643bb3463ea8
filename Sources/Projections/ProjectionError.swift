public import EditModel

/// Why entries could not be folded. State and projections are unchanged since before the entry that
/// the error names.
public enum ProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entry does not follow the state: another sequence number was expected.
  case outOfOrder(expected: SequenceNumber, found: SequenceNumber)
  /// An edit does not fit the state: the log is not the one that the state came from.
  case refused(sequence: SequenceNumber, EditError)
  /// A stage, the one at this index, returned an action that replaces characters. It may change only
  /// attributes.
  case stageReplacedText(stage: Int, sequence: SequenceNumber)
  /// A stage returned an action or a range that does not fit the version.
  case stageRefused(stage: Int, sequence: SequenceNumber, EditError)

  /// The edit that could not be folded.
  package var sequence: SequenceNumber? {
    switch self {
    case .outOfOrder(let expected, _): expected
    case .refused(let sequence, _), .stageReplacedText(_, let sequence),
      .stageRefused(_, let sequence, _):
      sequence
    }
  }

  /// One sentence: the problem and its edit.
  public var description: String {
    switch self {
    case .outOfOrder(let expected, let found):
      "sequence number \(expected) was due, but \(found) came"
    case .refused(let sequence, let error):
      "edit \(sequence) does not fit the version before it: \(error)"
    case .stageReplacedText(let stage, let sequence):
      """
      stage \(stage) tried to replace text at edit \(sequence); a stage may change only attributes
      """
    case .stageRefused(let stage, let sequence, let error):
      "what stage \(stage) returned does not fit edit \(sequence): \(error)"
    }
  }
}
