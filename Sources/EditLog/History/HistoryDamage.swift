public import EditModel

/// The last request of a client's run that a document's history remembers.
public struct SessionMark: Hashable, Sendable {
  /// The request's number within its session.
  public var counter: UInt64
  /// The last edit of that request, or the edit its event follows.
  public var sequence: SequenceNumber

  /// The mark of a session's request.
  public init(counter: UInt64, sequence: SequenceNumber) {
    (self.counter, self.sequence) = (counter, sequence)
  }
}

/// A place in a history where something was lost to damage.
public struct HistoryDamage: Hashable, Sendable {
  /// What is missing came after this edit.
  public var after: SequenceNumber
  /// Edits and events that are missing.
  public var lostEntries: UInt64
  /// Edits and events that are whole but stand behind missing edits, so that they mean nothing
  /// any more; they are kept in the journal of this number in the folder `quarantine`.
  public var unreachableEntries: UInt64
  /// The journal that was damaged, 0 where it is not known.
  public var journal: UInt64

  /// A place with everything known about it.
  public init(
    after: SequenceNumber, lostEntries: UInt64, unreachableEntries: UInt64, journal: UInt64
  ) {
    (self.after, self.journal) = (after, journal)
    (self.lostEntries, self.unreachableEntries) = (lostEntries, unreachableEntries)
  }
}
