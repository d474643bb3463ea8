import EditLogFormat
public import EditModel

/// The findings of opening a store for writing, and what was done about them.
public struct RecoveryReport: Sendable {
  /// The number of bytes at the ends of journals whose write was never acknowledged. They were
  /// quarantined.
  public var tornBytes = 0
  /// Bad bytes in journals, before batches that were written later.
  public var damages: [JournalDamage] = []
  /// The entries that documents lack because of it.
  public var documents: [DocumentID: [HistoryDamage]] = [:]
  /// Documents that cannot be written to, and why; all others can.
  public var failures: [DocumentID: LogError] = [:]
  /// The numbers of documents whose names could not be read.
  public var unnamed: [UInt64] = []
  /// The numbers of documents whose removal was interrupted by the end of the last writer, and is
  /// complete now.
  public var forgotten: [UInt64] = []
  /// The numbers of forgotten documents of which something could not be removed. Readers do not
  /// show them.
  public var unfinishedForgets: [UInt64] = []
  /// The catalog and the durable mark, if they were missing or damaged and were rebuilt.
  public var madeAnew: [RecoveryStep] = []
  /// Names of the files that were moved or copied into the folder `quarantine`.
  public var quarantined: [String] = []
  /// The number of entries that are only in the journals.
  public var unsealedEntries = 0

  /// True if nothing acknowledged is known to be missing or unreadable.
  public var isSound: Bool {
    damages.isEmpty && documents.isEmpty && failures.isEmpty && unnamed.isEmpty
  }
}
