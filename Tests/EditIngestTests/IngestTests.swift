import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditorSync
import Glibc
import NIOCore
import NIOPosix
import Replay
import Synchronization
import Testing
import TestSupport
import TextState

@testable import EditIngest

/// Ingest over a disk that fills up, fails, or loses what was not flushed.
@Suite(.timeLimit(.minutes(10))) struct IngestTests {
  /// What the files alone say.
  private func text(on disk: SimulatedFileSystem, _ name: String = "a") throws -> String {
    let store = try Store.open(at: "/store", fileSystem: disk)
    let history = try #require(try store.history(of: document(name)))
    return String(try Replay(history).state(at: .latest).text)
  }

  @Test(arguments: [ENOSPC, EDQUOT])
  func aFullDiskRefusesUntilThereIsRoom(code: Int32) async throws {
    let disk = SimulatedFileSystem()
    let faulty = FaultyFileSystem(disk)
    let harness = try await IngestHarness(on: faulty)
    #expect(try await harness.append("1") == 1)
    for round in 0..<3 {
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver, plan.code) = (faulty.operationCount + 1, true, code)
      plan.names = ["write", "reserve"]
      faulty.setPlan(plan)
      for name in ["a", "a", "new\(round)"] {
        let error = await refusal { try await harness.append("lost", to: name) }
        #expect(error?.code == .noSpace)
        let missing = try error?.details["missingBytes"]?.asInteger() ?? 0
        #expect((200 << 10...256 << 10).contains(missing))
        #expect(error?.message.contains("nothing that was acknowledged is lost") == true)
      }
      // D22: the status says it too, until there is room.
      let shortage = await harness.ingest.daemonStatus.shortage
      #expect(shortage.map { (200 << 10...256 << 10).contains($0.missingSize) } == true)
      try await harness.check(text: String(repeating: "1", count: round + 1))
      let unknown = await refusal {
        try await harness.ingest.mark(document("new\(round)"), label: "x", at: 0)
      }
      #expect(unknown?.code == .unknownDocument)
      faulty.setPlan(FaultyFileSystem.Plan())
      #expect(try await harness.append("1") == UInt64(round + 2))
      #expect(await harness.ingest.daemonStatus.shortage == nil)
      try await harness.check(text: String(repeating: "1", count: round + 2))
    }
    try await harness.end()
    #expect(harness.failures.errors == [])
    #expect(try text(on: disk) == "1111")
    #expect(try Store.open(at: "/store", fileSystem: disk).documentNumbers().count == 1)
  }

  /// Refused with many others in one batch, a request is refused with all of them; what comes
  /// later fits what is in the log.
  @Test func aFullDiskRefusesWholeBatches() async throws {
    let disk = SimulatedFileSystem()
    let faulty = FaultyFileSystem(disk)
    let harness = try await IngestHarness(on: faulty)
    _ = try await harness.append("0")
    for count in 0..<30 {
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.code, plan.names) = (
        faulty.operationCount + 1 + count % 3, ENOSPC, ["write"]
      )
      faulty.setPlan(plan)
      let accepted = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { (try? await harness.append("x")) == nil ? 0 : 1 } }
        return await group.reduce(0, +)
      }
      faulty.setPlan(FaultyFileSystem.Plan())
      let state = await harness.ingest.newestState(of: document("a"))
      let before = Int(state?.sequence ?? 0)
      #expect(try await harness.append("x") > SequenceNumber(accepted), "round \(count)")
      if state != nil { #expect(try await harness.append("x") == SequenceNumber(before + 2)) }
    }
    let last = try await harness.append("x")
    try await harness.check(text: String(repeating: "x", count: Int(last) - 1) + "0")
    try await harness.end()
    #expect(harness.failures.errors == [])
  }

  /// D2: a stop gives up a job that does not end, and refuses what waits; the next start does the rest.
  @Test func aStopGivesUpAJobWithoutEnd() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) { $0.longLength = 100 }
    for count in 1...20 { #expect(try await harness.append("x") == UInt64(count)) }
    gate.close()
    let large = Task {
      await refusal { try await harness.append(String(repeating: "l", count: 200)) }
    }
    try await until { gate.arrivals > 0 }
    let waiting = Task { await refusal { try await harness.append("y") } }
    try await until { await harness.ingest.look { $0.upkeep.isBusy } }
    let closing = Task { await harness.ingest.close(within: .milliseconds(200)) }
    #expect(await large.value?.code == .overloaded)
    #expect(await waiting.value?.code == .overloaded)
    await closing.value
    #expect(!isSealed(system, count: 1))
    gate.open()
    // The store stays locked until the job has ended.
    var next: IngestHarness?
    try await until {
      next = try? await IngestHarness(on: system) { $0.idleMilliseconds = 1 }
      return next != nil
    }
    await next?.ingest.reportRecovery()
    try await until { isSealed(system, count: 1) }
    try await next?.check(text: String(repeating: "x", count: 20))
    try await next?.end()
    #expect(try text(on: system) == String(repeating: "x", count: 20))
    #expect(harness.failures.errors == [] && next?.failures.errors == [])
    try await harness.drop()
  }

  /// A full disk while sealing costs nothing: the entries stay in the journal.
  @Test func aFullDiskWhileSealing() async throws {
    let disk = SimulatedFileSystem()
    let faulty = FaultyFileSystem(disk)
    let harness = try await IngestHarness(on: faulty) { $0.sealAfter = 4 }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["create"])
    faulty.setPlan(plan)
    for count in 1...20 { #expect(try await harness.append("x") == UInt64(count)) }
    faulty.setPlan(FaultyFileSystem.Plan())
    for count in 21...30 { #expect(try await harness.append("x") == UInt64(count)) }
    try await harness.end()
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: disk)
    #expect(try store.documents().first?.unsealedSize == 0)
    #expect(try text(on: disk) == String(repeating: "x", count: 30))
  }

  /// A document without new edits does not keep a journal for ever: not one with other documents' edits
  /// and, after a while, not its own.
  @Test func anIdleDocumentIsSealed() async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk) {
      ($0.idleMilliseconds, $0.restSeconds) = (1, 0)
      ($0.sizes.journalSizeMax, $0.sizes.journalSizeMin) = (4096, 1024)
      $0.sizes.journalReserveStep = 512
    }
    _ = try await harness.append("i", to: "idle")
    for _ in 0..<200 { _ = try await harness.append("x") }
    // Everything written in the meantime is sealed. No request reports that.
    try await until { disk.names(at: "/store/journal").count == 1 && isSealed(disk) }
    try await harness.drop()
    #expect(try text(on: disk, "idle") == "i")
  }

  /// What one client tells or asks does not fail with an edit of another client that shares its batch.
  @Test func aLookDoesNotFailWithItsBatch() async throws {
    let faulty = FaultyFileSystem(SimulatedFileSystem())
    let harness = try await IngestHarness(on: faulty)
    _ = try await harness.append("0")
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (faulty.operationCount + 1, true, ENOSPC)
    plan.names = ["write", "reserve"]
    faulty.setPlan(plan)
    let outcomes = AsyncStream<String>.limited()
    harness.ingest.submit(
      [
        .append(AppendRequest(document: document("a"), edits: [put("1")])) { result in
          outcomes.continuation.yield((try? result.get()) == nil ? "refused" : "logged")
        },
        .look({ _ in outcomes.continuation.yield("looked") }) { result in
          outcomes.continuation.yield((try? result.get()) == nil ? "failed" : "answered")
        },
      ], from: 1)
    var seen: [String] = []
    for await outcome in outcomes.stream {
      seen.append(outcome)
      if seen.count == 3 { break }
    }
    #expect(seen == ["refused", "looked", "answered"])
    faulty.setPlan(FaultyFileSystem.Plan())
    try await harness.end()
  }

  /// A client that asks again and again does not keep what is idle from being sealed.
  @Test func questionsDoNotDisturbTheRest() async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk) {
      ($0.idleMilliseconds, $0.restSeconds) = (50, 0)
    }
    _ = try await harness.append("x")
    _ = try await harness.append("i", to: "idle")
    try await until {
      harness.ingest.submit(.look({ _ in }) { _ in })
      return isSealed(disk)
    }
    try await harness.end()
  }

  /// After a rest, long documents are not in memory, and are read from the log again.
  @Test func longDocumentsLeaveMemoryAtRest() async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk) {
      ($0.idleMilliseconds, $0.restSeconds) = (20, 0)
    }
    let long = String(repeating: "x", count: 1 << 18)
    #expect(try await harness.append(long, to: "long") == 1)
    #expect(try await harness.append("s", to: "short") == 1)
    try await until { await harness.ingest.look { $0.documents.count } == 1 }
    #expect(await harness.ingest.look { $0.documents[document("short")] } != nil)
    #expect(try await harness.append("y", to: "long") == 2)
    try await harness.check("long", text: "y" + long)
    try await harness.end()
  }

  /// Documents that were not used lately are not kept in memory, and are read from the log again.
  @Test func documentsLeaveMemory() async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk)
    for round in 1...2 {
      for number in 0..<400 {
        #expect(try await harness.append("x", to: "\(number)") == UInt64(round))
        if number % 100 == 7 { _ = try await harness.append("y", to: "often") }
      }
    }
    #expect(await harness.ingest.look { $0.documents.count } <= 2 * 129)
    for number in stride(from: 0, to: 400, by: 57) {
      try await harness.check("\(number)", text: "xx")
    }
    try await harness.check("often", text: "yyyyyyyy")
    try await harness.end()
    #expect(harness.failures.errors == [])
  }

  private func isSealed(_ disk: SimulatedFileSystem, count: Int = 2) -> Bool {
    let rows = (try? Store.open(at: "/store", fileSystem: disk).documents()) ?? []
    return rows.count == count && rows.allSatisfy { $0.unsealedSize == 0 }
  }

  /// After a failed flush nothing more is acknowledged, and the owner is told to end the process.
  @Test func aFailedFlushEndsTheWriter() async throws {
    let disk = SimulatedFileSystem()
    let faulty = FaultyFileSystem(disk)
    let harness = try await IngestHarness(on: faulty)
    for _ in 0..<3 { _ = try await harness.append("x") }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.names) = (faulty.operationCount + 1, ["sync"])
    plan.forEver = true
    faulty.setPlan(plan)
    #expect(await refusal { try await harness.append("y") }?.code == .storeUnreadable)
    faulty.setPlan(FaultyFileSystem.Plan())
    for _ in 0..<3 {
      #expect(await refusal { try await harness.append("z") }?.code == .storeUnreadable)
    }
    #expect(harness.failures.errors.count == 1)
    try await harness.end()
    #expect(harness.failures.errors.count == 1)
    let again = try await IngestHarness(on: SimulatedFileSystem.crash(disk.snapshot, .all))
    try await again.check(text: "xxx")
    try await again.end()
  }

  /// The machine stops at a random moment: acknowledged edits are there, and resent ones are logged
  /// once.
  @Test(arguments: UInt64(0)..<6)
  func aCrashLosesNothingAcknowledged(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var disk = SimulatedFileSystem()
    var (acknowledged, expected) = (0, "")
    for round in 0..<5 {
      let harness = try await IngestHarness(on: disk) { $0.sealAfter = 7 }
      // The request that was under way when the machine stopped.
      for counter in max(acknowledged, 1)...acknowledged + 5 {
        let result = try await harness.ingest.append(
          AppendRequest(
            document: document("a"), ticket: try ticket(UInt64(counter)),
            edits: [put("\(counter % 10)"), put(".")]))
        #expect(result.sequence == UInt64(counter * 2))
        #expect(result.duplicate == (counter <= acknowledged), "round \(round)")
        if counter > acknowledged { expected = ".\(counter % 10)" + expected }
      }
      acknowledged += 5
      try await harness.check(text: expected)
      let snapshot = disk.snapshot
      try await harness.drop()
      let loss: [SimulatedFileSystem.Loss] = [.all, .none, .some(seed: random.next())]
      disk = SimulatedFileSystem.crash(snapshot, loss[Int(random.next() % 3)])
      #expect(try text(on: disk) == expected, "round \(round)")
    }
  }

  /// A stop closes the writer once, even if tasks still wait on the loop, and is no failure.
  @Test(arguments: 0..<20)
  func aStopIsNoFailure(count: Int) async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk) { $0.idleMilliseconds = 0 }
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { _ = try? await harness.append("x") } }
      group.addTask { await harness.ingest.close() }
    }
    try await harness.end()
    #expect(harness.failures.errors == [])
    #expect(harness.log.complaints == [])
  }

  /// One document whose segment is damaged does not end the daemon for the others.
  @Test func aDamagedDocumentIsItsOwnTrouble() async throws {
    let disk = SimulatedFileSystem()
    var harness = try await IngestHarness(on: disk)
    for name in ["a", "b"] { _ = try await harness.append("x", to: name) }
    try await harness.end()
    let segment = "/store/documents/00000000000000000001.segment"
    let size = try #require(disk[segment]?.count)
    for offset in 64..<size { disk[segment]?[offset] ^= 0x55 }

    harness = try await IngestHarness(on: disk) { $0.sealAfter = 1 }
    for _ in 0..<2 {
      #expect(await refusal { try await harness.append("y", to: "a") }?.code == .damagedLog)
      #expect(try await harness.append("y", to: "b") > 1)
    }
    // An editor gets one answer about it, not two.
    let answers = Mutex(0)
    let open = DidOpenParams(uri: document("a"), text: "y")
    harness.ingest.submit(
      .editor(.connection(1), .didOpen(open), ticket: nil) { _ in answers.withLock { $0 += 1 } })
    try await harness.check("b", text: "yyx")
    #expect(answers.withLock { $0 } == 1)
    try await harness.end()
    #expect(harness.failures.errors == [])
  }

  /// If a segment is damaged while the daemon runs, its document is continued in the journal.
  @Test func aDocumentThatCannotBeSealedStaysWritable() async throws {
    let disk = SimulatedFileSystem()
    let harness = try await IngestHarness(on: disk) { $0.sealAfter = 1 }
    for name in ["a", "b"] { _ = try await harness.append("x", to: name) }
    let segment = "/store/documents/00000000000000000001.segment"
    try await until { disk[segment] != nil }
    let size = try #require(disk[segment]?.count)
    for offset in 64..<size { disk[segment]?[offset] ^= 0x55 }
    for count in 2...4 {
      for name in ["a", "b"] {
        #expect(try await harness.append("x", to: name) == SequenceNumber(count))
      }
    }
    try await harness.check("b", text: "xxxx")
    try await harness.end()
    #expect(harness.failures.errors == [])
    #expect(harness.log.complaints.contains { $0.hasPrefix("error: ") })
    #expect(try text(on: disk, "b") == "xxxx")
  }

  /// Requests and their resends in one batch, older ones among them.
  @Test func resendsInOneBatch() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let requests = try [1, 2, 3, 1, 2, 3, 4, 1].map { counter in
      AppendRequest(
        document: document("a"), ticket: try ticket(UInt64(counter)),
        edits: (0..<counter).map { _ in put("\(counter)") })
    }
    let ingest = harness.ingest
    let results = try await withThrowingTaskGroup(of: (Int, AppendResult).self) { group in
      // All are submitted before the loop comes round to any of them.
      let answers = try await ingest.executor.loop.submit {
        requests.map { request in
          let promise = ingest.executor.loop.makePromise(of: AppendResult.self)
          ingest.submit(.append(request) { promise.completeWith($0.mapError { $0 as any Error }) })
          return promise.futureResult
        }
      }.get()
      for (index, answer) in answers.enumerated() {
        group.addTask { (index, try await answer.get()) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let expected: [(UInt64, UInt64)] = [
      (1, 1), (2, 3), (4, 6), (1, 1), (2, 3), (4, 6), (7, 10), (1, 1),
    ]
    for (index, (first, last)) in expected.enumerated() {
      let result = try #require(results[index])
      #expect((result.first, result.sequence) == (first, last), "request \(index)")
      #expect(result.duplicate == [3, 4, 5, 7].contains(index), "request \(index)")
    }
    try await harness.check(text: "4444333221")
    try await harness.end()
  }
}
