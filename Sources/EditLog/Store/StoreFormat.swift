import EditLogFormat
import EditModel

/// The file `format`: a header that names the store, and a copy of it at byte 4,096, so that no
/// single bad sector makes a store unreadable.
enum StoreFormat {
  private static let copyOffset = 4096

  /// The header that names the store in `root`. If `format` is lost, it is made from the header of
  /// `confirmed`.
  ///
  /// - Throws: `LogError.noStore` if neither exists, `LogError.refused` if the folder is a backup
  ///   without them, `LogError.newerFormat`, `LogError.damaged` if no copy is valid.
  static func read(in root: any Directory) throws(LogError) -> FileHeader {
    let path = "\(root.path)/\(StoreLayout.format)"
    let copies = try copies(in: root)
    guard let header = try header(copies, in: root) else {
      if try root.hasFile(StoreLayout.backup) {
        throw .refused(
          path: root.path,
          what: "it is a backup that was not completed; run `editlog backup` to this folder again")
      }
      throw copies.isEmpty
        ? .noStore(path: root.path)
        : .damaged(file: path, offset: 0, what: "neither copy of the store's name is valid")
    }
    try header.check(path: path)
    return header
  }

  /// The two headers in the file, nil if one is not valid; none if there is no file.
  private static func copies(in root: any Directory) throws(LogError) -> [FileHeader?] {
    let file: any File
    do { file = try root.open(StoreLayout.format, .read) } catch {
      if error.isMissing { return [] }
      throw error
    }
    var copies: [FileHeader?] = []
    for offset in [0, copyOffset] {
      let bytes = try file.read(FileHeader.size, at: offset)
      copies.append(bytes.withUnsafeBytes { FileHeader(.store, $0) })
    }
    return copies
  }

  /// The first valid copy, or a header made from that of `confirmed`.
  private static func header(
    _ copies: [FileHeader?], in root: any Directory
  ) throws(LogError) -> FileHeader? {
    if let header = copies.compactMap(\.self).first { return header }
    let bytes: [UInt8]
    do { bytes = try root.open(StoreLayout.confirmed, .read).read(FileHeader.size, at: 0) } catch {
      if error.isMissing { return nil }
      throw error
    }
    guard var header = bytes.withUnsafeBytes({ FileHeader(.confirmed, $0) }) else { return nil }
    // The time at which the store was created is lost.
    (header.kind, header.number, header.second) = (.store, 0, 0)
    return header
  }

  /// True if the file is what `create` writes.
  static func isWhole(in root: any Directory) throws(LogError) -> Bool {
    guard let header = try copies(in: root).compactMap(\.self).first else { return false }
    return try root.open(StoreLayout.format, .read)
      .read(copyOffset + FileHeader.size + 1, at: 0) == bytes(of: header)
  }

  /// Rewrites both copies from a valid one, durably.
  static func rewrite(
    in root: any Directory, _ flushes: inout FlushWatch
  ) throws(LogError) {
    guard let header = try header(copies(in: root), in: root) else { return }
    try root.replace(StoreLayout.format, with: bytes(of: header), &flushes)
  }

  /// Rewrites the file as that of a store with a catalog, durably.
  static func addCatalog(
    in root: any Directory, _ flushes: inout FlushWatch
  ) throws(LogError) {
    guard var header = try header(copies(in: root), in: root) else { return }
    header.addCatalog()
    try root.replace(StoreLayout.format, with: bytes(of: header), &flushes)
  }

  /// Rewrites the file as that of a store that may have long names of documents, durably.
  static func addLongNames(
    in root: any Directory, _ flushes: inout FlushWatch
  ) throws(LogError) {
    guard var header = try header(copies(in: root), in: root), !header.hasLongNames else { return }
    header.hasLongNames = true
    try root.replace(StoreLayout.format, with: bytes(of: header), &flushes)
  }

  private static func bytes(of header: FileHeader) -> [UInt8] {
    let gap = [UInt8](repeating: 0, count: copyOffset - FileHeader.size)
    return header.bytes + gap + header.bytes
  }

  /// Writes the file with this header, durably.
  static func write(_ header: FileHeader, in root: any Directory) throws(LogError) {
    try root.replace(StoreLayout.format, with: bytes(of: header))
  }

  /// Creates the file for a new store, durably. It keeps `time` for people.
  static func create(
    _ store: StoreID, time: Timestamp, in root: any Directory
  ) throws(LogError) {
    let header = FileHeader.withCatalog(
      .store, store: store, number: UInt64(bitPattern: time.nanoseconds))
    try write(header, in: root)
  }
}
