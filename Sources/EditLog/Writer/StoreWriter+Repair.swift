import EditLogFormat
import EditModel

extension StoreWriter {
  /// Rewrites every file that has changed since it was written and of which nothing is lost:
  /// segments from their parity, names, the store's format file and the durable mark from their
  /// copies. Checkpoints that, according to `comparing`, differ from the replayed state are
  /// removed.
  ///
  /// A segment is first copied to the folder `quarantine`. Then the new one is written under a
  /// temporary name, checked, and renamed. A crash at any point leaves one of the two.
  ///
  /// - Returns: The repairs that were made.
  /// - Throws: `LogError.noSpace`, `LogError.io`, `LogError.damaged`, `LogError.poisoned`;
  ///   `LogError.refused` if a job of such a document is under way. Repairs that were made before
  ///   the error stay.
  public func repair(
    _ comparing: (any CheckpointComparing)? = nil
  ) throws(LogError) -> [Repair] {
    try checkPoison()
    let names = states.mapValues(\.id)
    var plan = try RepairPlan(root, documentsDirectory, id, names)
    try plan.addJournals(in: journals)
    for document in documentIDs {
      guard let comparing else { break }
      let history = try ifUsable { () throws(LogError) in try self.history(of: document) }
      guard let history else { continue }
      try plan.addCheckpoints(of: history, comparing)
    }
    for repair in plan.repairs {
      var flushes = FlushWatch()
      do throws(LogError) { try mend(repair.place, &flushes) } catch {
        guard flushes.hasFailed else { throw error.isNoRoom ? .noSpace(path: root.path) : error }
        return try poisoning { () throws(LogError) in throw error }
      }
    }
    return plan.repairs
  }

  private func mend(
    _ place: Repair.Place, _ flushes: inout FlushWatch
  ) throws(LogError) {
    switch place {
    case .format: try StoreFormat.rewrite(in: root, &flushes)
    case .confirmed: try rewriteMark(&flushes)
    case .journal(let number, let firstBatch):
      let file = try journals.open(StoreLayout.name(of: number, .journal), .write)
      var header = FileHeader(.journal, store: id, number: number, second: firstBatch)
      header.hasSelections = try hasSelections(journal: number)
      try file.writeAll(header.bytes, at: 0)
      try flushes.watch { () throws(LogError) in try file.sync() }
    case .checkpoint(let number, let place):
      guard let state = states[number] else { return }
      try checkFree(state)
      try history(of: state.id)?.checkpointFolder(place.series)?.remove(place.sequence)
    case .name(let number):
      guard let state = states[number] else { return }
      try checkFree(state)
      let directory = try documentsDirectory.writable(number)
      try directory.removeIfPresent(StoreLayout.name)
    case .segment(let number, let first, let isChanged):
      try mendSegment(number, first, isChanged: isChanged, &flushes)
    }
  }

  /// True if a record of a journal is an edit with a selection. O(bytes).
  private func hasSelections(journal number: UInt64) throws(LogError) -> Bool {
    let file = try journals.open(StoreLayout.name(of: number, .journal), .read)
    let bytes = try file.read(try file.size(), at: 0)
    return bytes.withUnsafeBytes { source in
      JournalScan(SparseBytes(source), store: id, following: nil).findsSelections(in: source)
    }
  }

  private func mendSegment(
    _ number: UInt64, _ first: SequenceNumber, isChanged: Bool, _ flushes: inout FlushWatch
  ) throws(LogError) {
    if let state = states[number] { try checkFree(state) }
    let directory = try documentsDirectory.writable(number)
    let name = StoreLayout.name(of: first, .segment)
    let old = try directory.open(name, .read)
    if isChanged {
      let aside = try Quarantine.freeName(number, .mended, in: quarantine)
      try quarantine.copy(old, to: aside, &flushes)
    }
    let segment = try Segment(old, store: id, document: number, first: first)
    try segment.file.heal(0..<segment.index.dataSize)
    let temporary = StoreLayout.name(of: first, .temporary)
    try directory.removeIfPresent(temporary)
    let new = try directory.open(temporary, .create)
    try segment.file.copyData(segment.index.dataSize, to: new)
    let parity = try ParityArea(of: new, dataSize: segment.index.dataSize)
    try new.writeAll(parity.bytes, at: segment.index.dataSize)
    try flushes.watch { () throws(LogError) in try new.sync() }
    let copy = try Segment(new, store: id, document: number, first: first, heals: false)
    guard try SegmentFile(new).check().isSound, copy.index == segment.index else {
      throw .damaged(
        file: new.path, offset: 0, what: "the written data differs when it is read back")
    }
    for block in copy.index.blocks { _ = try copy.spans(of: block) }
    try directory.prepare(renaming: temporary, to: name, &flushes)
    try flushes.watch { () throws(LogError) in
      try directory.rename(temporary, to: name, in: directory)
      try directory.sync()
    }
  }
}

/// The number of bytes that are copied at a time.
private let pieceSize = 1 << 20

extension SegmentFile {
  /// Copies the first `size` bytes, rebuilt units among them, to the start of `file`.
  fileprivate func copyData(_ size: Int, to file: any File) throws(LogError) {
    for offset in stride(from: 0, to: size, by: pieceSize) {
      let bytes = try read(min(pieceSize, size - offset), at: offset)
      try file.writeAll(bytes, at: offset)
    }
  }
}

extension Directory {
  /// Copies `file` to `name`, durably.
  fileprivate func copy(
    _ file: any File, to name: String, _ flushes: inout FlushWatch
  ) throws(LogError) {
    let temporary = name + "." + StoreLayout.Kind.temporary.rawValue
    try removeIfPresent(temporary)
    let copy = try open(temporary, .create)
    let size = try file.size()
    for offset in stride(from: 0, to: size, by: pieceSize) {
      try copy.writeAll(try file.read(min(pieceSize, size - offset), at: offset), at: offset)
    }
    try flushes.watch { () throws(LogError) in try copy.sync() }
    try rename(temporary, to: name, in: self)
    try flushes.watch { () throws(LogError) in try sync() }
  }
}
