/// What is known to be durable, written to another file than what it speaks of: a loss at the end
/// of the journals or of the catalog is not taken for a write that was cut short.
struct DurableMark: Hashable {
  /// 1, 2, 3, …: of two marks, the one with the higher number counts.
  var number: UInt64 = 0
  /// The last batch that is durable, and its journal; 0 before the first.
  var batch: UInt64
  var journal: UInt64
  /// The oldest journal that must exist; 0 if that is not known.
  var oldestJournal: UInt64 = 0
  /// No document ever had a number above this one; 0 if that is not known.
  var documentLimit: UInt64 = 0
  /// How far the catalog is durable; nil in a store without one.
  var catalog: CatalogPlace?
}

/// A place in a catalog: everything before it, and the hash over that.
struct CatalogPlace: Hashable {
  /// Which writing of the catalog from its beginning.
  var generation: UInt64
  /// Bytes of the file up to there.
  var size: Int
  var hash: ChainHead
}

/// The file `confirmed`: a header, and two slots in sectors of their own that are written by
/// turns, each only after what it names is durable. It never runs ahead of the journals and the
/// catalog.
struct DurableMarkFile {
  /// What a reader finds.
  enum Reading: Hashable {
    /// There is no file.
    case missing
    /// The file is there, and nothing in it is valid.
    case damaged
    /// It was made by format 1.0 and never written to.
    case empty
    case mark(DurableMark)

    var mark: DurableMark? {
      if case .mark(let mark) = self { mark } else { nil }
    }

    /// True if there must be a mark, and nothing of it can be read. Format 1.0 had stores without.
    func isLost(beside catalog: CatalogReading) -> Bool {
      switch (self, catalog) {
      case (.mark, _), (.empty, _), (.missing, .none): false
      case (.missing, _), (.damaged, _): true
      }
    }
  }

  /// Format 1.0 has slots of 64 bytes with the first two numbers alone.
  enum Layout: Int {
    case batches = 64
    case catalog = 128

    var size: Int { slotOffsets[1] + rawValue }
  }

  static let slotOffsets = [4096, 8192]

  private let file: any File
  private let store: StoreID
  private(set) var last: DurableMark
  /// The slot that the next mark goes to.
  private var next: Int

  /// Opens the file for writing. A file that is missing or damaged, or of format 1.0, is replaced
  /// by one with `mark` in it.
  init(
    in root: any Directory, store: StoreID, otherwise mark: DurableMark,
    _ flushes: inout FlushWatch
  ) throws(LogError) {
    self.store = store
    if let file = try? root.open(StoreLayout.confirmed, .write),
      try Self.layout(of: file, store) == .catalog, try file.size() == Layout.catalog.size
    {
      let marks = try Self.slotOffsets.map { offset throws(LogError) in
        try Self.read(file, at: offset, .catalog, store)
      }
      if let newest = Self.newest(marks) {
        self.file = file
        (last, next) = (newest, marks[0] == newest ? 1 : 0)
        return
      }
    }
    var first = mark
    first.number = 1
    try root.replace(StoreLayout.confirmed, with: Self.bytes(of: first, store), &flushes)
    file = try root.open(StoreLayout.confirmed, .write)
    (last, next) = (first, 1)
  }

  /// Writes a mark over the older slot, and returns when it is durable. One that says nothing new
  /// is not written.
  mutating func write(_ mark: DurableMark, _ flushes: inout FlushWatch) throws(LogError) {
    var mark = mark
    mark.number = last.number
    guard mark != last else { return }
    mark.number += 1
    try file.writeAll(Self.slot(mark, store), at: Self.slotOffsets[next])
    try flushes.watch { () throws(LogError) in try file.syncData() }
    (last, next) = (mark, 1 - next)
  }

  // MARK: Reading

  /// The newest mark of the store in `root`.
  ///
  /// - Throws: `LogError.newerFormat`, `LogError.refused`.
  static func read(in root: any Directory, store: StoreID) throws(LogError) -> Reading {
    do throws(LogError) {
      let file = try root.open(StoreLayout.confirmed, .read)
      // The newer slot may be in what was cut off.
      guard let layout = try layout(of: file, store), try file.size() >= layout.size else {
        return .damaged
      }
      let marks = try slotOffsets.map { offset throws(LogError) in
        try read(file, at: offset, layout, store)
      }
      if let newest = newest(marks) { return .mark(newest) }
      let rest = try file.read(layout.size - FileHeader.size, at: FileHeader.size)
      let isEmpty = rest.count == layout.size - FileHeader.size && rest.allSatisfy { $0 == 0 }
      // A file of format 1.1 is made with a mark in it.
      return isEmpty && layout == .batches ? .empty : .damaged
    } catch {
      if error.isMissing { return .missing }
      guard case .io = error else { throw error }
      return .damaged
    }
  }

  private static func newest(_ marks: [DurableMark?]) -> DurableMark? {
    marks.compactMap(\.self).max { ($0.number, $0.batch) < ($1.number, $1.batch) }
  }

  /// The layout of the slots; nil if the header is not valid or another store's.
  private static func layout(of file: any File, _ store: StoreID) throws(LogError) -> Layout? {
    let bytes = try file.read(FileHeader.size, at: 0)
    guard let header = bytes.withUnsafeBytes({ FileHeader(.confirmed, $0) }) else { return nil }
    try header.check(path: file.path)
    guard header.store == store else { return nil }
    return header.hasCatalog ? .catalog : .batches
  }

  private static func read(
    _ file: any File, at offset: Int, _ layout: Layout, _ store: StoreID
  ) throws(LogError) -> DurableMark? {
    mark(in: try file.read(layout.rawValue, at: offset), layout, store)
  }

  /// The mark in the bytes of a slot; nil if it is not valid.
  static func mark(in bytes: [UInt8], _ layout: Layout, _ store: StoreID) -> DurableMark? {
    guard bytes.count == layout.rawValue else { return nil }
    let mark = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      let mark = try Self.mark(&reader, layout)
      _ = try reader.readBytes(reader.remaining - 4)
      guard try reader.read(UInt32.self) == checksum(bytes.dropLast(4), store) else {
        throw reader.error(.checksum)
      }
      return mark
    }
    guard let mark,
      [mark.batch, mark.journal, mark.documentLimit, mark.number].allSatisfy({
        $0 <= StoreLayout.numberMax
      }), mark.oldestJournal <= mark.journal
    else { return nil }
    return mark
  }

  private static func mark(
    _ reader: inout ByteReader, _ layout: Layout
  ) throws(CodecError) -> DurableMark {
    guard layout == .catalog else {
      return DurableMark(batch: try reader.read(), journal: try reader.read())
    }
    var mark = DurableMark(
      number: try reader.read(), batch: try reader.read(), journal: try reader.read(),
      oldestJournal: try reader.read(), documentLimit: try reader.read())
    let (generation, size) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    let hash = try ChainHead(&reader)
    guard generation <= StoreLayout.numberMax, size <= Catalog.sizeMax else {
      throw reader.error(.tooLarge)
    }
    mark.catalog = CatalogPlace(generation: generation, size: Int(size), hash: hash)
    return mark
  }

  // MARK: Bytes

  /// The bytes of a file that has this mark and no other.
  static func bytes(of mark: DurableMark, _ store: StoreID) -> [UInt8] {
    let header = FileHeader.withCatalog(.confirmed, store: store).bytes
    var bytes = header + [UInt8](repeating: 0, count: Layout.catalog.size - header.count)
    bytes.replaceSubrange(
      slotOffsets[0]..<slotOffsets[0] + Layout.catalog.rawValue, with: slot(mark, store))
    return bytes
  }

  /// `number | batch | journal | oldest journal | document limit | catalog: generation | size:
  /// u64 each | hash: 32 | zeros | checksum of the bytes before, from the store's: u32`
  private static func slot(_ mark: DurableMark, _ store: StoreID) -> [UInt8] {
    var slot = ByteWriter(capacity: Layout.catalog.rawValue)
    for number in [
      mark.number, mark.batch, mark.journal, mark.oldestJournal, mark.documentLimit,
      mark.catalog?.generation ?? 0, UInt64(mark.catalog?.size ?? 0),
    ] { slot.write(fixed: number) }
    slot.write(bytes: mark.catalog?.hash.bytes ?? [UInt8](repeating: 0, count: ChainHead.size))
    slot.write(bytes: [UInt8](repeating: 0, count: Layout.catalog.rawValue - 4 - slot.count))
    slot.write(fixed: checksum(slot.bytes[...], store))
    return slot.bytes
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, _ store: StoreID) -> UInt32 {
    CRC32C.checksum(Array(bytes), continuing: CRC32C.checksum(store.bytes))
  }
}
