public import EditModel

/// Why entries could not be folded. State and projections are as they were before the entry
/// that the error names.
public enum ProjectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entry does not follow the state: another edit (or event after it) was due.
  case outOfOrder(expected: SequenceNumber, found: SequenceNumber)
  /// An edit does not fit the state it meets: the log is not the one the state came from.
  case refused(sequence: SequenceNumber, EditError)
  /// An undo step was asked for with other edits than its own.
  case notTheStep(sequences: ClosedRange<SequenceNumber>, editCount: Int)

  /// The edit at which it went wrong.
  package var sequence: SequenceNumber? {
    switch self {
    case .outOfOrder(let expected, _): expected
    case .refused(let sequence, _): sequence
    case .notTheStep(let sequences, _): sequences.lowerBound
    }
  }

  /// One sentence: what is wrong, and where.
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
