import EditLogFormat
public import EditModel
import Synchronization

/// A store opened for reading. It takes no lock, so a writer may work in the same store.
///
/// It reads the journals when it is opened. To see later entries, open the store again.
public final class Store: Sendable {
  /// The store's name.
  public let id: StoreID
  /// Damage found in the journals. Histories that lack entries because of it report that.
  public let damages: [JournalDamage]

  let root: any Directory
  let documentsDirectory: DocumentsDirectory?
  let records: [UInt64: JournalContents.Records]
  /// The bytes after the last batch of each journal that has any.
  let torn: [UInt64: Range<Int>]
  /// The numbers of documents that were forgotten, and of those of which something is left.
  let forgotten: Set<UInt64>
  /// The largest number of a document when the store was opened.
  let newestDocument: UInt64
  let unfinishedForgets: Set<UInt64>
  let journalSizes: [UInt64: Int]
  /// The numbers of the folders of documents when the store was opened.
  let folders: [UInt64]
  /// The catalog: which files must exist.
  let catalog: CatalogReading
  let mark: DurableMarkFile.Reading
  private let journalLimit: JournalLimit
  private let names = Mutex<PresentNames?>(nil)

  /// Opens the store at `path`.
  ///
  /// - Throws: `LogError.noStore`, `LogError.newerFormat`, `LogError.refused`, `LogError.io`;
  ///   `LogError.damaged` if the store's own name cannot be read. Other damage is reported by
  ///   `damages` and by the histories that it concerns.
  public static func open(
    at path: String, fileSystem: any FileSystem = PosixFileSystem()
  ) throws(LogError) -> Store {
    let root: any Directory
    do { root = try fileSystem.directory(at: path) } catch {
      throw error.isMissing ? .noStore(path: path) : error
    }
    return try Store(root)
  }

  /// The store in `root`. It throws as `open`.
  init(_ root: any Directory) throws(LogError) {
    self.root = root
    let format = try StoreFormat.read(in: root)
    id = format.store
    // A document that has a folder now was created after all documents with smaller numbers.
    folders = try root.documentsIfPresent()?.numbers() ?? []
    // The journals first: entries that have left them when the segments are read are in the
    // segments.
    let front = try StoreFront(in: root, format)
    let contents = front.contents
    (catalog, mark, damages) = (front.catalog, front.mark, contents.damages)
    records = contents.documents
    forgotten = Set(contents.forgotten.keys)
    newestDocument = max(
      self.folders.max() ?? 0, contents.documents.keys.max() ?? 0,
      front.catalog.catalog?.newestDocument ?? 0)
    unfinishedForgets = Set(contents.forgotten.filter { !$0.value }.keys)
    torn = Dictionary(
      contents.journals.lazy.filter { !$0.scan.torn.isEmpty }.map { ($0.number, $0.scan.torn) },
      uniquingKeysWith: { $1 })
    journalSizes = Dictionary(
      contents.journals.map { ($0.number, $0.size) }, uniquingKeysWith: { $1 })
    documentsDirectory = try root.documentsIfPresent()
    let newestJournal = contents.journals.last?.number ?? 0
    journalLimit = JournalLimit(
      newest: front.mark.mark.map { max($0.journal, newestJournal) },
      folder: try root.directoryIfPresent(StoreLayout.journals))
  }

  // MARK: Documents

  /// The names of all documents, with their numbers in the store. Reads a small file for each
  /// document, once.
  public func documentNumbers() throws(LogError) -> [DocumentID: UInt64] {
    try presentNames().numbers
  }

  private func presentNames() throws(LogError) -> PresentNames {
    if let known = names.withLock({ $0 }) { return known }
    var names: [UInt64: DocumentID] = [:]
    for (number, document) in catalog.catalog?.documents ?? [:] where !forgotten.contains(number) {
      names[number] = document.name
    }
    if let directory = documentsDirectory {
      // Without a catalog, documents that have left the journals meanwhile are only in folders.
      let folders =
        catalog.catalog == nil
        ? try directory.numbers() : self.folders
      for number in folders where names[number] == nil && !forgotten.contains(number) {
        names[number] = try DocumentName.read(number, in: directory, store: id)
      }
    }
    for (number, records) in records {
      if let name = records.name { names[number] = name }
    }
    let found = PresentNames(names) { number in
      let sealed = catalog.catalog?.documents[number]
      return records[number].map { $0.lastTime(after: sealed) } ?? sealed?.times?.last
    }
    self.names.withLock { $0 = found }
    return found
  }

  /// The names of the other histories of a file that has several: see `PresentNames`.
  package func otherHistories(of document: DocumentID) throws(LogError) -> [DocumentID] {
    try presentNames().others[document] ?? []
  }

  /// The numbers of documents that have a history but no readable name.
  func unnamedDocuments() throws(LogError) -> [UInt64] {
    let named = Set(try documentNumbers().values)
    var unnamed = Set(records.compactMap { $1.entries.isEmpty ? nil : $0 }).subtracting(named)
    guard let directory = documentsDirectory else { return unnamed.sorted() }
    for number in try directory.numbers()
    where !named.contains(number) && !forgotten.contains(number) {
      let names = try directory.documentIfAllowed(number)?.names() ?? []
      if !StoreLayout.numbers(.segment, in: names).isEmpty { unnamed.insert(number) }
    }
    // A document may have been created after the names were read. If its first edit was a large
    // one, its name is in the segment and not in the journals.
    for number in unnamed
    where try DocumentName.read(number, in: directory, store: id) != nil {
      unnamed.remove(number)
    }
    return unnamed.sorted()
  }

  /// The history of a document as it is now; nil if the store has none of this name.
  ///
  /// - Throws: `LogError.damaged` if the footer of its last segment cannot be read.
  public func history(of document: DocumentID) throws(LogError) -> History? {
    guard let number = try documentNumbers()[document] else { return nil }
    let history: History?
    do throws(LogError) { history = try self.history(document, number) } catch {
      guard case .damaged = error, try wasForgotten(number) else { throw error }
      return nil
    }
    // The journals are those of the time when this store was opened; the segments may have been
    // removed since.
    if let history, !history.damage.isEmpty, try wasForgotten(number) { return nil }
    return history
  }

  /// True if a document that existed when this store was opened was forgotten since: apparent
  /// damage to it is none.
  func wasForgotten(_ number: UInt64) throws(LogError) -> Bool {
    try !forgottenSince(opened: [number]).isEmpty
  }

  /// As `wasForgotten`, of several documents: the journals are read once.
  func forgottenSince(opened numbers: [UInt64]) throws(LogError) -> Set<UInt64> {
    let front = try StoreFront(in: root, StoreFormat.read(in: root))
    let documents = try root.documentsIfPresent()
    var forgotten: Set<UInt64> = []
    for number in numbers {
      if front.contents.forgotten[number] != nil { forgotten.insert(number) }
      guard front.contents.documents[number] == nil,
        front.catalog.catalog?.documents[number] == nil,
        let directory = try documents?.document(number)
      else { continue }
      if try directory.names().isEmpty { forgotten.insert(number) }
    }
    return forgotten
  }

  private func history(_ document: DocumentID, _ number: UInt64) throws(LogError) -> History? {
    let sealed = try sealedPart(of: document, number)
    let records = records[number] ?? JournalContents.Records()
    let folded = records.fold(after: sealed)
    if folded.list.isEmpty, folded.damages.isEmpty {
      guard let sealed else { return nil }
      // A document gets its folder when it is sealed, and entries leave the journal after that.
      if sealed.count == 0 {
        guard try !hasBegun(number, sealed.directory) else { return nil }
        throw .damaged(
          file: DocumentsDirectory.path(of: number), offset: 0,
          what: "the segments are missing")
      }
    }
    return History(
      document: document, number: number, store: id, sealed: sealed, unsealed: folded.list,
      salts: records.salts, damage: folded.damages, head: nil,
      accepted: catalog.catalog?.acceptedKeys ?? [])
  }

  /// The sealed part of a document. A writer may have renamed and sealed the document since this store
  /// was opened, so what disagrees with the catalog is compared with the present one.
  private func sealedPart(
    of document: DocumentID, _ number: UInt64
  ) throws(LogError) -> SealedPart? {
    let stored = try presentNames().stored[number]
    func open(
      _ catalog: CatalogReading, _ records: JournalContents.Records?
    ) throws(LogError) -> SealedPart? {
      let listed = catalog.catalog?.documents[number]
      let name = catalog.catalog == nil ? stored ?? document : listed?.name
      return try SealedPart.open(
        number, in: documentsDirectory, store: id,
        expecting: SealedExpectation(
          listed: listed, name: records?.name == nil ? name : nil, journals: journalLimit))
    }
    var (catalog, records) = (catalog, records[number])
    // The new name may move from the journals to the catalog while these are read, once.
    for _ in 0..<2 {
      do throws(LogError) { return try open(catalog, records) } catch {
        guard case .damaged = error else { throw error }
        let front = try StoreFront(in: root, StoreFormat.read(in: root))
        (catalog, records) = (front.catalog, front.contents.documents[number])
      }
    }
    return try open(catalog, records)
  }

  /// True if a document with an empty folder has entries by now: it was created after this store
  /// was opened, and its first segment is being written.
  private func hasBegun(
    _ number: UInt64, _ directory: any Directory
  ) throws(LogError) -> Bool {
    // In this order: entries that have left the journals when they are read are in a segment.
    let front = try StoreFront(in: root, StoreFormat.read(in: root))
    let records = front.contents.documents[number]
    guard records?.entries.isEmpty ?? true else { return true }
    return !StoreLayout.numbers(.segment, in: try directory.names()).isEmpty
  }

  /// The status of the store, documents excluded.
  public func status() throws(LogError) -> StoreStatus {
    StoreStatus(
      store: id, journals: journalSizes, damages: damages,
      quarantine: try Quarantine.sizes(in: root))
  }
}
