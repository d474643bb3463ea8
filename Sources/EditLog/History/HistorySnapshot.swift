import EditLogFormat
package import EditModel

/// What the history of a document is made of at one moment. Its files are opened later, on any thread,
/// while no job of the document replaces them.
struct HistorySnapshot: Sendable {
  let document: DocumentID
  let number: UInt64
  let store: StoreID
  let documents: DocumentsDirectory
  /// What the files must agree with.
  let expected: SealedExpectation
  let unsealed: EntryList
  let salts: [UInt64: [UInt8]]
  let damages: [HistoryDamage]
  let head: ChainHead?
  /// The keys of the losses that are accepted.
  let accepted: Set<String>
  let trust: CheckpointTrust

  /// Opens the files.
  func history() throws(LogError) -> History {
    let sealed = try SealedPart.openWhole(
      number, in: documents, store: store, expecting: expected)
    return History(
      document: document, number: number, store: store, sealed: sealed, unsealed: unsealed,
      salts: salts, damage: damages, head: head, accepted: accepted, trust: trust)
  }
}

/// A document's history as it was at one moment, to be opened on any thread while the writer works.
package struct PendingHistory: Sendable {
  fileprivate let snapshot: HistorySnapshot
  /// The number of the last sealed entry at that moment.
  fileprivate let sealedIndex: UInt64

  /// Opens the files.
  ///
  /// - Returns: nil if files were replaced since, or the history has a gap: it must be read between two
  ///   batches, by `StoreWriter.history(of:)`.
  package func open() -> History? {
    guard let history = try? snapshot.history(),
      history.sealed?.lastIndex ?? 0 == sealedIndex
    else { return nil }
    return history
  }
}

extension StoreWriter {
  /// What a document's history is made of at this moment; nil if there is no such document. Without I/O,
  /// if the document was read before.
  package func pendingHistory(of document: DocumentID) throws(LogError) -> PendingHistory? {
    guard let state = try state(of: document) else { return nil }
    return PendingHistory(
      snapshot: snapshot(of: state),
      sealedIndex: state.lastIndex - min(state.lastIndex, UInt64(state.unsealed.count)))
  }
}
