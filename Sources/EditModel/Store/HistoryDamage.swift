/// A place in a history at which entries were lost by damage.
public struct HistoryDamage: Hashable, Sendable {
  /// The last edit before the missing entries.
  public var after: SequenceNumber
  /// The number of edits and events that are missing.
  public var lostEntries: UInt64
  /// The number of edits and events that are intact but come after missing edits, so that they
  /// cannot be applied. They are kept in the journal `journal` in the folder `quarantine`.
  public var unreachableEntries: UInt64
  /// The number of the damaged journal; 0 if it is unknown.
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
