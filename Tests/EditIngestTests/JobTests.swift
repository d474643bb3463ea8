import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EditIngest

/// Long work on the store's files, beside the requests.
@Suite(.timeLimit(.minutes(10))) struct JobTests {
  private final class Counter: Sendable {
    private let count = Mutex(0)
    func set(_ value: Int) { count.withLock { $0 = value } }
    var value: Int { count.withLock { $0 } }
  }

  /// While a job is blocked, each append is flushed and acknowledged as usual.
  @Test func appendsGoOnWhileAJobIsSuspended() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) { $0.sealAfter = 4 }
    gate.close()
    for count in 1...4 { #expect(try await harness.append("x") == UInt64(count)) }
    try await until { gate.arrivals > 0 }
    let (writes, syncs) = (gate.arrivals, gate.journalSyncs)
    for count in 5...54 { #expect(try await harness.append("x") == UInt64(count)) }
    #expect(gate.arrivals == writes, "the job continued")
    #expect(gate.journalSyncs >= syncs + 50)
    // Acknowledged edits are on the disk, even if the job never ends.
    let crashed = SimulatedFileSystem.crash(system.snapshot, .all)
    let history = try Store.open(at: "/store", fileSystem: crashed).history(of: document("a"))
    #expect(history?.lastSequence == 54)
    try await harness.check(text: String(repeating: "x", count: 54))
    gate.open()
    try await harness.end()
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.documents().first?.unsealedSize == 0)
    #expect(try store.history(of: document("a"))?.lastSequence == 54)
    #expect(try store.verify().problems.isEmpty)
  }

  /// The runtime lets other work of an actor run before the body of `withCheckedContinuation`, if the task
  /// has an executor of its own, as those of the daemon have. So the job ends after some turns of the loop.
  @Test(arguments: 0..<5) func aJobThatEndsAsACallerBeginsToWaitIsSeen(turn: Int) async throws {
    let (system, gate, loop) = (SimulatedFileSystem(), Gate(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system))
    #expect(try await harness.append("x") == 1)
    gate.close()
    // No other job follows this one.
    let attaching = Task { try await harness.ingest.attach([1], to: document("a")) }
    try await until { gate.arrivals > 0 }
    loop.close()
    loop.hold(harness.ingest)
    let isForgotten = Flag()
    let forgetting = Task(executorPreference: WorkerThreads.shared) {
      _ = try await harness.ingest.forget(document("a"))
      isForgotten.set()
    }
    try await Task.sleep(for: .milliseconds(50))
    harness.ingest.after(turns: turn) {
      gate.open()
      usleep(50_000)
    }
    loop.open()
    try await until { isForgotten.isSet }
    try await forgetting.value
    _ = try await attaching.value
    try await harness.end()
  }

  /// What waits until no job runs comes before the jobs that wait.
  @Test func whatWaitsForTheEndOfAJobDoesNotWaitForAllJobs() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) { $0.sealAfter = 1 }
    gate.close()
    for number in 1...40 { _ = try await harness.append("x", to: "\(number)") }
    try await until { gate.arrivals > 0 }
    let earlier = gate.arrivals
    let waiting = Task(executorPreference: WorkerThreads.shared) {
      await harness.ingest.whenIdle { _ in gate.arrivals }
    }
    try await until { await harness.ingest.look { $0.upkeep.isAwaited } }
    gate.open()
    // Those of the job that was running.
    #expect(await waiting.value - earlier < 10)
    try await harness.end()
  }

  /// The documents that share a journal with a forgotten one are sealed by jobs, and edits are taken
  /// meanwhile; those of the forgotten document wait, and begin a new history.
  @Test func editsAreTakenWhileADocumentIsForgotten() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system))
    _ = try await harness.append("nEEdle", to: "gone")
    for number in 1...20 { _ = try await harness.append("x", to: "\(number)") }
    // One that is not small, and is sealed by a job.
    for _ in 0..<100 { _ = try await harness.append("x", to: "large") }
    gate.close()
    let forgetting = Task { try await harness.ingest.forget(document("gone")) }
    try await until { gate.arrivals > 0 }
    #expect(try await harness.append("y", to: "1") == 2)
    #expect(try await harness.append("y", to: "new") == 1)
    let isLogged = Flag()
    let late = Task {
      // A source of its own: requests of one source are taken in order.
      let sequence = try await harness.append("z", to: "gone", from: 1)
      isLogged.set()
      return sequence
    }
    #expect(try await harness.append("y", to: "2") == 2)
    #expect(!isLogged.isSet)
    gate.open()
    let receipt = try await forgetting.value
    #expect(receipt.sealedDocumentCount == 21 && receipt.editCount == 1)
    #expect(receipt.removed.journals == [1])
    #expect(!system.rawBytes.contains { !$0.ranges(of: Array("nEEdle".utf8)).isEmpty })
    #expect(try await late.value == 1)
    try await harness.check("1", text: "yx")
    try await harness.check("gone", text: "z")
    try await harness.end()
    #expect(harness.failures.errors == [])
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// A document whose neighbour cannot be sealed is not forgotten, and the request is answered.
  @Test func aForgettingEndsWhenASealFails() async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await IngestHarness(on: faulty) { $0.backOffSeconds = 600 }
    for name in ["gone", "other"] { _ = try await harness.append("x", to: name) }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["create"])
    plan.pathEnd = "documents/00000000000000000002.tmp"
    faulty.setPlan(plan)
    let error = await #expect(throws: ProtocolError.self) {
      try await harness.ingest.forget(document("gone"))
    }
    #expect(error?.code == .noSpace)
    faulty.setPlan(FaultyFileSystem.Plan())
    try await harness.check("gone", text: "x")
    #expect(try await harness.append("y", to: "gone") == 2)
    #expect(try await harness.ingest.forget(document("gone")).editCount == 2)
    try await harness.end()
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// If seals are too slow, requests wait, and are taken later.
  @Test func requestsWaitForSealingThatLags() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) { $0.sealAfter = 2 }
    gate.close()
    let appended = Counter()
    let all = Task {
      for count in 1...100 {
        let sequence = try await harness.append("x")
        #expect(sequence == UInt64(count))
        appended.set(count)
      }
    }
    try await until { await harness.ingest.look { $0.upkeep.isBehind } }
    // Two are with the job, and sixteen times two wait for the next.
    #expect(appended.value <= 36)
    gate.open()
    try await all.value
    try await harness.check(text: String(repeating: "x", count: 100))
    try await harness.end()
    #expect(harness.failures.errors == [])
  }

  /// Jobs end while requests keep coming: here each reply submits the next request.
  @Test func jobsEndUnderSteadyLoad() async throws {
    let system = SimulatedFileSystem()
    let harness = try await IngestHarness(on: system) { $0.sealAfter = 4 }
    let (stop, appended) = (Counter(), Counter())
    let submitter = Submitter(harness.ingest) { sequence in
      appended.set(Int(sequence))
      return stop.value == 0
    }
    submitter.submit()
    try await until {
      let store = try? Store.open(at: "/store", fileSystem: system)
      let documents = (try? store?.documents()) ?? []
      return (documents.first?.sealedSize ?? 0) > 0
    }
    stop.set(1)
    try await harness.end()
    try await until { submitter.hasEnded }
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.history(of: document("a"))?.lastSequence == UInt64(appended.value))
    #expect(harness.failures.errors == [])
  }

  /// Submits a request after each reply, until `mayContinue` returns false.
  private final class Submitter: Sendable {
    private let ingest: Ingest
    private let mayContinue: @Sendable (SequenceNumber) -> Bool
    private let end = Mutex(false)
    var hasEnded: Bool { end.withLock { $0 } }

    init(_ ingest: Ingest, _ mayContinue: @escaping @Sendable (SequenceNumber) -> Bool) {
      (self.ingest, self.mayContinue) = (ingest, mayContinue)
    }

    func submit() {
      let request = AppendRequest(document: document("a"), edits: [put("x")])
      ingest.submit(
        .append(request) { [self] result in
          if case .success(let result) = result, mayContinue(result.sequence) { return submit() }
          end.withLock { $0 = true }
        })
    }
  }

  /// A stop waits for the job under way, and for what came meanwhile.
  @Test func aStopWaitsForTheJob() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) { $0.sealAfter = 4 }
    gate.close()
    for _ in 1...6 { _ = try await harness.append("x") }
    try await until { gate.arrivals > 0 }
    let end = Task { try await harness.end() }
    try await until { await harness.ingest.look { $0.phase != .running } }
    #expect(await refusal { try await harness.append("y") }?.code == .overloaded)
    gate.open()
    try await end.value
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.documents().first?.unsealedSize == 0)
    // The store is unlocked.
    _ = try StoreWriter(at: "/store", fileSystem: system)
  }

  /// If a job finds no space, no job starts for a while. Edits are still taken.
  @Test func aFullDiskMakesJobsBackOff() async throws {
    let system = SimulatedFileSystem()
    let attempts = Mutex(0)
    let faulty = FaultyFileSystem(system) { operation in
      guard operation.name == "create", operation.path.contains("/documents/") else { return }
      attempts.withLock { $0 += 1 }
    }
    let harness = try await IngestHarness(on: faulty) {
      ($0.sealAfter, $0.backOffSeconds, $0.idleMilliseconds) = (4, 3_600, 1)
    }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["create"])
    faulty.setPlan(plan)
    for count in 1...4 { #expect(try await harness.append("x") == UInt64(count)) }
    try await until { attempts.withLock { $0 } == 1 }
    for count in 5...60 { #expect(try await harness.append("x") == UInt64(count)) }
    #expect(attempts.withLock { $0 } == 1)
    faulty.setPlan(FaultyFileSystem.Plan())
    try await harness.end()
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.documents().first?.unsealedSize == 0)
  }

  /// An old file that cannot be read any more ends nothing but the work on it.
  @Test(arguments: [1, 1_000_000])
  func anUnreadableFileEndsNothing(sealAfter: Int) async throws {
    let system = SimulatedFileSystem()
    let first = try await IngestHarness(on: system)
    _ = try await first.append("x")
    try await first.end()
    let faulty = FaultyFileSystem(system)
    let harness = try await IngestHarness(on: faulty) {
      ($0.idleMilliseconds, $0.sealAfter) = (1, sealAfter)
    }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, EIO, ["read"])
    faulty.setPlan(plan)
    _ = try await harness.append("x", to: "b")
    try await until { !harness.log.complaints.isEmpty }
    _ = try await harness.append("x", to: "b")
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(try await harness.append("x") == 2)
    try await harness.end()
    #expect(harness.failures.errors == [])
  }

  /// At rest, what was sealed is compacted, once; its history is the same.
  @Test func restingDocumentsAreCompacted() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system)) {
      ($0.sealAfter, $0.idleMilliseconds) = (1_000, 1)
    }
    var random = SplitMix64(seed: 5)
    var text = ""
    for _ in 0..<3 {
      let piece = String(
        (0..<30_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random)))
        })
      _ = try await harness.append(piece)
      text = piece + text
    }
    try await harness.end()
    let path = "/store/documents/00000000000000000001/00000000000000000001.segment"
    let before = try #require(system[path])
    // The next run finds it uncompacted, and has nothing else to do.
    let again = try await IngestHarness(on: gate.disk(on: system)) { $0.idleMilliseconds = 1 }
    _ = try await again.append("x", to: "b")
    try await until { system[path] != before }
    let compacted = try #require(system[path])
    try await again.check(text: text)
    try await until { await again.ingest.look { !$0.upkeep.isBusy } }
    _ = try await again.append("x", to: "b")
    try await again.end()
    #expect(system[path] == compacted)
    #expect(again.failures.errors == [])
    #expect(again.log.complaints == [])
  }

  /// At rest, the states of projections are stored. The next run uses them once it has compared them.
  @Test func projectionsAreStoredAtRest() async throws {
    let system = SimulatedFileSystem()
    let harness = try await IngestHarness(on: system) {
      ($0.sealAfter, $0.idleMilliseconds) = (5_000, 1)
    }
    let edits = (0..<5_000).map { put($0 % 50 == 0 ? "\n" : "x") }
    // In one request: what comes later may be sealed later.
    _ = try await harness.append(edits)
    let path = "/store/documents/00000000000000000001/00000000000000005000.projections"
    try await until { system[path] != nil }
    try await harness.end()

    let again = try await IngestHarness(on: system) { $0.idleMilliseconds = 1 }
    let before = try await again.history().checkpoint(atOrBefore: .max, of: .projections)
    #expect(before == nil)
    _ = try await again.append("x", to: "b")
    try await until { await again.ingest.look { $0.writer.checkedCount } == 2 }
    let after = try await again.history().checkpoint(atOrBefore: .max, of: .projections)
    #expect(after?.sequence == 5_000)
    try await again.end()
    #expect(again.failures.errors == [])
    #expect(again.log.complaints == [])
  }
}

extension Ingest {
  /// What `body` sees between batches.
  func look<Value: Sendable>(_ body: @Sendable (isolated Ingest) -> Value) -> Value {
    body(self)
  }
}
