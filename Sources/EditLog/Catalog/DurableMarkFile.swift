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
    /// The file cannot be read. It may be sound: a writer ends, and a reader goes on without it.
    case unreadable(LogError)
    case mark(DurableMark)

    var mark: DurableMark? {
      if case .mark(let mark) = self { mark } else { nil }
    }

    /// True if there must be a mark but there is none, or none is valid. Stores of format 1.0 may have
    /// none.
    func isLost(beside catalog: CatalogReading) -> Bool {
      switch (self, catalog) {
      case (.mark, _), (.empty, _), (.unreadable, _), (.missing, .none): false
      case (.missing, _), (.damaged, _): true
      }
    }

    /// Why it cannot be read.
    var obstacle: LogError? {
      if case .unreadable(let error) = self { error } else { nil }
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
    let found = try root.read(StoreLayout.confirmed, .write) { file throws(LogError) in
      try Self.current(in: file, store)
    }
    if case .present(let current?) = found {
      (file, last, next) = current
      return
    }
    var first = mark
    first.number = 1
    try root.replace(
      StoreLayout.confirmed, with: DurableMarkCodec.bytes(of: first, store), &flushes)
    file = try root.open(StoreLayout.confirmed, .write)
    (last, next) = (first, 1)
  }

  /// The newest mark in `file`, and the slot for the next one; nil if the file has no valid mark, or
  /// another layout or size than this code writes.
  private static func current(
    in file: any File, _ store: StoreID
  ) throws(LogError) -> (file: any File, last: DurableMark, next: Int)? {
    guard try layout(of: file, store) == .catalog,
      try file.size() == DurableMarkCodec.Layout.catalog.size
    else { return nil }
    let marks = try DurableMarkCodec.slotOffsets.map { offset throws(LogError) in
      try read(file, at: offset, .catalog, store)
    }
    return newest(marks).map { (file, $0, marks[0] == $0 ? 1 : 0) }
  }

  /// Writes a mark to the older slot, and returns when it is durable. A mark that equals the last
  /// one is not written.
  mutating func write(_ mark: DurableMark, _ flushes: inout FlushWatch) throws(LogError) {
    var mark = mark
    mark.number = last.number
    guard mark != last else { return }
    mark.number += 1
    let slot = DurableMarkCodec.slot(mark, store)
    assert(DurableMarkCodec.mark(in: slot, .catalog, store) == mark, "the mark is not readable")
    try file.writeAll(slot, at: DurableMarkCodec.slotOffsets[next])
    try flushes.watch { () throws(LogError) in try file.syncData() }
    (last, next) = (mark, 1 - next)
  }

  // MARK: Reading

  /// The newest mark of the store in `root`.
  ///
  /// - Throws: `LogError.newerFormat`, `LogError.refused`.
  static func read(in root: any Directory, store: StoreID) throws(LogError) -> Reading {
    do throws(LogError) {
      let found = try root.read(StoreLayout.confirmed) { file throws(LogError) in
        try read(file, store)
      }
      return switch found {
      case .absent: .missing
      case .damaged: .damaged
      case .present(let reading): reading
      }
    } catch {
      guard error.isUnreadable else { throw error }
      return .unreadable(error)
    }
  }

  private static func read(_ file: any File, _ store: StoreID) throws(LogError) -> Reading {
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
