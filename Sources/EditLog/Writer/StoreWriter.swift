import EditLogFormat
public import EditModel

/// The one writer of a store. It belongs to one thread at a time.
///
/// Opening it recovers the store. An append is durable when it returns. After a failed flush
/// nothing is written any more: every call throws `LogError.poisoned` until the store is opened
/// again. On a full disk, a call throws `LogError.noSpace`, and the writer stays usable.
public final class StoreWriter {
  /// Sizes, which tests shrink.
  public struct Options: Sendable {
    /// Bytes after which the journal continues in a new file.
    public var journalSizeMax = 16 << 20
    /// Bytes after which a journal with nothing unsealed in it is replaced by a new one.
    public var journalSizeMin = 64 << 10
    /// Bytes by which a journal grows ahead of its batches.
    public var journalReserveStep = 256 << 10
    /// The number of entries that a job of `StoreWriter.prepareSeal` seals, approximately: it ends with a
    /// link of the hash chain.
    public var sealCountMax = 1 << 18
    /// Bytes below which a document's last segment is replaced by a longer one.
    public var segmentSizeMax = 8 << 20
    /// The maximum number of edits in a block.
    public var blockEditCountMax = 1 << 14
    /// zstd's level for blocks and checkpoints.
    public var level = 6
    /// zstd's level for a block of one large entry, whose client waits for it.
    public var largeLevel = 1
    /// The maximum number of edits in a compacted block.
    public var compactedBlockEditCountMax = 1 << 15
    /// zstd's level for compacted blocks. Blocks of one large entry have `level`, because compressing
    /// one cannot be stopped and would take minutes.
    public var compactedLevel = 19
    /// Bytes of other blocks that make compacting a document's last segment worth the work.
    public var compactionSizeMin = 16 << 10
    /// Bytes of checkpoints that a document may have, however short its history is.
    public var checkpointSizeMin = 64 << 10
    /// Bytes of the largest segment that a document has without a folder of its own: a block of a
    /// file system.
    public var loneSegmentSizeMax = DocumentsDirectory.loneSizeMaxDefault

    /// The default sizes.
    public init() {}
  }

  /// The store's name.
  public let id: StoreID
  /// The report of the recovery at opening.
  public internal(set) var recovery = RecoveryReport()

  let options: Options
  let clock: any WallClock
  let random: any RandomBytes
  let root: any Directory
  let journals: any Directory
  let documentsDirectory: DocumentsDirectory
  let quarantine: any Directory
  /// Locks the store for other writers while this writer or a job exists.
  private(set) var lock: (any File)?
  /// The path of the lock.
  let lockPath: String

  /// A journal that is not written to any more.
  struct OldJournal {
    var number: UInt64
    /// Documents with unsealed entries in it.
    var pending: Set<UInt64>
    /// Documents with entries in it, sealed or not.
    var documents: Set<UInt64>
    /// True if it holds something that could not be read or used: it is quarantined, not removed.
    var isKept: Bool
  }

  var states: [UInt64: DocumentState] = [:]
  var numbers: [DocumentID: UInt64] = [:]
  /// As `PresentNames.others` when the store was opened.
  var otherHistories: [DocumentID: [DocumentID]] = [:]
  /// True once it is recorded that the store may have long names.
  var hasLongNames = false
  var nextNumber: UInt64 = 1
  /// Documents that an append job writes to or creates.
  var arriving: [DocumentID: DocumentState] = [:]
  var journal: JournalFile
  /// How far the journals and the catalog are durable; nil until it is first written.
  var markFile: DurableMarkFile?
  /// The catalog; nil until a store of format 1.0, or one whose catalog is lost, has been read.
  var catalogFile: CatalogFile?
  /// The attachments that must be stored; nil until the store has one.
  var attachmentList: CatalogFile?
  /// No document ever had a higher number than this.
  var documentLimit: UInt64 = 0
  /// The batch that the last mark names.
  var markedBatch: UInt64 = 0
  /// True once no segment can name a newer journal than the one that is written to.
  var knowsNewestJournal = false
  /// Documents with unsealed entries in the journal that is written to.
  var pending: Set<UInt64> = []
  /// Documents with entries in it, sealed or not.
  var journalDocuments: Set<UInt64> = []
  /// Forgotten documents of which something may be left. Files with their entries are overwritten
  /// before they are removed.
  var forgetting: Set<UInt64> = []
  /// Oldest first. They are removed only in this order.
  var oldJournals: [OldJournal] = []
  /// Removed journals, still open. Freeing the blocks of one takes a millisecond and more, so the next job
  /// closes them.
  var removedJournals: [any File] = []
  /// The number of bytes needed by the last batch for which there was no space.
  package internal(set) var refusedSize = 0
  private var poison: String?

  /// Opens the store at `path` for writing, creates it if there is none, and recovers it.
  ///
  /// - Throws: `LogError.locked` if another writer has the store open; `LogError.newerFormat`,
  ///   `LogError.refused`, `LogError.noSpace`, `LogError.io`; `LogError.damaged` if the store's own
  ///   name cannot be read. Damage in journals and documents does not throw: see `recovery`.
  public init(
    at path: String, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any WallClock = SystemClock(), random: any RandomBytes = SystemRandomBytes(),
    options: Options = Options()
  ) throws(LogError) {
    (self.options, self.clock, self.random) = (options, clock, random)
    let opened = try Self.noSpace(path) { () throws(LogError) in
      try OpenedStore(path, fileSystem, clock, random, options)
    }
    (id, root, lock) = (opened.id, opened.root, opened.lock)
    lockPath = "\(opened.root.path)/\(StoreLayout.lock)"
    (journals, documentsDirectory) = (opened.journals, opened.documents)
    quarantine = opened.quarantine
    var report = RecoveryReport()
    journal = try Self.noSpace(path) { () throws(LogError) in
      try Self.recoverJournal(opened, options, report: &report)
    }
    recovery = report
    try Self.noSpace(path) { () throws(LogError) in try recover(opened) }
  }

  // MARK: Failures

  /// False after a failed flush, and after `close`: then every call is refused.
  public var isUsable: Bool { poison == nil }

  /// Refuses work after a failed flush.
  func checkPoison() throws(LogError) {
    if let poison { throw .poisoned(first: poison) }
  }

  /// Releases the lock, and refuses work from then on. A job that is under way keeps the lock.
  func end() {
    for state in states.values { state.job = nil }
    for state in arriving.values { state.job = nil }
    removedJournals = []
    lock = nil
    poison = poison ?? "the writer was closed"
  }

  /// Runs `body`. If it fails, the state of the disk is unknown, and the writer ends.
  func poisoning<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    do { return try body() } catch {
      poison = poison ?? "\(error)"
      throw error
    }
  }

  /// Runs `body`, and turns the errors of a full disk into `LogError.noSpace`.
  static func noSpace<Result>(
    _ path: String, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    do { return try body() } catch {
      throw error.isNoRoom ? .noSpace(path: path) : error
    }
  }

  // MARK: Documents

  /// The names of all documents.
  public var documentIDs: [DocumentID] { states.keys.sorted().compactMap { states[$0]?.id } }

  /// The document with this number, as in `DocumentSummary`; nil if there is none.
  package func document(number: UInt64) -> DocumentID? { states[number]?.id }

  /// The number of entries of each document that are only in the journal, without documents that
  /// have none.
  public var unsealedCounts: [DocumentID: Int] {
    var counts: [DocumentID: Int] = [:]
    for state in states.values where !state.unsealed.isEmpty {
      counts[state.id] = state.unsealed.count
    }
    return counts
  }

  /// The number of entries that are only in the journal. O(documents).
  package var unsealedCount: Int { states.values.reduce(0) { $0 + $1.unsealed.count } }

  /// The newest journal that is not written to any more; nil if there is none.
  package var newestOldJournal: UInt64? { oldJournals.last?.number }

  /// Documents with unsealed entries in a journal that is not written to any more.
  /// O(n log n) in their number.
  public var documentsInOldJournals: [DocumentID] {
    oldJournals.reduce(into: Set()) { $0.formUnion($1.pending) }.sorted()
      .compactMap { states[$0]?.id }
  }

  /// The sequence number of a document's last edit; nil if there is no such document.
  public func lastSequence(of document: DocumentID) throws(LogError) -> SequenceNumber? {
    try state(of: document)?.lastSequence
  }

  /// True if there is a document of this name. O(1), without I/O.
  public func knows(_ document: DocumentID) -> Bool { numbers[document] != nil }

  /// The names of the other histories of a file that has several: see `PresentNames`.
  package func otherHistories(of document: DocumentID) -> [DocumentID] {
    otherHistories[document]?.filter(knows) ?? []
  }

  /// The names of the documents for which `matches` is true, in the order of their bytes.
  package func names(where matches: (DocumentID) -> Bool) -> [DocumentID] {
    numbers.keys.filter(matches).sorted { $0.name.precedesExactly($1.name) }
  }

  /// The names of all documents, in no order. O(documents), without I/O.
  package var names: [DocumentID] { Array(numbers.keys) }

  /// All documents, by number: see `DocumentListing`.
  public func documents() throws(LogError) -> [DocumentSummary] { try listing().summaries() }

  /// The history of a document as it is now, with the entries that are only in the journal; nil if
  /// there is no such document. It does not change while the writer works, and any thread may use
  /// it.
  public func history(of document: DocumentID) throws(LogError) -> History? {
    try state(of: document).map { (state) throws(LogError) in try snapshot(of: state).history() }
  }

  /// What a document's history is made of at this moment, without I/O.
  func snapshot(of state: DocumentState) -> HistorySnapshot {
    HistorySnapshot(
      document: state.id, number: state.number, store: id, documents: documentsDirectory,
      expected: expectation(of: state), unsealed: state.unsealed,
      salts: state.salts, damages: state.damages, head: state.chain?.head,
      accepted: catalogFile?.catalog.acceptedKeys ?? [], trust: .digests(state.checkpoints))
  }

  /// The last request of each client's run in a document, from its footers and the journal. With
  /// it, a request that is resent after a restart is answered. Empty if there is no such document.
  public func sessions(of document: DocumentID) throws(LogError) -> [SessionID: SessionMark] {
    try history(of: document)?.sessions() ?? [:]
  }

  /// The status of the store, documents excluded.
  public func status() throws(LogError) -> StoreStatus {
    var journals = [journal.number: journal.end]
    for old in oldJournals {
      let name = StoreLayout.name(of: old.number, .journal)
      do { journals[old.number] = try self.journals.open(name, .read).size() } catch {
        // A removed journal is not needed: its entries are in memory.
        guard error.isMissing else { throw error }
      }
    }
    return StoreStatus(
      store: id, journals: journals, damages: recovery.damages,
      quarantine: try Quarantine.sizes(in: root))
  }

  /// Drops the hash chain of a document without new edits from memory. It can be read again from
  /// the files.
  public func rest(_ document: DocumentID) {
    guard let number = numbers[document], let state = states[number], state.unsealed.isEmpty,
      state.job == nil
    else { return }
    (state.chain, state.sealedChain) = (nil, nil)
  }

  /// The state of a document, with its places read from the segments; nil if there is no such
  /// document.
  func state(of document: DocumentID) throws(LogError) -> DocumentState? {
    guard let number = numbers[document], let state = states[number] else { return nil }
    if let failure = state.failure { throw failure }
    if !state.isLoaded {
      let sealed = try sealedPart(of: state)
      try makeDurable(sealed, of: state)
      state.lastIndex = sealed?.lastIndex ?? 0
      state.lastSequence = sealed?.lastSequence ?? 0
      state.sealedJournal = sealed?.journal ?? 0
      state.isLoaded = true
    }
    return state
  }

  /// Flushes the folder of a document that has more sealed entries than the catalog names: a writer
  /// that was killed may have renamed a segment, with entries that no journal has, without flushing
  /// the folder.
  private func makeDurable(
    _ sealed: SealedPart?, of state: DocumentState
  ) throws(LogError) {
    guard let sealed, let catalog = catalogFile?.catalog,
      catalog.documents[state.number]?.lastIndex != sealed.lastIndex
    else { return }
    try poisoning { () throws(LogError) in try sealed.directory.sync() }
    try noteSealed(state, in: sealed)
  }

  /// The segments of a document; nil if it has no directory.
  func sealedPart(of state: DocumentState) throws(LogError) -> SealedPart? {
    try SealedPart.openWhole(
      state.number, in: documentsDirectory, store: id, expecting: expectation(of: state))
  }

  /// What the segments of a document must agree with.
  func expectation(of state: DocumentState) -> SealedExpectation {
    let listed = catalogFile?.catalog.documents[state.number]
    let name = catalogFile == nil ? state.storedID ?? state.id : listed?.name
    return SealedExpectation(
      listed: listed, name: state.isNamedInJournals ? nil : name,
      journals: JournalLimit(newest: knowsNewestJournal ? journal.number : nil))
  }
}
