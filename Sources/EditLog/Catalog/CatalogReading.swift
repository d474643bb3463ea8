import EditLogFormat
import EditModel

/// The catalog as a reader finds it.
enum CatalogReading {
  /// The store is of format 1.0 and has none.
  case none
  /// The catalog is missing, damaged, or an older copy: it is unknown what must be in the store.
  case lost(what: String)
  /// The file cannot be read. It may be sound: a writer ends, and a reader goes on without it.
  case unreadable(LogError)
  case whole(Catalog, at: CatalogPlace, isTorn: Bool)

  /// The catalog; nil if there is none.
  var catalog: Catalog? {
    if case .whole(let catalog, _, _) = self { catalog } else { nil }
  }

  /// Why it is not valid, although there must be one.
  var loss: String? {
    if case .lost(let what) = self { what } else { nil }
  }

  /// Why it cannot be read.
  var obstacle: LogError? {
    if case .unreadable(let error) = self { error } else { nil }
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
      let reading = try root.read(StoreLayout.catalog) { file throws(LogError) in
        try Self.read(file, format.store, mark?.catalog)
      }
      self =
        switch reading {
        case .absent: .lost(what: "it is missing")
        case .damaged(let error): .lost(what: "\(error)")
        case .present(let catalog): catalog
        }
    } catch {
      guard error.isUnreadable else { throw error }
      self = .unreadable(error)
    }
  }

  /// The number of bytes that are read at a time, unless an entry is longer.
  private static let pieceSize = 1 << 20

  /// Reads a file of the form of a catalog.
  static func read(
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
