import EditLogFormat
import EditModel

/// A store as a reader finds it at one moment: the durable mark, the catalog and the journals, with
/// the numbers of the documents.
///
/// The files of the documents are read after them. They then hold at least what the catalog names,
/// and what has left the journals since.
struct BackupMoment {
  /// Everything that was acknowledged before is in it.
  let time: Timestamp
  let format: FileHeader
  let catalog: Catalog
  let place: CatalogPlace
  let mark: DurableMark
  let contents: JournalContents
  /// The sizes of the attachments that must be stored, by document.
  let attachments: [UInt64: [AttachmentDigest: Int]]
  /// The documents, forgotten ones left out.
  let numbers: Set<UInt64>

  /// Reads the store in `root`, whose documents are in `documents`.
  ///
  /// - Throws: `LogError.damaged` if something of the store itself is damaged or missing, and
  ///   `LogError.refused` if it has no catalog.
  init(
    of root: any Directory, _ documents: DocumentsDirectory?, _ clock: any WallClock
  ) throws(LogError) {
    time = clock.now()
    // Before the journals: a document whose edits are in a segment only has its file already.
    let listed = try documents?.numbers() ?? []
    format = try StoreFormat.read(in: root)
    let front = try StoreFront(in: root, format)
    (catalog, place, mark) = try Self.sound(front, in: root)
    contents = front.contents
    attachments = try AttachmentList.sizes(in: root, store: format.store)
    numbers = Set(listed).union(catalog.documents.keys).union(contents.documents.keys)
      .subtracting(contents.forgotten.keys)
  }

  private static func sound(
    _ front: StoreFront, in root: any Directory
  ) throws(LogError) -> (Catalog, CatalogPlace, DurableMark) {
    if let obstacle = front.obstacle { throw obstacle }
    if case .none = front.catalog {
      throw .refused(
        path: root.path,
        what: "it is of format 1.0; start editlogd with it once, which upgrades it, and try again")
    }
    guard case .whole(let catalog, let place, _) = front.catalog else {
      throw .damaged(
        file: root.path(of: StoreLayout.catalog), offset: 0,
        what: front.catalog.loss ?? "it is missing")
    }
    guard let mark = front.mark.mark else {
      throw .damaged(
        file: root.path(of: StoreLayout.confirmed), offset: 0, what: "it is missing or damaged")
    }
    if let damage = front.contents.damages.first {
      throw .damaged(
        file: "\(root.path)/\(damage.file)", offset: damage.offset, what: damage.what)
    }
    return (catalog, place, mark)
  }

  /// The number of the journal that is written to; 0 if there is none yet.
  var newestJournal: UInt64 { contents.journals.last?.number ?? mark.journal }

  /// True if a document has entries in a journal.
  func hasEntries(_ number: UInt64) -> Bool {
    contents.documents[number].map { !$0.entries.isEmpty } ?? false
  }

  /// The catalog without the documents that are being forgotten.
  var catalogToCopy: Catalog {
    var catalog = catalog
    for number in contents.forgotten.keys.sorted() where catalog.documents[number] != nil {
      catalog.apply(.removed(number))
    }
    return catalog
  }

  /// The durable mark of a copy: it names all that the copied journals hold.
  func markToCopy(number: UInt64, _ place: CatalogPlace) -> DurableMark {
    DurableMark(
      number: number, batch: contents.place?.number ?? mark.batch, journal: newestJournal,
      oldestJournal: contents.journals.first?.number ?? mark.oldestJournal,
      documentLimit: documentLimit, catalog: place)
  }

  /// No document ever had a higher number.
  var documentLimit: UInt64 { max(mark.documentLimit, numbers.max() ?? 0) }
}
