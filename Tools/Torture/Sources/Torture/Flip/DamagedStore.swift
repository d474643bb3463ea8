import EditLog
import EditModel
import TestSupport

/// A store whose files are going to be damaged, and what it holds.
struct DamagedStore {
  let snapshot: SimulatedFileSystem.Snapshot
  let lists: [DocumentID: [HistoryEntry]]
  /// The last acknowledgement of each document.
  let receipts: [DocumentID: AppendReceipt]
  let checkpoint: (document: DocumentID, sequence: SequenceNumber, bytes: [UInt8])
  /// The files whose bytes are damaged, with their bytes.
  let files: [(path: String, bytes: [UInt8])]
  /// The batches of the journals.
  let batches: [(file: Int, range: Range<Int>)]
  /// The most entries of each document in one batch.
  let batchCounts: [DocumentID: Int]
  /// The same files in another life of the store, in which one edit of the journal has another
  /// text of the same length.
  let otherLife: [[UInt8]]

  /// Documents sealed in several segments, and a journal of `tailSize` bytes with more.
  init(seed: UInt64, tailSize: Int) throws {
    try self.init(seed: seed, tailSize: tailSize, other: nil)
  }

  private init(seed: UInt64, tailSize: Int, other: Int?) throws {
    let system = SimulatedFileSystem()
    var options = StoreWriter.Options.small
    (options.journalSizeMax, options.segmentSizeMax) = (16 << 20, 1500)
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: seed),
      options: options)
    var source = EntrySource(seed: seed)
    let (sealed, open) = (name("sealed"), name("open"))
    var lists: [DocumentID: [HistoryEntry]] = [:]
    var receipts: [DocumentID: AppendReceipt] = [:]
    var counts: [DocumentID: Int] = [:]
    func append(_ document: DocumentID, _ entries: [HistoryEntry]) throws {
      counts[document] = max(counts[document] ?? 0, entries.count)
      lists[document, default: []] += entries
      receipts[document] = try writer.append([(document, entries)]).first
    }
    for _ in 0..<4 {
      try append(sealed, source.entries(of: sealed, count: 30))
      try append(open, source.entries(of: open, count: 8))
      try writer.seal(sealed)
    }
    let last = try writer.lastSequence(of: sealed) ?? 0
    checkpoint = (sealed, last, Array("the state".utf8))
    try writer.writeCheckpoint(sealed, at: last, checkpoint.bytes)
    try writer.sealAll()
    var (size, count) = (0, 0)
    while size < tailSize {
      count += 1
      let entries = source.long(of: open, count: 4, count == other ? "TEXT" : "text")
      try append(open, entries)
      // A batch without an edit: no gap in the sequence numbers reveals its loss.
      try append(open, [source.mark(in: open)])
      size = try writer.status().journals.values.max() ?? .max
    }
    try append(sealed, source.entries(of: sealed, count: 3))
    try writer.close()
    (self.lists, self.receipts, batchCounts) = (lists, receipts, counts)
    snapshot = system.snapshot
    files = system.filePaths.filter { !$0.hasSuffix("/lock") }.map { ($0, system[$0] ?? []) }
    batches = files.enumerated().flatMap { file, content in
      content.path.hasSuffix(".journal")
        ? Self.batches(of: content.bytes).map { (file, $0) } : []
    }
    otherLife =
      other == nil
      ? try DamagedStore(seed: seed, tailSize: tailSize, other: count / 2).files.map(\.bytes) : []
  }

  /// From each magic number to the next; the last one ends where the zeros begin.
  private static func batches(of bytes: [UInt8]) -> [Range<Int>] {
    let magic: [UInt8] = [0x89, 0x45, 0x42, 0x0A]
    let starts = bytes.indices.dropLast(4).filter {
      bytes[$0] == 0x89 && bytes[$0...].starts(with: magic)
    }
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    return zip(starts, starts.dropFirst() + [end]).map { $0..<max($0, $1) }
  }
}

extension EntrySource {
  /// Edits with a few hundred bytes each.
  fileprivate mutating func long(
    of document: DocumentID, count: Int, _ word: String
  ) -> [HistoryEntry] {
    entries(of: document, count: count).map { entry in
      guard case .edit(var edit) = entry else { return entry }
      let text = String(repeating: "\(word) \(edit.sequence) ", count: 30)
      edit.action = EditAction(replacing: edit.action.range, with: UTF16Text(text))
      return .edit(edit)
    }
  }
}
