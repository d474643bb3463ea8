@testable import EditLog
@testable import EditLogFormat
import EditModel
import Glibc
import TestSupport
import Testing

/// What a journal lost at its end is not taken for a write that was cut short, once it was
/// confirmed; and what is written after such a loss is not lost with it.
@Suite struct DurableMarkTests {
  private static let journal = "/store/journal/00000000000000000001.journal"
  private let document = name("a")

  /// A store with three confirmed batches of a document, all in the journal, and a killed writer.
  private func store(seals: Bool = false) throws -> (SimulatedFileSystem, [HistoryEntry]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 4)
    var list: [HistoryEntry] = []
    for _ in 0..<3 {
      let new = source.entries(of: document, count: 4)
      _ = try writer.append([(document, new)])
      list += new
    }
    if seals { try writer.sealAll() }
    try writer.confirm()
    return (SimulatedFileSystem.crash(system.snapshot, .none), list)
  }

  /// Zeros or nothing from any byte on: told by readers, by `verify` and by recovery.
  @Test(arguments: [true, false])
  func `a lost end is damage`(isCut: Bool) throws {
    let (system, list) = try store()
    let bytes = try #require(system[Self.journal])
    let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    for place in stride(from: 64, to: end, by: 13) {
      let system = SimulatedFileSystem(system.snapshot)
      let zeros = [UInt8](repeating: 0, count: isCut ? 0 : bytes.count - place)
      system[Self.journal] = Array(bytes[..<place]) + zeros
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(store.damages.map(\.journal) == [1], "from \(place) on")
      let report = try store.verify()
      #expect(report.problems.contains { !$0.isRepairable }, "from \(place) on")
      let writer = try openWriter(system, seed: 2)
      #expect(!writer.recovery.isSound && writer.recovery.tornBytes == 0, "from \(place) on")
      let found = try entries(writer.history(of: document))
      #expect(list.starts(with: found))
      try checkNextAppend(writer, system, found)
    }
  }

  /// A mark that has changed is reported and rewritten. Its loss stays known until it is accepted.
  @Test(arguments: [[], [0], [4096, 8192]])
  func `a bad mark is repairable`(places: [Int]) throws {
    let (system, _) = try store()
    for place in places { system["/store/confirmed"]?[place] ^= 1 }
    if places.isEmpty { system["/store/confirmed"] = nil }
    func losses() throws -> [StoreLoss] {
      let report = try Store.open(at: "/store", fileSystem: system).verify()
      #expect(report.problems.allSatisfy { $0.isRepairable })
      return report.losses
    }
    #expect(try losses().map(\.kind) == [.record])
    let writer = try openWriter(system, seed: 2)
    #expect(try losses().map(\.kind) == [.record])
    #expect(try writer.acceptLosses().count == 1)
    try writer.close()
    #expect(try losses().map { $0.acceptedTime != nil } == [true])
  }

  /// A journal of which only the header has changed is intact: nothing is quarantined.
  @Test func `a bad header of a journal is mended by opening`() throws {
    let (system, list) = try store()
    system[Self.journal]?[3] ^= 1
    #expect(
      try Store.open(at: "/store", fileSystem: system).verify().problems.map(\.isRepairable)
        == [true])
    let writer = try openWriter(system, seed: 2)
    #expect(try entries(writer.history(of: document)) == list)
    try writer.close()
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.isEmpty && report.quarantined.isEmpty)
  }

  /// But a journal with unreadable bytes after its batches is kept as it is.
  @Test func `a bad header does not take a torn end with it`() throws {
    let (system, list) = try store()
    system[Self.journal]?[3] ^= 1
    let end = try #require(system[Self.journal]?.lastIndex { $0 != 0 }) + 1
    for offset in 0..<40 { system[Self.journal]?[end + offset] = 0xAB }
    let bytes = system[Self.journal]
    let writer = try openWriter(system, seed: 2)
    #expect(try entries(writer.history(of: document)) == list)
    #expect(system["/store/quarantine/00000000000000000001.journal"] == bytes)
  }

  /// A journal that is removed under its writer takes no acknowledgement with it.
  @Test func `a removed journal is noticed`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 5)
    _ = try writer.append([(document, source.entries(of: document, count: 4))])
    system[Self.journal] = nil
    let new = source.entries(of: document, count: 4)
    #expect {
      _ = try writer.append([(document, new)])
    } throws: { error in
      guard case LogError.damaged(let file, _, _) = error else { return false }
      return file == Self.journal
    }
    #expect(!writer.isUsable)
    #expect(throws: LogError.self) { try writer.confirm() }
  }

  /// If another process removes an old journal first, the writer treats it as removed.
  @Test func `a journal that is already gone counts as removed`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 5)
    var list: [HistoryEntry] = []
    while try writer.status().journals.count < 2 {
      let new = source.entries(of: document, count: 8)
      _ = try writer.append([(document, new)])
      list += new
    }
    system[Self.journal] = nil
    #expect(try writer.status().journals.keys.sorted() == [2])
    try writer.seal(document)
    #expect(try entries(writer.history(of: document)) == list)
    #expect(writer.isUsable && writer.oldJournals.isEmpty)
  }

  /// A missing quarantine folder does not count as a missing journal: the damaged one stays.
  @Test func `a journal that cannot be quarantined is not removed`() throws {
    let (system, _) = try store()
    let end = try #require(system[Self.journal]?.lastIndex { $0 != 0 })
    system[Self.journal]?[end / 2] ^= 1
    let faulty = FaultyFileSystem(system)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOENT, ["rename"])
    // New journals and segments get their names; what is moved does not.
    plan.pathEnd = ".journal"
    faulty.setPlan(plan)
    #expect(throws: LogError.self) { _ = try openWriter(faulty, seed: 2) }
    #expect(system[Self.journal] != nil)
  }

  /// All journals gone, or the folder as a copy of the documents alone would have it.
  @Test(arguments: [true, false], [true, false])
  func `lost journals are damage`(seals: Bool, losesMark: Bool) throws {
    let (system, list) = try store(seals: seals)
    for journal in system.names(at: "/store/journal") { system["/store/journal/\(journal)"] = nil }
    if losesMark { system["/store/confirmed"] = nil }
    let store = try Store.open(at: "/store", fileSystem: system)
    let report = try store.verify()
    // Without documents and without the durable mark, nothing shows the loss.
    #expect(report.problems.isEmpty == (!seals && losesMark))
    let writer = try openWriter(system, seed: 2)
    let found = try entries(writer.history(of: document))
    #expect(found == (seals ? list : []))
    try checkNextAppend(writer, system, found)
  }

  /// What is appended now is there after a crash, once.
  private func checkNextAppend(
    _ writer: StoreWriter, _ system: SimulatedFileSystem, _ found: [HistoryEntry]
  ) throws {
    let last = try writer.lastSequence(of: document) ?? 0
    let edit = HistoryEntry.edit(
      Edit(
        sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "more"),
        time: Timestamp(nanoseconds: 1 << 40)))
    let receipt = try writer.append([(document, [edit])])
    let after = SimulatedFileSystem.crash(system.snapshot, .all)
    for _ in 0..<2 {
      let store = try Store.open(at: "/store", fileSystem: after)
      #expect(store.damages.isEmpty)
      let history = try #require(try store.history(of: document))
      #expect(try entries(history) == found + [edit])
      #expect(try history.confirms(receipt[0].head, at: last + 1))
      try openWriter(after, seed: 3).close()
    }
  }

  /// A write cut short is told where no writer can be at it, and only there.
  @Test func `a torn end is told beside no writer`() throws {
    let (system, list) = try store()
    let end = (try #require(system[Self.journal]).lastIndex { $0 != 0 } ?? 0) + 1
    for offset in end..<end + 30 { system[Self.journal]?[offset] = 7 }
    let found = try Store.open(at: "/store", fileSystem: system).verify().tornEnds
    #expect(found.map(\.file) == ["journal/00000000000000000001.journal"])
    #expect(found.map(\.offset) == [end] && found.map(\.size) == [30])
    let lock = try system.directory(at: "/store").open("lock", .write)
    #expect(try lock.lock())
    let beside = try Store.open(at: "/store", fileSystem: system).verify().tornEnds
    #expect(beside.isEmpty)
    #expect(try entries(Store.open(at: "/store", fileSystem: system).history(of: document)) == list)
  }

  /// The durable mark never runs ahead: a store without it, or with any bytes in its place, is whole.
  @Test func `a bad durable mark is ignored`() throws {
    let (system, list) = try store()
    let bytes = try #require(system["/store/confirmed"])
    let changes: [[UInt8]?] = [
      nil, [], Array(bytes[..<100]), Array(repeating: 0xFF, count: bytes.count),
      Array(repeating: 0, count: bytes.count),
    ]
    for change in changes {
      let system = SimulatedFileSystem(system.snapshot)
      system["/store/confirmed"] = change
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(store.damages.isEmpty)
      #expect(try entries(store.history(of: document)) == list)
      let writer = try openWriter(system, seed: 2)
      #expect(writer.recovery.isSound)
      #expect(try entries(writer.history(of: document)) == list)
      #expect(system["/store/confirmed"]?.count == bytes.count)
    }
  }

  @Test func `a missing folder of a document is told`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 4)
    for letter in ["a", "b", "c"] {
      _ = try writer.append([(name(letter), source.entries(of: name(letter), count: 30))])
    }
    try writer.sealAll()
    try writer.close()
    let folder = "/store/documents/00000000000000000002"
    let documents = try system.directory(at: "/store/documents")
    for file in system.names(at: folder) { system["\(folder)/\(file)"] = nil }
    try documents.rename("00000000000000000002", to: "elsewhere", in: documents)
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.count == 1 && report.problems.allSatisfy { !$0.isRepairable })
  }
}
