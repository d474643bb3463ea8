import EditLogFormat
import EditModel

/// The file `catalog`, or another one of its form, for the writer. Pending records are appended in one entry with one flush,
/// before the journals that prove the same are removed. When the file has grown long, it is
/// rewritten.
struct CatalogFile {
  /// The catalog, with the records that are not written yet.
  private(set) var catalog: Catalog
  private var pending: [Catalog.Record] = []

  private let name: String
  private let root: any Directory
  private let store: StoreID
  private var file: any File
  /// The end of the durable part.
  private(set) var place: CatalogPlace
  /// The size of the file in bytes when it was last rewritten.
  private var firstSize: Int

  /// Bytes up to which growth alone does not cause a rewrite.
  private static let rewriteSizeMin = 64 << 10

  /// Continues a catalog that was read completely.
  init(
    _ catalog: Catalog, named name: String = StoreLayout.catalog, at place: CatalogPlace,
    in root: any Directory, store: StoreID
  ) throws(LogError) {
    (self.name, self.catalog, self.place) = (name, catalog, place)
    (self.root, self.store) = (root, store)
    file = try root.open(name, .write)
    firstSize = place.size
  }

  /// Creates the file, durably. An existing file is replaced. `generation` must be higher than any
  /// before.
  init(
    _ catalog: Catalog, named name: String = StoreLayout.catalog, generation: UInt64,
    in root: any Directory, store: StoreID, _ flushes: inout FlushWatch
  ) throws(LogError) {
    (self.name, self.catalog, self.root, self.store) = (name, catalog, root, store)
    (file, place) = try Self.create(catalog, name, generation, root, store, &flushes)
    firstSize = place.size
  }

  private static func create(
    _ catalog: Catalog, _ name: String, _ generation: UInt64, _ root: any Directory,
    _ store: StoreID, _ flushes: inout FlushWatch
  ) throws(LogError) -> (any File, CatalogPlace) {
    let header = FileHeader.withCatalog(.catalog, store: store, number: generation)
    var bytes = ByteWriter(capacity: 4096)
    bytes.write(bytes: header.bytes)
    let hash = CatalogCodec.write(
      catalog.records, after: CatalogCodec.start(header), to: &bytes)
    try root.replace(name, with: bytes.bytes, &flushes)
    let place = CatalogPlace(generation: generation, size: bytes.count, hash: hash)
    return (try root.open(name, .write), place)
  }

  /// Adds a record, to be written at the next flush.
  mutating func note(_ record: Catalog.Record) {
    catalog.apply(record)
    pending.append(record)
  }

  /// True if records are not durable yet.
  var isDirty: Bool { !pending.isEmpty }

  /// Writes the pending records, and returns when they are durable. After an error other than that
  /// of a flush, they are still pending.
  mutating func flush(_ flushes: inout FlushWatch) throws(LogError) {
    guard isDirty else { return }
    if place.size > max(Self.rewriteSizeMin, 4 * firstSize) { return try rewrite(&flushes) }
    var bytes = ByteWriter(capacity: 4096)
    let hash = CatalogCodec.write(pending, after: place.hash, to: &bytes)
    assert(Self.isValid(bytes.bytes, from: place.hash, to: hash), "the entries are not readable")
    try bytes.withUnsafeBytes { bytes throws(LogError) in
      try file.writeAll(bytes, at: place.size)
    }
    try flushes.watch { () throws(LogError) in try file.syncData() }
    place.size += bytes.count
    place.hash = hash
    pending = []
  }

  /// True if a reader reads these entries to their end.
  private static func isValid(_ bytes: [UInt8], from first: ChainHead, to last: ChainHead) -> Bool {
    var (hash, catalog) = (first, Catalog())
    let isRead = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      while CatalogCodec.read(&reader, after: &hash, into: &catalog) {}
      return reader.isAtEnd
    }
    return isRead == true && hash == last
  }

  /// Rewrites the whole catalog, durably.
  private mutating func rewrite(_ flushes: inout FlushWatch) throws(LogError) {
    (file, place) = try Self.create(
      catalog, name, place.generation + 1, root, store, &flushes)
    (firstSize, pending) = (place.size, [])
  }

  /// Rewrites the whole catalog without document `number`, and overwrites the old file, which
  /// holds the document's names.
  mutating func erase(_ number: UInt64, _ flushes: inout FlushWatch) throws(LogError) {
    catalog.apply(.removed(number))
    let old = file
    try rewrite(&flushes)
    try flushes.watch { () throws(LogError) in try old.erase() }
  }
}
