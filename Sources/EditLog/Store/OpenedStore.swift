/// A store's directories, its lock and its journals' contents: what opening for writing needs
/// before there is a writer.
struct OpenedStore {
  let id: StoreID
  let root: any Directory
  let lock: any File
  let journals: any Directory
  let documents: any Directory
  let quarantine: any Directory
  let contents: JournalContents
  /// How far the journals and the catalog were durable.
  let mark: DurableMarkFile.Reading
  let catalog: CatalogReading

  init(
    _ path: String, _ fileSystem: any FileSystem, _ clock: any WallClock,
    _ random: any RandomBytes
  ) throws(LogError) {
    root = try fileSystem.createDirectory(at: path)
    lock = try Self.lock(in: root)
    journals = try root.createDirectory(StoreLayout.journals)
    documents = try root.createDirectory(StoreLayout.documents)
    quarantine = try root.createDirectory(StoreLayout.quarantine)
    try root.sync()
    let names = try journals.names()
    let known = try documents.names()
    let header = try Self.identify(
      root, isNew: StoreLayout.numbers(.journal, in: names).isEmpty && known.isEmpty, clock, random)
    id = header.store
    // A file that never got its name holds nothing that was acknowledged; one that lost it was
    // being wiped.
    for number in StoreLayout.numbers(.temporary, in: names) {
      try journals.wipe(StoreLayout.name(of: number, .temporary))
    }
    let mark = try DurableMarkFile.read(in: root, store: id)
    catalog = try CatalogReading(
      in: root, store: id, hasCatalog: header.hasCatalog, mark: mark.mark)
    contents = try JournalContents(
      StoreLayout.numbers(.journal, in: names), in: journals, store: id, access: .write,
      mark: mark.mark)
    self.mark = try Self.firstMark(mark, in: root, header, catalog, contents)
  }

  /// The mark that was read; in a new store one that names nothing, made before the first journal.
  private static func firstMark(
    _ mark: DurableMarkFile.Reading, in root: any Directory, _ header: FileHeader,
    _ catalog: CatalogReading, _ contents: JournalContents
  ) throws(LogError) -> DurableMarkFile.Reading {
    guard mark == .missing, contents.journals.isEmpty,
      case .whole(_, let place, _) = catalog, catalog.isNew
    else { return mark }
    var flushes = FlushWatch()
    let first = DurableMark(batch: 0, journal: 0, catalog: place)
    return .mark(
      try DurableMarkFile(in: root, store: header.store, otherwise: first, &flushes).last)
  }

  private static func lock(in root: any Directory) throws(LogError) -> any File {
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
    do throws(LogError) { return try StoreFormat.read(in: root) } catch {
      guard case .noStore = error else { throw error }
    }
    guard isNew, let id = StoreID(bytes: random.bytes(16)) else {
      throw .damaged(
        file: "\(root.path)/\(StoreLayout.format)", offset: 0,
        what: "the file is missing, and the store is not empty")
    }
    // Before the file that says that there is one.
    var flushes = FlushWatch()
    _ = try CatalogFile(Catalog(), generation: 1, in: root, store: id, &flushes)
    try StoreFormat.create(id, time: clock.now(), in: root)
    return try StoreFormat.read(in: root)
  }
}
