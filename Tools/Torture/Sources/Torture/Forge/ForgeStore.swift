import EditLog
import EditModel
import Replay
import TestSupport
import TextState

/// A store that is going to be forged, and what its owner knows of it.
struct ForgeStore {
  /// A document as it was acknowledged.
  struct Document {
    var name: DocumentID
    var number: UInt64
    var entries: [HistoryEntry]
    /// The last acknowledgement, kept elsewhere.
    var kept: AppendReceipt
    /// The states after its edits: `states[n]` is the version n.
    var states: [TextState]
  }

  let snapshot: SimulatedFileSystem.Snapshot
  /// The disk at an earlier moment.
  let older: SimulatedFileSystem.Snapshot
  /// The same store, with the same random bytes, in which one edit of each document has another
  /// text: its blocks and batches are what a forger who has the writer would put in place.
  let otherLife: [String: [UInt8]]
  let documents: [Document]
  let files: [String: [UInt8]]
  let id: StoreID

  /// A store of two documents: sealed in some segments with checkpoints, and with more in the
  /// journal. `isLong` has links of the hash chain. With every other seed the first segments are
  /// small files beside the folders.
  init(seed: UInt64, isLong: Bool) throws {
    let lists = [seed &* 2, seed &* 2 &+ 1].map { listSeed in
      MixedHistory(seed: listSeed, editCount: isLong ? 5_400 : 40).entries
    }
    let names = [name("a"), name("b")]
    let disk = SimulatedFileSystem()
    let (older, receipts) = try Self.write(lists, names, seed: seed, to: disk)
    let other = SimulatedFileSystem()
    _ = try Self.write(lists.map(Self.changed), names, seed: seed, to: other)
    (self.older, snapshot, otherLife) = (older, disk.snapshot, other.files)
    files = disk.files.filter { !$0.key.hasSuffix("/lock") }
    id = try Store.open(at: "/store", fileSystem: disk).id
    documents = try names.indices.map { index in
      var states = [TextState()]
      for case .edit(let edit) in lists[index] {
        var state = states[states.count - 1]
        try state.apply(edit.action)
        states.append(state)
      }
      return Document(
        name: names[index], number: UInt64(index + 1), entries: lists[index],
        kept: receipts[index], states: states)
    }
  }

  private static func write(
    _ lists: [[HistoryEntry]], _ names: [DocumentID], seed: UInt64, to disk: SimulatedFileSystem
  ) throws -> (older: SimulatedFileSystem.Snapshot, receipts: [AppendReceipt]) {
    var options = StoreWriter.Options.small
    (options.journalSizeMax, options.segmentSizeMax) = (1 << 20, 1_200)
    options.blockEditCountMax = max(8, lists[0].count / 12)
    if seed % 2 == 0 { options.loneSegmentSizeMax = 4_096 }
    let writer = try StoreWriter(
      at: "/store", fileSystem: disk, clock: FixedClock(), random: SeededBytes(seed: seed),
      options: options)
    var (older, receipts) = (disk.snapshot, [AppendReceipt]())
    for part in 0..<5 {
      receipts = []
      for (list, name) in zip(lists, names) {
        let entries = list[list.count * part / 5..<list.count * (part + 1) / 5]
        // In two batches, of which a forger may take one away.
        for half in [entries.prefix(entries.count / 2), entries.dropFirst(entries.count / 2)] {
          guard let receipt = try writer.append([(name, Array(half))]).first else { continue }
          if !half.isEmpty || receipts.count < names.count { receipts.append(receipt) }
        }
      }
      receipts = names.compactMap { name in receipts.last { $0.document == name } }
      if part == 4 { break }
      try writer.sealAll()
      for (list, name) in zip(lists, names) { try store(list, name, writer) }
      if part == 1 { older = disk.snapshot }
    }
    try writer.close()
    return (older, receipts)
  }

  /// A checkpoint of the newest version.
  private static func store(
    _ list: [HistoryEntry], _ name: DocumentID, _ writer: StoreWriter
  ) throws {
    guard let last = try writer.lastSequence(of: name) else { return }
    var state = TextState()
    for case .edit(let edit) in list where edit.sequence <= last { try state.apply(edit.action) }
    try writer.writeCheckpoint(name, at: last, CheckpointCodec.encode(state))
  }

  /// The entries with one edit's letters changed, so that all lengths stay.
  private static func changed(_ list: [HistoryEntry]) -> [HistoryEntry] {
    var list = list
    let places = list.indices.filter { Self.other(list[$0]) != nil }
    guard let place = places.dropFirst(places.count / 3).first, let entry = other(list[place])
    else { return list }
    list[place] = entry
    return list
  }

  private static func other(_ entry: HistoryEntry) -> HistoryEntry? {
    guard case .edit(var edit) = entry, let text = edit.action.replacement,
      let letter = text.units.firstIndex(where: { (0x61..<0x7A).contains($0) })
    else { return nil }
    var units = text.units
    units[letter] += 1
    guard
      let action = try? EditAction(
        range: edit.action.range, replacement: UTF16Text(units: units),
        attributes: edit.action.attributes)
    else { return nil }
    edit.action = action
    return .edit(edit)
  }

  /// The files whose path ends so.
  func paths(_ suffix: String) -> [String] {
    files.keys.filter { $0.hasSuffix(suffix) }.sorted()
  }
}
