import EditLogFormat
import EditModel

/// The file `catalog`, as its writer has it: what is noted goes to its end in one entry and one
/// flush, before the journals that prove the same are removed. When it has grown long, it is
/// rewritten.
struct CatalogFile {
  /// What the file says, and what is noted and not written yet.
  private(set) var catalog: Catalog
  private var pending: [Catalog.Record] = []

  private let root: any Directory
  private let store: StoreID
  private var file: any File
  /// The end of what is durable.
  private(set) var place: CatalogPlace
  /// Bytes of the file when it was last written from its beginning.
  private var firstSize: Int

  /// Bytes up to which growth alone does not cause a rewrite.
  private static let rewriteSizeMin = 64 << 10

  /// Continues a catalog that was read completely.
  init(
    _ catalog: Catalog, at place: CatalogPlace, in root: any Directory, store: StoreID
  ) throws(LogError) {
    (self.catalog, self.place, self.root, self.store) = (catalog, place, root, store)
    file = try root.open(StoreLayout.catalog, .write)
    firstSize = place.size
  }

  /// Makes the file, durably; one that is there is replaced. `generation` is higher than any
  /// before.
  init(
    _ catalog: Catalog, generation: UInt64, in root: any Directory, store: StoreID,
    _ flushes: inout FlushWatch
  ) throws(LogError) {
    (self.catalog, self.root, self.store) = (catalog, root, store)
    (file, place) = try Self.create(catalog, generation, root, store, &flushes)
    firstSize = place.size
  }

  private static func create(
    _ catalog: Catalog, _ generation: UInt64, _ root: any Directory, _ store: StoreID,
    _ flushes: inout FlushWatch
  ) throws(LogError) -> (any File, CatalogPlace) {
    let header = FileHeader.withCatalog(.catalog, store: store, number: generation)
    var bytes = ByteWriter(capacity: 4096)
    bytes.write(bytes: header.bytes)
    let hash = CatalogCodec.write(
      catalog.records, after: CatalogCodec.start(header), to: &bytes)
    try root.replace(StoreLayout.catalog, with: bytes.bytes, &flushes)
    let place = CatalogPlace(generation: generation, size: bytes.count, hash: hash)
    return (try root.open(StoreLayout.catalog, .write), place)
  }

  /// Notes something for the next flush.
  mutating func note(_ record: Catalog.Record) {
    catalog.apply(record)
    pending.append(record)
  }

  /// True if something is noted and not durable yet.
  var isDirty: Bool { !pending.isEmpty }

  /// Writes what is noted, and returns when it is durable. If that fails without a flush that
  /// failed, it is noted still.
  mutating func flush(_ flushes: inout FlushWatch) throws(LogError) {
    guard isDirty else { return }
    if place.size > max(Self.rewriteSizeMin, 4 * firstSize) { return try rewrite(&flushes) }
    var bytes = ByteWriter(capacity: 4096)
    let hash = CatalogCodec.write(pending, after: place.hash, to: &bytes)
    try bytes.withUnsafeBytes { bytes throws(LogError) in
      try file.writeAll(bytes, at: place.size)
    }
    try flushes.watch { () throws(LogError) in try file.syncData() }
    place.size += bytes.count
    place.hash = hash
    pending = []
  }

  /// Rewrites the whole catalog, durably.
  private mutating func rewrite(_ flushes: inout FlushWatch) throws(LogError) {
    (file, place) = try Self.create(catalog, place.generation + 1, root, store, &flushes)
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
