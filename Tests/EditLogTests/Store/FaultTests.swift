import EditLog
import EditModel
import Glibc
import TestSupport
import Testing

/// The k-th operation fails, for each k.
@Suite struct FaultTests {
  /// A run of ten steps that reopens the store after an error and continues. Returns how many
  /// steps were done after the first error.
  @discardableResult
  private func run(_ system: any FileSystem, _ workload: Workload) -> Int {
    var writer: StoreWriter?
    var (hasFailed, doneAfter) = (false, 0)
    for _ in 0..<10 {
      do {
        if writer == nil {
          let new = try openWriter(system)
          try resume(workload, from: new)
          writer = new
        }
        if let writer { try workload.step(writer) }
        if hasFailed { doneAfter += 1 }
      } catch {
        // Jobs hold the store's lock.
        workload.dropJobs()
        (writer, hasFailed) = (nil, true)
      }
    }
    guard let writer else { return doneAfter }
    try? workload.finishJobs(writer)
    try? writer.sealAll()
    return doneAfter
  }

  /// What a failed step appended may be in the store or not: the lists continue from what is there.
  private func resume(_ workload: Workload, from writer: StoreWriter) throws {
    let oracle = workload.oracle
    var lists: [DocumentID: [HistoryEntry]] = [:]
    for (document, submitted) in oracle.histories {
      let found = try entries(writer.history(of: document))
      #expect(found.count >= oracle.acknowledged[document] ?? 0)
      #expect(submitted.starts(with: found))
      if !found.isEmpty { lists[document] = found }
    }
    workload.resume(from: lists, names: [:], isDurable: false)
  }

  /// After a failure the run continues, then the machine stops: what was acknowledged is there.
  @Test(arguments: [EIO, ENOSPC, EMFILE, EINTR], [true, false])
  func anyOperationMayFail(code: Int32, forEver: Bool) throws {
    let count = FaultyFileSystem(SimulatedFileSystem())
    run(count, Workload(seed: 3))
    // Each operation fails with one of the codes.
    let step = code == EIO ? 1 : 9
    var doneAfter = 0
    for first in stride(from: 1, through: count.operationCount, by: step) {
      let system = SimulatedFileSystem()
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.code, plan.forEver) = (first, code, forEver)
      let workload = Workload(seed: 3)
      doneAfter += run(FaultyFileSystem(system, plan), workload)
      for loss in [.all, .some(seed: UInt64(first))] as [SimulatedFileSystem.Loss] {
        let after = SimulatedFileSystem.crash(system.snapshot, loss)
        let writer = try openWriter(after, seed: 2)
        try check(writer, workload.oracle, "operation \(first) fails with \(code)")
      }
    }
    #expect(forEver || doneAfter > 0)
  }

  private func check(_ writer: StoreWriter, _ oracle: Oracle, _ comment: Comment) throws {
    #expect(writer.recovery.isSound, comment)
    for (document, submitted) in oracle.histories {
      let found = try entries(writer.history(of: document))
      #expect(found.count >= oracle.acknowledged[document] ?? 0, comment)
      #expect(submitted.starts(with: found), comment)
    }
  }

  /// Writes that take only a part are gone on with.
  @Test func shortWritesAreCompleted() throws {
    let system = SimulatedFileSystem()
    var plan = FaultyFileSystem.Plan()
    plan.writesAreShort = true
    let workload = Workload(seed: 4)
    let writer = try openWriter(FaultyFileSystem(system, plan))
    for _ in 0..<12 { try workload.step(writer) }
    try workload.finishJobs(writer)
    try writer.sealAll()
    let store = try Store.open(at: "/store", fileSystem: system)
    for (document, expected) in workload.oracle.histories {
      #expect(try entries(store.history(of: document)) == expected)
    }
    #expect(try store.verify().problems.isEmpty)
  }

  /// A full disk is refused and loses nothing; the same writer continues when there is room.
  @Test(arguments: ["reserve", "write"])
  func aFullDiskIsRefusedAndServiceResumes(operation: String) throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let writer = try openWriter(faulty)
    let document = name("a")
    var source = EntrySource(seed: 6)
    var expected = source.entries(of: document, count: 5)
    _ = try writer.append([(document, expected)])
    let refused = source.entries(of: document, count: 20)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, [operation])
    faulty.setPlan(plan)
    #expect(throws: LogError.noSpace(path: "/store")) {
      _ = try writer.append([(document, refused)])
    }
    #expect(throws: LogError.noSpace(path: "/store")) { try writer.sealAll() }
    #expect(try entries(writer.history(of: document)) == expected)
    #expect(
      try entries(Store.open(at: "/store", fileSystem: system).history(of: document)) == expected)
    faulty.setPlan(FaultyFileSystem.Plan())
    _ = try writer.append([(document, refused)])
    expected += refused
    try writer.sealAll()
    #expect(try entries(writer.history(of: document)) == expected)
    let after = SimulatedFileSystem.crash(system.snapshot, .all)
    #expect(try entries(openWriter(after).history(of: document)) == expected)
  }

  /// After a failed flush nothing is acknowledged any more, whatever the disk says.
  @Test func aFailedFlushEndsTheWriter() throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let writer = try openWriter(faulty)
    let document = name("a")
    var source = EntrySource(seed: 6)
    let first = source.entries(of: document, count: 3)
    _ = try writer.append([(document, first)])
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.names) = (1, true, ["sync"])
    faulty.setPlan(plan)
    let second = source.entries(of: document, count: 3)
    #expect(throws: LogError.self) { _ = try writer.append([(document, second)]) }
    faulty.setPlan(FaultyFileSystem.Plan())
    for attempt in [
      { _ = try writer.append([(document, second)]) }, { try writer.confirm() },
      { try writer.seal(document) }, { try writer.sealAll() },
      { try writer.writeCheckpoint(document, at: 1, []) },
    ] {
      let error = #expect(throws: LogError.self) { try attempt() }
      guard case .poisoned = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try entries(writer.history(of: document)) == first)
  }

  /// A process that is killed leaves names in the system's memory that no flush has made durable.
  /// What the next process seals under them survives the machine's stop.
  @Test func whatAKilledWriterLeftIsMadeDurable() throws {
    let document = name("a")
    for first in 1...120 {
      let system = SimulatedFileSystem()
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (first, true)
      var source = EntrySource(seed: 6)
      // So many that the next writer lets the journal go.
      let list = source.entries(of: document, count: 40)
      if let writer = try? openWriter(FaultyFileSystem(system, plan)) {
        _ = try? writer.append([(document, list)])
        try? writer.sealAll()
      }
      let running = system.copy()
      let writer = try openWriter(running)
      if try writer.history(of: document) == nil { _ = try writer.append([(document, list)]) }
      try writer.sealAll()
      let after = SimulatedFileSystem.crash(running.snapshot, .all)
      #expect(
        try entries(openWriter(after).history(of: document)) == list, "killed at \(first)")
    }
  }

  /// A batch that reached only the cache is written again when the store is opened, so that what
  /// is acknowledged later does not follow a gap.
  @Test func recoveryFlushesWhatAFailedFlushLeft() throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let document = name("a")
    var source = EntrySource(seed: 6)
    let (first, second) = (
      source.entries(of: document, count: 3), source.entries(of: document, count: 3)
    )
    do {
      let writer = try openWriter(faulty)
      _ = try writer.append([(document, first)])
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver, plan.names) = (1, true, ["sync"])
      faulty.setPlan(plan)
      #expect(throws: LogError.self) { _ = try writer.append([(document, second)]) }
    }
    // The cache thinks it clean, and the disk does not have it.
    system.dropPendingBytes()
    let writer = try openWriter(system)
    let present = try entries(writer.history(of: document))
    #expect(present == first + second)
    let third = source.entries(of: document, count: 3)
    _ = try writer.append([(document, third)])
    let after = SimulatedFileSystem.crash(system.snapshot, .all)
    #expect(try entries(openWriter(after).history(of: document)) == present + third)
  }
}
