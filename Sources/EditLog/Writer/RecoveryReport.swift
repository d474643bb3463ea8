import EditLogFormat
public import EditModel

/// What opening a store for writing found, and what it did about it.
public struct RecoveryReport: Sendable {
  /// Bytes at the end of journals whose write was never acknowledged; they were quarantined.
  public var tornBytes = 0
  /// Bad bytes in journals, before batches that were written later.
  public var damages: [JournalDamage] = []
  /// What documents lack because of it.
  public var documents: [DocumentID: [HistoryDamage]] = [:]
  /// Documents that cannot be written to, and why; all others can.
  public var failures: [DocumentID: LogError] = [:]
  /// Numbers of documents whose names could not be read.
  public var unnamed: [UInt64] = []
  /// Numbers of documents that were being forgotten when the last writer ended, and are gone now.
  public var forgotten: [UInt64] = []
  /// Numbers of documents of which something could not be removed; no reader shows them.
  public var unfinishedForgets: [UInt64] = []
  /// The catalog and the durable mark, if they were missing or damaged and were rebuilt.
  public var madeAnew: [RecoveryStep] = []
  /// Names of the files that were moved or copied into the folder `quarantine`.
  public var quarantined: [String] = []
  /// Entries that are in the journals alone.
  public var unsealedEntries = 0

  /// True if nothing acknowledged is known to be missing or unreadable.
  public var isSound: Bool {
    damages.isEmpty && documents.isEmpty && failures.isEmpty && unnamed.isEmpty
  }
}
