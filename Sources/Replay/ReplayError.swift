public import EditLog
public import EditModel
import Projections

/// Why a state could not be rebuilt.
public enum ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The history ends before the point.
  case beyondHistory(sequence: SequenceNumber, last: SequenceNumber)
  /// No mark has this label.
  case unknownMark(label: String, known: [String])
  /// There are fewer saves, sessions or undo steps.
  case unknownPlace(Place, number: Int, count: Int)
  /// The log could not be read.
  case log(LogError)
  /// The log lacks acknowledged edits.
  case gap(after: SequenceNumber, expected: SequenceNumber)
  /// A logged edit does not fit the state before it: the log is damaged, or the state machine has a
  /// bug.
  case unfitEdit(sequence: SequenceNumber, reason: EditError)

  /// The maximum number of marks that a description lists.
  private static let shownMarkCountMax = 100

  /// Places that are counted.
  public enum Place: String, Hashable, Sendable {
    case save, session
    case undo
  }

  /// One sentence for the user.
  public var description: String {
    switch self {
    case .beyondHistory(let sequence, let last):
      "the history ends at \(last), before \(sequence)"
    case .unknownMark(let label, let known):
      known.isEmpty
        ? "no version is marked \(label.shown); there are no marks"
        : """
        no version is marked \(label.shown); the \
        \(known.count > Self.shownMarkCountMax ? "last \(Self.shownMarkCountMax) of \(known.count) " : "")\
        marks are: \(known.suffix(Self.shownMarkCountMax).map(\.shown).joined(separator: ", "))
        """
    case .unknownPlace(let place, let number, let count):
      """
      there is no \(place.rawValue):\(number); the history has \
      \(count == 0 ? "no" : "\(count)") \(place.counted(count))
      """
    case .log(let error):
      "\(error)"
    case .gap(let sequence, let expected):
      "the log has no edit after \(sequence), though edit \(expected) was acknowledged"
    case .unfitEdit(let sequence, let reason):
      "edit \(sequence) does not fit the text before it: \(reason)"
    }
  }

  /// This error as damage of a file of `history`: edits that cannot be replayed are damage of the
  /// file that has them. Nil if the log is sound and only the point does not exist.
  package func damage(of history: History) -> LogError? {
    switch self {
    case .beyondHistory, .unknownMark, .unknownPlace: nil
    case .log(let error): error
    case .gap(_, let sequence), .unfitEdit(let sequence, _):
      .damaged(file: history.file(of: sequence), offset: 0, what: description)
    }
  }

  /// An error of reading a history: a `LogError`, a `ReplayError` or a `ProjectionError`.
  package init(reading error: any Error) {
    switch error {
    case let error as ReplayError: self = error
    case let error as LogError: self = .log(error)
    case let error as ProjectionError: self.init(error)
    default: preconditionFailure("a history throws only what it documents: \(error)")
    }
  }
}

extension ReplayError {
  /// An error of folding a history into projections.
  private init(_ error: ProjectionError) {
    switch error {
    case .outOfOrder(let expected, let found): self = .gap(after: expected - 1, expected: found)
    case .refused(let sequence, let reason), .stageRefused(_, let sequence, let reason):
      self = .unfitEdit(sequence: sequence, reason: reason)
    case .stageReplacedText(_, let sequence):
      self = .unfitEdit(sequence: sequence, reason: .noAction)
    }
  }
}

extension ReplayError.Place {
  /// The word for `count` of them.
  fileprivate func counted(_ count: Int) -> String {
    let word =
      switch self {
      case .save: "save"
      case .session: "session that is described"
      case .undo: "undo step"
      }
    guard count != 1 else { return word }
    return self == .session ? "sessions that are described" : word + "s"
  }
}
