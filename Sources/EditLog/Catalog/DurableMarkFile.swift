import EditLogFormat
import EditModel

/// The file `confirmed`: a header, and two slots in sectors of their own. They are written
/// alternately, each only after what it names is durable, so the mark is never ahead of the
/// journals and the catalog.
struct DurableMarkFile {
  /// The result of reading the file.
  enum Reading: Hashable {
    /// There is no file.
    case missing
    /// The file exists, but nothing in it is valid.
    case damaged
    /// A writer of format 1.0 created it, and wrote no mark.
    case empty
    case mark(DurableMark)

    var mark: DurableMark? {
      if case .mark(let mark) = self { mark } else { nil }
    }

    /// True if there must be a mark but none can be read. Stores of format 1.0 may have none.
    func isLost(beside catalog: CatalogReading) -> Bool {
      switch (self, catalog) {
      case (.mark, _), (.empty, _), (.missing, .none): false
      case (.missing, _), (.damaged, _): true
      }
    }
  }

  private let file: any File
  private let store: StoreID
  private(set) var last: DurableMark
  /// The slot for the next mark.
  private var next: Int

  /// Opens the file for writing. A file that is missing or damaged, or of format 1.0, is replaced
  /// by one with `mark` in it.
  init(
    in root: any Directory, store: StoreID, otherwise mark: DurableMark,
    _ flushes: inout FlushWatch
  ) throws(LogError) {
    self.store = store
    if let file = try? root.open(StoreLayout.confirmed, .write),
      try Self.layout(of: file, store) == .catalog,
      try file.size() == DurableMarkCodec.Layout.catalog.size
    {
      let marks = try DurableMarkCodec.slotOffsets.map { offset throws(LogError) in
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
    try root.replace(
      StoreLayout.confirmed, with: DurableMarkCodec.bytes(of: first, store), &flushes)
    file = try root.open(StoreLayout.confirmed, .write)
    (last, next) = (first, 1)
  }

  /// Writes a mark to the older slot, and returns when it is durable. A mark that equals the last
  /// one is not written.
  mutating func write(_ mark: DurableMark, _ flushes: inout FlushWatch) throws(LogError) {
    var mark = mark
    mark.number = last.number
    guard mark != last else { return }
    mark.number += 1
    try file.writeAll(DurableMarkCodec.slot(mark, store), at: DurableMarkCodec.slotOffsets[next])
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
      // The part that was cut off may have held the newer slot.
      guard let layout = try layout(of: file, store), try file.size() >= layout.size else {
        return .damaged
      }
      let marks = try DurableMarkCodec.slotOffsets.map { offset throws(LogError) in
        try read(file, at: offset, layout, store)
      }
      if let newest = newest(marks) { return .mark(newest) }
      let rest = try file.read(layout.size - FileHeader.size, at: FileHeader.size)
      let isEmpty = rest.count == layout.size - FileHeader.size && rest.allSatisfy { $0 == 0 }
      // A file of format 1.1 has a mark from the start.
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

  /// The layout of the slots; nil if the header is not valid or belongs to another store.
  private static func layout(of file: any File, _ store: StoreID) throws(LogError)
    -> DurableMarkCodec.Layout?
  {
    let bytes = try file.read(FileHeader.size, at: 0)
    guard let header = bytes.withUnsafeBytes({ FileHeader(.confirmed, $0) }) else { return nil }
    try header.check(path: file.path)
    guard header.store == store else { return nil }
    return header.hasCatalog ? .catalog : .batches
  }

  private static func read(
    _ file: any File, at offset: Int, _ layout: DurableMarkCodec.Layout, _ store: StoreID
  ) throws(LogError) -> DurableMark? {
    DurableMarkCodec.mark(in: try file.read(layout.rawValue, at: offset), layout, store)
  }
}
