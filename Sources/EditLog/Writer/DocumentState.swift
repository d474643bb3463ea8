import EditLogFormat
import EditModel

/// The state of one document in the writer.
final class DocumentState {
  let number: UInt64
  var id: DocumentID
  /// The name in the files, if it is in another form than `id`. The next entry stores `id`.
  var storedID: DocumentID?

  /// True if its name may be newer than that of its last segment: a journal had it when the store was
  /// opened, or newer segments were lost.
  var isNamedInJournals = false
  /// True once it was checked that no segment is missing.
  var isComplete = false
  /// True once the places below were read from the segments.
  var isLoaded = false
  /// The number of the last entry, edits and events counted together, and of the last edit.
  var lastIndex: UInt64 = 0
  var lastSequence: SequenceNumber = 0
  /// The journal that its last segment names.
  var sealedJournal: UInt64 = 0

  /// Entries that are only in the journal.
  var unsealed = EntryList()
  /// The chain through all entries; nil until it is needed.
  var chain: DocumentChain?
  /// The chain through the sealed entries, computed on another thread.
  var sealedChain: SealedChain?
  /// The salts and links of the unsealed entries.
  var part = ChainPart()
  /// Salts in the journal, until the chain is computed.
  var journalSalts: [UInt64: [UInt8]] = [:]
  /// Damage that is not recorded in a segment yet.
  var damages: [HistoryDamage] = []
  /// The job that is under way.
  var job: StoreJob?
  /// True once its files were checked: see `StoreWriter.prepareCheck`.
  var isChecked = false
  /// Digests of the states in checkpoints that this writer wrote, or that were checked.
  var checkpoints: [CheckpointPlace: ChainHead] = [:]
  /// Why the document cannot be written to.
  var failure: LogError?

  init(number: UInt64, id: DocumentID) {
    (self.number, self.id) = (number, id)
  }

  /// The salts of links that began in the unsealed part.
  var salts: [UInt64: [UInt8]] {
    var salts = journalSalts
    for (offset, salt) in part.salts.enumerated() { salts[part.firstSalt + UInt64(offset)] = salt }
    return salts
  }

  /// Replaces the end of the history after entries were appended.
  func take(_ end: HistoryEnd) {
    (lastIndex, lastSequence, chain) = (end.lastIndex, end.lastSequence, end.chain)
  }
}
