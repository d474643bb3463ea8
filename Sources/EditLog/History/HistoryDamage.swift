public import EditModel

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

  /// The path, in the store, of the journal that held the missing entries, or of the documents'
  /// folder if segments held them. `quarantine` has the names of the files put aside.
  public func file(quarantined: some Collection<String>) -> String {
    guard journal > 0 else { return StoreLayout.documents }
    let name = StoreLayout.name(of: journal, .journal)
    return quarantined.contains(name)
      ? "\(StoreLayout.quarantine)/\(name)" : StoreLayout.path(ofJournal: journal)
  }
}

extension History {
  /// The file that holds the edit `sequence`, or would if it were there: a segment's path, or a
  /// journal's from the store's folder on.
  public func file(of sequence: SequenceNumber) -> String {
    if let sealed, sealed.count > 0, sequence <= sealed.lastSequence || unsealed.isEmpty {
      let first = sealed.firsts[sealed.position(of: sequence)]
      return sealed.directory.path(of: StoreLayout.name(of: first, .segment))
    }
    let chunks = unsealed.chunks
    let chunk = chunks.partitionPoint { $0.last < sequence }
    guard let journal = chunks.isEmpty ? nil : chunks[min(chunk, chunks.count - 1)].journal else {
      return StoreLayout.journals
    }
    return StoreLayout.path(ofJournal: journal)
  }
}
