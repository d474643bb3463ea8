/// A place in a history where something was lost to damage.
public struct HistoryDamage: Hashable, Sendable {
  /// What is missing came after this edit.
  public var after: SequenceNumber
  /// Edits and events that are missing.
  public var lostEntries: UInt64
  /// Edits and events that are intact but come after missing edits, so that they no longer mean
  /// anything. They are kept in the journal of this number in the folder `quarantine`.
  public var unreachableEntries: UInt64
  /// The journal that was damaged; 0 if that is not known.
  public var journal: UInt64
  /// True if a person accepted the loss.
  public var isAccepted = false

  /// A place with everything known about it.
  public init(
    after: SequenceNumber, lostEntries: UInt64, unreachableEntries: UInt64, journal: UInt64
  ) {
    (self.after, self.journal) = (after, journal)
    (self.lostEntries, self.unreachableEntries) = (lostEntries, unreachableEntries)
  }

  /// The number of acknowledged entries that the history lacks, in words.
  public var missing: String {
    let count = lostEntries.addingReportingOverflow(unreachableEntries).partialValue
    return count == 1 ? "1 entry" : "\(count) entries"
  }
}
