import EditLogFormat
import EditModel

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
