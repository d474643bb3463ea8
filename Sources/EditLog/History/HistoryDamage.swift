import EditLogFormat
public import EditModel

extension HistoryDamage {
  /// The path, in the store, of the journal that held the missing entries, or of the documents'
  /// folder if segments held them. `quarantine` has the names of the quarantined files.
  public func file(quarantined: some Collection<String>) -> String {
    guard journal > 0 else { return StoreLayout.documents }
    let name = StoreLayout.name(of: journal, .journal)
    return quarantined.contains(name)
      ? "\(StoreLayout.quarantine)/\(name)" : StoreLayout.path(ofJournal: journal)
  }

  /// Identifies the damage of document `number` permanently.
  func key(of number: UInt64) -> String {
    "document \(number) after \(after) lost \(lostEntries) unreachable \(unreachableEntries) journal \(journal)"
  }
}

extension StoreLoss {
  /// True if entries of any document may be among what is lost, and no person has accepted it.
  public var mayConcernAnyDocument: Bool {
    kind == .entries && acceptedTime == nil && !file.hasPrefix(StoreLayout.documents)
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
