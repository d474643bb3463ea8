import EditLog
import EditModel
import Glibc
import Synchronization
import TestSupport
import Testing

/// Sealing in three parts, with a writer that keeps working between them.
@Suite struct JobTests {
  private let document = name("a")
  private let folder = "/store/documents/00000000000000000001/"

  /// A writer with entries of one document in the journal, and the list of them.
  private func make(
    on system: any FileSystem = SimulatedFileSystem(), seed: UInt64, count: Int = 40
  ) throws -> (StoreWriter, EntrySource, [HistoryEntry]) {
    let writer = try openWriter(system)
    var source = EntrySource(seed: seed)
    let list = source.entries(of: document, count: count)
    _ = try writer.append([(document, list)])
    return (writer, source, list)
  }

  /// What came while the job was under way stays unsealed, and each history is whole throughout.
  @Test(arguments: UInt64(0)..<4)
  func aJobSealsWhatWasThereWhenItWasPrepared(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    var (writer, source, list) = try make(on: system, seed: seed)
    for round in 0..<6 {
      let job = try #require(try writer.prepareSeal(document))
      var later = source.entries(of: document, count: round * 7)
      _ = try writer.append([(document, later)])
      job.run()
      let more = source.entries(of: document, count: round % 2)
      _ = try writer.append([(document, more)])
      later += more
      list += later
      let before = try #require(try writer.history(of: document))
      try writer.finish(job)
      #expect(writer.unsealedCounts[document] ?? 0 == later.count)
      #expect(try entries(before) == list)
      #expect(try entries(writer.history(of: document)) == list)
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try entries(store.history(of: document)) == list)
      #expect(try store.verify().problems.isEmpty)
      let new = source.entries(of: document, count: 5)
      _ = try writer.append([(document, new)])
      list += new
    }
    let head = try writer.history(of: document)?.head
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(try entries(again.history(of: document)) == list)
    #expect(try again.history(of: document)?.head == head)
  }

  /// A long backlog is sealed in pieces, each up to the end of a link of the hash chain. At every moment,
  /// and after a crash at each of them, each entry is there once.
  @Test(arguments: UInt64(0)..<2)
  func aLongBacklogIsSealedInPieces(seed: UInt64) throws {
    let (system, snapshots) = (SimulatedFileSystem(), Snapshots())
    let watched = FaultyFileSystem(system) { _ in snapshots.add(system.snapshot) }
    let writer = try openWriter(watched) {
      $0.sealCountMax = 5_000
      $0.journalSizeMax = 64 << 10
    }
    var (source, list) = (EntrySource(seed: seed), [HistoryEntry]())
    func append(_ count: Int) throws {
      for _ in 0..<count / 500 {
        let new = source.entries(of: document, count: 500)
        _ = try writer.append([(document, new)])
        list += new
      }
    }
    try append(9_000)
    var pieces = 0
    while let job = try writer.prepareSeal(document) {
      pieces += 1
      let left = job.unsealedCount
      #expect(left == 0 || job.sealedCount >= 4096 && job.sealedCount <= 5_000)
      if pieces == 1 { try append(500) }
      job.run()
      snapshots.removeAll()
      try writer.finish(job)
      #expect(writer.unsealedCounts[document] ?? 0 == left + (pieces == 1 ? 500 : 0))
      #expect(try entries(writer.history(of: document)) == list)
      for (count, snapshot) in snapshots.all.enumerated() where count % 24 == 2 * seed {
        let store = try Store.open(
          at: "/store", fileSystem: SimulatedFileSystem.crash(snapshot, .all))
        #expect(try entries(store.history(of: document)) == list)
      }
    }
    #expect(pieces >= 2)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    #expect(system.names(at: "/store/journal").count == 1)
    let head = try writer.history(of: document)?.head
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(try entries(again.history(of: document)) == list)
    #expect(try again.history(of: document)?.head == head)
    #expect(again.recovery.isSound && again.losses.isEmpty)
  }

  /// Journals older than the job's go when it is finished, whatever came meanwhile.
  @Test func oldJournalsAreLetGo() throws {
    let system = SimulatedFileSystem()
    var (writer, source, list) = try make(on: system, seed: 1, count: 200)
    while system.names(at: "/store/journal").count < 3 {
      let new = source.entries(of: document, count: 20)
      _ = try writer.append([(document, new)])
      list += new
    }
    let newest = try #require(system.names(at: "/store/journal").last)
    let job = try #require(try writer.prepareSeal(document))
    let new = source.entries(of: document, count: 3)
    _ = try writer.append([(document, new)])
    job.run()
    try writer.finish(job)
    #expect(system.names(at: "/store/journal").first == newest)
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(try entries(again.history(of: document)) == list + new)
  }

  /// Until its job is finished, an appended entry cannot be read and nothing else can be appended.
  /// An abandoned job changes nothing.
  @Test(arguments: [false, true], [false, true])
  func anAppendingJobHasItsDocumentAlone(isKnown: Bool, isRun: Bool) throws {
    let system = SimulatedFileSystem()
    var (writer, source, list) = try make(on: system, seed: 3)
    let target = isKnown ? document : name("new")
    if !isKnown { list = [] }
    let new = source.entries(of: target, count: 9)
    let job = try writer.prepareAppend(new, to: target)
    let event = HistoryEvent(
      kind: .renamed(from: document), after: 0, time: Timestamp(nanoseconds: 0))
    #expect(throws: LogError.self) { try writer.append([(target, new)]) }
    #expect(throws: LogError.self) { try writer.prepareAppend(new, to: target) }
    #expect(throws: LogError.self) {
      try writer.append(
        [(name("new"), [.event(event)])], renaming: [DocumentRename(document, to: name("new"))])
    }
    if isRun { job.run() }
    #expect(try entries(writer.history(of: target)) == list)
    #expect(try entries(Store.open(at: "/store", fileSystem: system).history(of: target)) == list)
    try writer.finish(job)
    let expected = isRun ? list + new : list
    let edits = new.compactMap { if case .edit(let edit) = $0 { edit.sequence } else { nil } }
    #expect(job.receipt?.lastSequence == (isRun ? edits.last : nil))
    let history = try writer.history(of: target)
    #expect(try entries(history) == expected)
    let head = try history?.head
    #expect(head == job.receipt?.head || !isRun)
    // The numbers and the chain continue from there, in the journal as in a job.
    for count in [1, 5_000] {
      let more = (0..<count).map { _ in source.edit(of: name("c")) }
      _ = try writer.append([(name("c"), more)])
    }
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try entries(store.history(of: target)) == expected)
    #expect(try store.verify().problems.isEmpty)
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(again.losses.isEmpty && again.recovery.isSound)
    #expect(try entries(again.history(of: target)) == expected)
  }

  /// What a writer returns after another was killed is durable: a request that is sent again is
  /// answered with it.
  @Test(arguments: [false, true], [0, 2_000])
  func whatIsShownAfterAKillIsDurable(isKnown: Bool, loneSizeMax: Int) throws {
    let (system, snapshots) = (SimulatedFileSystem(), Snapshots())
    let watched = FaultyFileSystem(system) { _ in snapshots.add(system.snapshot) }
    let writer = try openWriter(watched) { $0.loneSegmentSizeMax = loneSizeMax }
    var source = EntrySource(seed: 4)
    let target = isKnown ? document : name("new")
    _ = try writer.append([(document, source.entries(of: document, count: 5))])
    try writer.sealAll()
    snapshots.removeAll()
    let job = try writer.prepareAppend(source.entries(of: target, count: 5), to: target)
    job.run()
    try writer.finish(job)
    for snapshot in snapshots.all {
      let killed = SimulatedFileSystem(snapshot)
      let next = try openWriter(killed)
      let shown = try entries(next.history(of: target))
      let cut = try openWriter(SimulatedFileSystem.crash(killed.snapshot, .all))
      #expect(try entries(cut.history(of: target)).starts(with: shown))
    }
  }

  /// Nothing remains of a new document if its writer was killed before its first segment was done.
  @Test(arguments: [0, 2_000]) func leftoversAreRemoved(loneSizeMax: Int) throws {
    let system = SimulatedFileSystem()
    do {
      let writer = try openWriter(system) { $0.loneSegmentSizeMax = loneSizeMax }
      var source = EntrySource(seed: 4)
      try writer.prepareAppend(source.entries(of: document, count: 5), to: document).run()
    }
    #expect(system.filePaths.contains { $0.hasSuffix(".tmp") })
    let writer = try openWriter(system, seed: 2)
    #expect(!system.filePaths.contains { $0.hasSuffix(".tmp") })
    #expect(writer.documentIDs.isEmpty && writer.losses.isEmpty)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// A leftover that cannot be erased does not keep the store from opening.
  @Test func aLeftoverThatCannotBeErasedStays() throws {
    let system = SimulatedFileSystem()
    do {
      let writer = try openWriter(system)
      var source = EntrySource(seed: 4)
      try writer.prepareAppend(source.entries(of: document, count: 5), to: document).run()
    }
    let faulty = FaultyFileSystem(system)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, EACCES, ["unlink"])
    plan.pathEnd = ".tmp"
    faulty.setPlan(plan)
    let writer = try openWriter(faulty)
    #expect(system.filePaths.contains { $0.hasSuffix(".tmp") })
    #expect(writer.documentIDs.isEmpty && writer.losses.isEmpty)
  }

  /// A failure after the entries are durable does not fail the append.
  @Test func aReceiptSaysThatTheEntriesAreDurable() throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    var (writer, source, list) = try make(on: faulty, seed: 6, count: 60)
    let new = source.entries(of: document, count: 5)
    let job = try writer.prepareAppend(new, to: document)
    job.run()
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["create"])
    faulty.setPlan(plan)
    #expect(throws: LogError.self) { try writer.finish(job) }
    faulty.setPlan(FaultyFileSystem.Plan())
    list += new
    #expect(job.receipt != nil && writer.isUsable)
    #expect(try entries(writer.history(of: document)) == list)
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(try entries(again.history(of: document)) == list)
  }

  private final class Snapshots: Sendable {
    private let list = Mutex<[SimulatedFileSystem.Snapshot]>([])
    var all: [SimulatedFileSystem.Snapshot] { list.withLock { $0 } }
    func add(_ snapshot: SimulatedFileSystem.Snapshot) { list.withLock { $0.append(snapshot) } }
    func removeAll() { list.withLock { $0 = [] } }
  }

  @Test func aDocumentRenamedMeanwhileKeepsItsName() throws {
    let system = SimulatedFileSystem()
    var (writer, _, list) = try make(on: system, seed: 2)
    let new = name("b")
    let job = try #require(try writer.prepareSeal(document))
    let event = HistoryEvent(
      kind: .renamed(from: document), after: try #require(try writer.lastSequence(of: document)),
      time: Timestamp(nanoseconds: 1 << 40))
    _ = try writer.append([(new, [.event(event)])], renaming: [DocumentRename(document, to: new)])
    list.append(.event(event))
    // Another document may take the old name.
    var source = EntrySource(seed: 9)
    let others = source.entries(of: document, count: 3)
    _ = try writer.append([(document, others)])
    job.run()
    try writer.finish(job)
    for isSealed in [false, true] {
      if isSealed { try writer.sealAll() }
      let crashed = SimulatedFileSystem.crash(system.snapshot, .all)
      let again = try openWriter(crashed)
      let store = try Store.open(at: "/store", fileSystem: system)
      for history in try [writer.history(of: new), again.history(of: new), store.history(of: new)] {
        #expect(try entries(history) == list)
      }
      #expect(try entries(again.history(of: document)) == others)
    }
  }

  /// A second job of a document is refused, and one that never ran is given up.
  @Test func oneJobOfADocumentIsUnderWay() throws {
    let (writer, _, list) = try make(seed: 3)
    let job = try #require(try writer.prepareSeal(document))
    #expect(throws: LogError.self) { _ = try writer.prepareSeal(document) }
    #expect(throws: LogError.self) { try writer.seal(document) }
    try writer.finish(job)
    #expect(throws: LogError.self) { try writer.finish(job) }
    #expect(writer.unsealedCounts[document] == list.count)
    try writer.seal(document)
    #expect(writer.unsealedCounts.isEmpty)
    #expect(try writer.prepareSeal(document) == nil)
    #expect(try entries(writer.history(of: document)) == list)
  }

  /// No other writer opens a store that a job may still write to.
  @Test func aJobKeepsTheStoreLocked() throws {
    let system = SimulatedFileSystem()
    let (writer, _, list) = try make(on: system, seed: 4)
    var job = try writer.prepareSeal(document)
    try writer.close()
    #expect(throws: LogError.locked(path: "/store")) { _ = try openWriter(system) }
    job?.run()
    job = nil
    #expect(try entries(openWriter(system).history(of: document)) == list)
  }

  /// A flush that fails inside a job ends the writer when the job comes back, and not before.
  @Test func aFailedFlushOfAJobEndsTheWriter() throws {
    for place in 1...10 {
      let system = SimulatedFileSystem()
      let faulty = FaultyFileSystem(system)
      var (writer, source, list) = try make(on: faulty, seed: 5)
      let job = try #require(try writer.prepareSeal(document))
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (faulty.operationCount + place, true)
      plan.names = ["sync"]
      faulty.setPlan(plan)
      job.run()
      faulty.setPlan(FaultyFileSystem.Plan())
      let new = source.entries(of: document, count: 3)
      _ = try writer.append([(document, new)])
      list += new
      #expect(throws: LogError.self) { try writer.finish(job) }
      let error = #expect(throws: LogError.self) { try writer.confirm() }
      guard case .poisoned = error else {
        Issue.record("\(String(describing: error)) after operation \(place)")
        continue
      }
      #expect(
        try entries(Store.open(at: "/store", fileSystem: system).history(of: document)) == list)
    }
  }

  /// Any other failure leaves everything as it was, and the writer stays usable.
  @Test(arguments: [ENOSPC, EIO])
  func aFailedJobIsGivenUp(code: Int32) throws {
    for operation in ["create", "write", "mkdir", "open", "read"] {
      let system = SimulatedFileSystem()
      let faulty = FaultyFileSystem(system)
      var (writer, source, list) = try make(on: faulty, seed: 6)
      let job = try #require(try writer.prepareSeal(document))
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (faulty.operationCount + 1, true)
      (plan.code, plan.names) = (code, [operation])
      faulty.setPlan(plan)
      job.run()
      faulty.setPlan(FaultyFileSystem.Plan())
      let error = #expect(throws: LogError.self) { try writer.finish(job) }
      if code == ENOSPC { #expect(error == .noSpace(path: "/store")) }
      #expect(writer.unsealedCounts[document] == list.count)
      let new = source.entries(of: document, count: 3)
      _ = try writer.append([(document, new)])
      list += new
      try writer.seal(document)
      #expect(try entries(writer.history(of: document)) == list)
      #expect(!system.names(at: folder).contains { $0.hasSuffix(".tmp") })
    }
  }
}
