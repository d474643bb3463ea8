@testable import EditLog
@testable import EditLogFormat
import EditModel
import Synchronization
import TestSupport
import Testing

/// Selections of edits in the files of a store: they are kept, and exactly the files that may have them
/// say so.
@Suite struct SelectionTests {
  private func edit(_ sequence: SequenceNumber, caret: Int? = nil) throws -> HistoryEntry {
    let place = Int(sequence) - 1
    return .edit(
      Edit(
        sequence: sequence, action: EditAction(replacing: UTF16Range(place..<place), with: "x"),
        time: Timestamp(nanoseconds: Int64(sequence)),
        selection: try caret.map { try EditSelection(after: [SelectedRange($0..<$0)]) }))
  }

  /// The flags of the files whose names end so, in the order of their paths.
  private func flags(_ ending: String, _ system: SimulatedFileSystem) -> [UInt8] {
    system.files.filter { $0.key.hasSuffix(ending) }.sorted { $0.key < $1.key }.map { $0.value[12] }
  }

  private func entries(_ system: any FileSystem, _ document: String) throws -> [HistoryEntry] {
    let store = try Store.open(at: "/store", fileSystem: system)
    var entries: [HistoryEntry] = []
    try store.history(of: name(document))?.forEachEntry { entries.append($0) }
    return entries
  }

  @Test func `they survive sealing, compaction and restarts, and files are flagged`() throws {
    let system = SimulatedFileSystem()
    var writer = try openWriter(system)
    _ = try writer.append([(name("a"), [edit(1)]), (name("b"), [edit(1)])])
    #expect(flags(".journal", system) == [0])
    // The journal that has none ends; the next one says that it has some.
    _ = try writer.append([(name("a"), [edit(2, caret: 2)])])
    _ = try writer.append([(name("a"), [edit(3)])])
    #expect(flags(".journal", system) == [0, 4])
    let all = [try edit(1), try edit(2, caret: 2), try edit(3)]
    #expect(try entries(system, "a") == all)
    writer = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all), seed: 2)
    try writer.close()
    writer = try openWriter(system, seed: 3)
    _ = try writer.append([(name("a"), [edit(4, caret: 1)])])
    #expect(flags(".journal", system) == [0, 4])
    try writer.sealAll()
    #expect(try entries(system, "a") == all + [edit(4, caret: 1)])
    #expect(flags(".segment", system).sorted() == [0, 4])
    while let job = try writer.prepareCompaction(name("a")) {
      job.run()
      try writer.finish(job)
      if !job.producedFile { break }
    }
    #expect(try entries(system, "a") == all + [edit(4, caret: 1)])
    // A segment that grows by edits without selections keeps its flag.
    _ = try writer.append([(name("a"), [edit(5)]), (name("b"), [edit(2)])])
    try writer.sealAll()
    #expect(flags(".segment", system).sorted() == [0, 4])
    #expect(try entries(system, "b") == [edit(1), edit(2)])
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems == [])
    try writer.close()
  }

  @Test func `a large edit has its selection`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let text = UTF16Text(latin1: [UInt8](repeating: 0x61, count: 3 << 20))
    let entry = HistoryEntry.edit(
      Edit(
        sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: text),
        selection: try EditSelection(
          before: [SelectedRange(0..<0)],
          after: [SelectedRange(5..<9, isReversed: true), SelectedRange(1..<2)])))
    let job = try writer.prepareAppend([entry], to: name("a"))
    job.run()
    try writer.finish(job)
    #expect(flags(".segment", system) == [4])
    #expect(try entries(system, "a") == [entry])
  }

  /// The machine stops before each operation of the first append with a selection: it is there or not,
  /// and what was acknowledged before is there.
  @Test func `a crash at any moment of the change of journals loses nothing`() throws {
    let system = SimulatedFileSystem()
    let first = try openWriter(system)
    _ = try first.append([(name("a"), [edit(1)])])
    try first.close()
    let moments = Mutex<[SimulatedFileSystem.Snapshot]>([])
    let watched = FaultyFileSystem(system) { operation in
      guard Workload.changes.contains(operation.name) else { return }
      moments.withLock { $0.append(system.snapshot) }
    }
    let writer = try openWriter(watched)
    _ = try writer.append([(name("a"), [edit(2, caret: 0)])])
    let done = system.snapshot
    let all = moments.withLock { $0 } + [done]
    #expect(all.count > 8)
    for (count, moment) in all.enumerated() {
      for loss in [.all, .none, .some(seed: UInt64(count))] as [SimulatedFileSystem.Loss] {
        let crashed = SimulatedFileSystem.crash(moment, loss)
        let found = try entries(crashed, "a")
        let whole = [try edit(1), try edit(2, caret: 0)]
        #expect(found == whole || found == [whole[0]])
        if count == all.count - 1 { #expect(found.count == 2) }
        let next = try openWriter(crashed, seed: 2)
        #expect(next.recovery.isSound)
        let last = SequenceNumber(found.count) + 1
        _ = try next.append([(name("a"), [edit(last, caret: 1)])])
        #expect(try entries(crashed, "a") == found + [edit(last, caret: 1)])
        #expect(try Store.open(at: "/store", fileSystem: crashed).verify().problems == [])
      }
    }
  }

  /// A header that changes while the writer works gets its flag again.
  @Test func `a repaired journal says what it has`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    _ = try writer.append([(name("a"), [edit(1, caret: 0)])])
    let path = try #require(system.files.keys.filter { $0.hasSuffix(".journal") }.max())
    let whole = try #require(system[path])
    #expect(whole[12] == 4)
    system[path]?[20] ^= 1
    #expect(try writer.repair().count == 1)
    #expect(system[path] == whole)
  }
}
