import EditLogFormat
import EditModel

/// A store's directories, its lock and the contents of its journals, which a writer is made from.
struct OpenedStore {
  let id: StoreID
  let root: any Directory
  let lock: any File
  let journals: any Directory
  let documents: DocumentsDirectory
  let quarantine: any Directory
  let contents: JournalContents
  /// How far the journals and the catalog were durable.
  let mark: DurableMarkFile.Reading
  let catalog: CatalogReading

  init(
    _ path: String, _ fileSystem: any FileSystem, _ clock: any WallClock,
    _ random: any RandomBytes, _ options: StoreWriter.Options
  ) throws(LogError) {
    root = try fileSystem.createDirectory(at: path)
    lock = try Self.lock(in: root)
    journals = try root.createDirectory(StoreLayout.journals)
    let documents = try root.createDirectory(StoreLayout.documents)
    self.documents = DocumentsDirectory(documents, loneSizeMax: options.loneSegmentSizeMax)
    quarantine = try root.createDirectory(StoreLayout.quarantine)
    try root.sync()
    let names = try journals.names()
    let known = try documents.names()
    let header = try Self.identify(
      root, isNew: StoreLayout.numbers(.journal, in: names).isEmpty && known.isEmpty, clock, random)
    id = header.store
    // A file that never got its name has nothing that was acknowledged. A file that lost its name
    // was being erased.
    for number in StoreLayout.numbers(.temporary, in: names) {
      try journals.erase(StoreLayout.name(of: number, .temporary))
    }
    mark = try DurableMarkFile.read(in: root, store: id)
    catalog = try CatalogReading(in: root, header, mark: mark.mark)
    if let obstacle = mark.obstacle ?? catalog.obstacle { throw obstacle }
    contents = try JournalContents(
      StoreLayout.numbers(.journal, in: names), in: journals, store: id, access: .write,
      mark: mark.mark)
  }

  /// The lock of the store in `root`, which is created if there is none.
  ///
  /// - Throws: `LogError.locked` if another writer has it.
  static func lock(in root: any Directory) throws(LogError) -> any File {
    let file: any File
    do { file = try root.open(StoreLayout.lock, .write) } catch {
      guard error.isMissing else { throw error }
      file = try create(StoreLayout.lock, in: root)
    }
    guard try file.lock() else { throw .locked(path: root.path) }
    return file
  }

  private static func create(_ name: String, in root: any Directory) throws(LogError) -> any File {
    do { return try root.open(name, .create) } catch {
      guard error.isTaken else { throw error }
      return try root.open(name, .write)
    }
  }

  private static func identify(
    _ root: any Directory, isNew: Bool, _ clock: any WallClock, _ random: any RandomBytes
  ) throws(LogError) -> FileHeader {
    var flushes = FlushWatch()
    do throws(LogError) {
      let header = try StoreFormat.read(in: root)
      if try !root.names().contains(StoreLayout.format) {
        try StoreFormat.rewrite(in: root, &flushes)
      }
      return header
    } catch {
      guard case .noStore = error else { throw error }
    }
    guard isNew, let id = StoreID(bytes: random.bytes(16)) else {
      throw .damaged(
        file: "\(root.path)/\(StoreLayout.format)", offset: 0,
        what: "the file is missing, and the store is not empty")
    }
    // They are created before the file that requires them, so a store never lacks one of them.
    let catalog = try CatalogFile(Catalog(), generation: 1, in: root, store: id, &flushes)
    let mark = DurableMark(batch: 0, journal: 0, catalog: catalog.place)
    _ = try DurableMarkFile(in: root, store: id, otherwise: mark, &flushes)
    try StoreFormat.create(id, time: clock.now(), in: root)
    return try StoreFormat.read(in: root)
  }
}
