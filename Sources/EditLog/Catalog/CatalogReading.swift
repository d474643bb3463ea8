import EditLogFormat
import EditModel

/// The catalog as a reader finds it.
enum CatalogReading {
  /// The store is of format 1.0 and has none.
  case none
  /// The catalog is missing, damaged, or an older copy: it is unknown what must be in the store.
  case lost(what: String)
  case whole(Catalog, at: CatalogPlace, isTorn: Bool)

  /// The catalog; nil if there is none.
  var catalog: Catalog? {
    if case .whole(let catalog, _, _) = self { catalog } else { nil }
  }

  /// Why there is none, although there must be one.
  var loss: String? {
    if case .lost(let what) = self { what } else { nil }
  }

  /// Reads the catalog of the store in `root`. `mark` was read before it, so the catalog says at
  /// least as much as the mark names. The memory is bounded by the size of valid entries.
  ///
  /// - Throws: `LogError.newerFormat`, `LogError.refused`.
  init(
    in root: any Directory, _ format: FileHeader, mark: DurableMark?
  ) throws(LogError) {
    // An older copy of `format`, from before the catalog, must not hide it.
    guard format.hasCatalog || mark?.catalog != nil else {
      self = .none
      return
    }
    do throws(LogError) {
      self = try Self.read(try root.open(StoreLayout.catalog, .read), format.store, mark?.catalog)
    } catch {
      guard case .io = error else { throw error }
      self = .lost(what: error.isMissing ? "it is missing" : "\(error)")
    }
  }

  /// The number of bytes that are read at a time, unless an entry is longer.
  private static let pieceSize = 1 << 20

  private static func read(
    _ file: any File, _ store: StoreID, _ marked: CatalogPlace?
  ) throws(LogError) -> CatalogReading {
    let front = try file.read(FileHeader.size, at: 0)
    guard let header = front.withUnsafeBytes({ FileHeader(.catalog, $0) }),
      header.store == store, header.number <= StoreLayout.numberMax
    else { return .lost(what: "its header is not valid") }
    try header.check(path: file.path)
    var place = CatalogPlace(
      generation: header.number, size: FileHeader.size, hash: CatalogCodec.start(header))
    var catalog = Catalog()
    var isMarkFound = marked.map { $0.generation < place.generation || $0 == place } ?? true
    var pieceSize = pieceSize
    while true {
      let bytes = try file.read(pieceSize, at: place.size)
      let start = place.size
      bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        while CatalogCodec.read(&reader, after: &place.hash, into: &catalog) {
          place.size = start + reader.offset
          if place == marked { isMarkFound = true }
        }
      }
      if place.size > start {
        pieceSize = Self.pieceSize
      } else if bytes.count == pieceSize, pieceSize == Self.pieceSize {
        pieceSize = CatalogCodec.frontSize + CatalogCodec.bodySizeMax
      } else {
        break
      }
    }
    guard isMarkFound else {
      return .lost(what: "it is damaged after byte \(place.size), or is an older copy")
    }
    return .whole(catalog, at: place, isTorn: try file.size() > place.size)
  }
}
