import EditLogFormat
import EditModel

/// One run of a backup, or the plan of one, which changes nothing.
struct BackupRun {
  let isPlan: Bool
  let store: StoreID
  let clock: any WallClock
  let source: any Directory
  let sourceDocuments: DocumentsDirectory?
  /// The folder of the copy. Nil if a plan is made for one that does not exist.
  let target: (any Directory)?
  let targetDocuments: DocumentsDirectory?
  /// Keeps writers and other runs out of the folder.
  private let lock: (any File)?
  /// The record of the run before; nil if there was none.
  private let record: BackupRecord?
  /// The copy as the run before left it; nil if that cannot be read, or there was none.
  let former: FormerCopy?

  var report: BackupReport
  /// True once the folder is marked as unfinished.
  private(set) var hasBegun = false
  /// What the catalog said of each document when its files were last compared.
  var compared: [UInt64: CatalogDocument?] = [:]
  /// The attachments that were listed of each document then.
  var comparedAttachments: [UInt64: [AttachmentDigest: Int]] = [:]
  /// The documents whose folders have changed since their last flush. If an attempt fails before the flush, the
  /// next attempt finds these files already copied.
  var unsynced: Set<UInt64> = []
  /// The newest journal that a copied segment names.
  var newestNamed: UInt64 = 0

  /// The number of the copy's last durable mark.
  var markNumber: UInt64
  /// The newest journal that its segments may name, if this run has loosened the mark.
  var loosenedJournal: UInt64?

  /// The maximum number of moments that are tried beside a busy writer.
  private static let momentsMax = 1_000

  init(
    of path: String, to folder: String, isPlan: Bool, _ fileSystem: any FileSystem,
    _ clock: any WallClock
  ) throws(LogError) {
    (self.isPlan, self.clock) = (isPlan, clock)
    do { source = try fileSystem.directory(at: path) } catch {
      throw error.isMissing ? .noStore(path: path) : error
    }
    store = try StoreFormat.read(in: source).store
    sourceDocuments = try source.documentsIfPresent()
    let place = try BackupPlace(folder, of: store, at: path, isPlan: isPlan, fileSystem)
    (target, lock, record) = (place.root, place.lock, place.record)
    targetDocuments = try place.root?.directoryIfPresent(StoreLayout.documents).map {
      DocumentsDirectory($0, loneSizeMax: DocumentsDirectory.loneSizeMaxDefault)
    }
    if let root = place.root { former = try FormerCopy(in: root) } else { former = nil }
    markNumber = former?.mark.number ?? 0
    report = BackupReport(store: store, time: clock.now())
    report.previousTime = record?.time
    report.resumed = record?.isUnfinished == true
  }

  mutating func perform(
    _ progress: (Double) -> Void = { _ in }
  ) throws(LogError) -> BackupReport {
    let (moment, staged) = try copyFiles(progress)
    report.time = moment.time
    try replaceFront(with: moment, staged)
    let summaries: [DocumentSummary]
    if isPlan {
      summaries = try Store(source).documents()
    } else if let target {
      try check(moment)
      try BackupRecord(store: store, time: moment.time, isUnfinished: false).write(in: target)
      summaries = try Store(target).documents()
    } else {
      summaries = []
    }
    report.documentCount = summaries.count
    report.editCount = summaries.reduce(0) { $0 + $1.lastSequence }
    return report
  }

  /// Copies all that a moment needs, whatever was written since. Returns the moment, and its journals
  /// that the copy lacks.
  private mutating func copyFiles(
    _ progress: (Double) -> Void
  ) throws(LogError) -> (BackupMoment, [StagedJournal]) {
    var seen: LogError?
    for _ in 0..<Self.momentsMax {
      let moment = try BackupMoment(of: source, sourceDocuments, clock)
      do throws(LogError) {
        try copyDocuments(of: moment, progress)
        try copyQuarantine()
        // A segment that was sealed since may name a journal that this moment does not have.
        if newestNamed <= moment.newestJournal, let staged = try stageJournals(of: moment) {
          // A failed attempt may have renamed files beside the folders.
          if !isPlan { try targetDocuments?.sync() }
          return (moment, staged)
        }
      } catch {
        // A document that was forgotten meanwhile is not in the next moment.
        guard error.mayPass, error != seen else { throw error }
        seen = error
      }
    }
    throw .refused(
      path: source.path,
      what: "documents were sealed faster than they could be copied; try again later")
  }

  /// Marks the folder as unfinished, durably, before its first change.
  mutating func begin() throws(LogError) {
    guard !hasBegun, let target else { return }
    try BackupRecord(store: store, time: record?.time, isUnfinished: true).write(in: target)
    hasBegun = true
  }

  /// Compares the copy with the moment, as a reader opens it.
  private func check(_ moment: BackupMoment) throws(LogError) {
    guard let target else { return }
    let copy = try BackupMoment(of: target, targetDocuments, clock)
    guard copy.contents.place == moment.contents.place, copy.catalog == moment.catalogToCopy else {
      throw .damaged(
        file: target.path, offset: 0,
        what: "the copy differs from the store when it is read back; run the backup again")
    }
  }
}

/// The folder of a backup, locked, with the record of the run before.
private struct BackupPlace {
  let root: (any Directory)?
  let lock: (any File)?
  let record: BackupRecord?

  /// Opens the folder, which is made if it does not exist; a plan changes nothing.
  ///
  /// - Throws: `LogError.refused` if the folder is not empty and no copy of this store.
  init(
    _ folder: String, of store: StoreID, at path: String, isPlan: Bool,
    _ fileSystem: any FileSystem
  ) throws(LogError) {
    let root: any Directory
    do {
      root = try isPlan ? fileSystem.directory(at: folder) : fileSystem.createDirectory(at: folder)
    } catch {
      guard isPlan, error.isMissing else { throw error }
      (self.root, lock, record) = (nil, nil, nil)
      return
    }
    self.root = root
    record = try BackupRecord(in: root)
    try Self.check(root, record, store)
    let known = try root.openIfPresent(StoreLayout.lock)
    guard try known?.isFound(at: "\(path)/\(StoreLayout.lock)") != true else {
      throw .refused(path: folder, what: "it is the store itself; give another folder")
    }
    guard !isPlan else {
      lock = nil
      return
    }
    if record == nil {
      // From here on a crash leaves a folder that the next run continues in.
      try BackupRecord(store: store, time: nil, isUnfinished: true).write(in: root)
    }
    lock = try OpenedStore.lock(in: root)
    for name in [StoreLayout.journals, StoreLayout.documents, StoreLayout.quarantine] {
      _ = try root.createDirectory(name)
    }
    try root.sync()
  }

  private static func check(
    _ root: any Directory, _ record: BackupRecord?, _ store: StoreID
  ) throws(LogError) {
    if let record {
      guard record.store == store else {
        throw .refused(
          path: root.path, what: "it is a backup of another store; give another folder")
      }
      return
    }
    // What a crash leaves before the record has its name.
    let names = try root.names().filter { $0 != StoreLayout.backup + ".tmp" }
    guard !names.isEmpty else { return }
    let found = try? StoreFormat.read(in: root).store
    let what =
      switch found {
      case store:
        """
        it is a copy of this store that `editlog backup` did not make, or one that was opened for \
        writing since; give another folder
        """
      case .some: "it is another store; give another folder"
      case nil: "it is not empty, and no backup; give a new or an empty folder"
      }
    throw .refused(path: root.path, what: what)
  }
}

/// The mark, the catalog and the documents of a copy that an earlier run made.
struct FormerCopy {
  let catalog: Catalog
  let place: CatalogPlace
  let mark: DurableMark
  /// The documents that its catalog or its journals name.
  let numbers: Set<UInt64>

  /// The copy in `root`; nil if there is none, or if it cannot be read: then everything is compared
  /// with the store, and replaced if it differs.
  init?(in root: any Directory) throws(LogError) {
    guard try root.hasFile(StoreLayout.confirmed) else { return nil }
    let front: StoreFront
    do throws(LogError) { front = try StoreFront(in: root, StoreFormat.read(in: root)) } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
    if let obstacle = front.obstacle { throw obstacle }
    guard case .whole(let catalog, let place, _) = front.catalog, let mark = front.mark.mark
    else { return nil }
    (self.catalog, self.place, self.mark) = (catalog, place, mark)
    numbers = Set(catalog.documents.keys).union(front.contents.documents.keys)
  }
}

extension LogError {
  /// True for errors that a document which is forgotten or replaced meanwhile may cause.
  fileprivate var mayPass: Bool {
    if case .damaged = self { true } else { isMissing }
  }
}
