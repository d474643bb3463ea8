public import EditModel

/// Why entries could not be folded. State and projections are unchanged since before the entry that
/// the error names.
public enum ProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entry does not follow the state: another sequence number was expected.
  case outOfOrder(expected: SequenceNumber, found: SequenceNumber)
  /// An edit does not fit the state: the log is not the one that the state came from.
  case refused(sequence: SequenceNumber, EditError)
  /// The edits that were given for an undo step are not its own.
  case notTheStep(sequences: ClosedRange<SequenceNumber>, editCount: Int)

  /// The edit that could not be folded.
  package var sequence: SequenceNumber? {
    switch self {
    case .outOfOrder(let expected, _): expected
    case .refused(let sequence, _): sequence
    case .notTheStep(let sequences, _): sequences.lowerBound
    }
  }

  /// One sentence: the problem and its edit.
  public var description: String {
    switch self {
    case .outOfOrder(let expected, let found):
      "sequence number \(expected) was due, but \(found) came"
    case .refused(let sequence, let error):
      "edit \(sequence) does not fit the version before it: \(error)"
    case .notTheStep(let sequences, let editCount):
      """
      the undo step holds edits \(sequences.lowerBound) to \(sequences.upperBound), but \
      \(editCount) edits were given
      """
    }
  }
}
