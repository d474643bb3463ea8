import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import EditorSync
import Glibc
import NIOPosix
import Replay
import Synchronization
import TestSupport
import Testing
import TextState

@testable import EditIngest

/// Long work on one document while other requests are answered.
@Suite(.timeLimit(.minutes(10))) struct LongWorkTests {
  private let long = String(repeating: "long ", count: 40)

  private func harness(
    on disk: any FileSystem, _ change: (inout IngestOptions) -> Void = { _ in }
  ) async throws -> IngestHarness {
    try await IngestHarness(on: disk) { options in
      (options.longLength, options.longReadSize) = (100, 200)
      change(&options)
    }
  }

  /// Submits an append; the task's value is its result.
  private func submit(
    _ text: String, to name: String, _ harness: IngestHarness, from source: Int,
    ticket: RequestTicket? = nil
  ) -> Task<Result<AppendResult, ProtocolError>, Never> {
    let request = AppendRequest(document: document(name), ticket: ticket, edits: [put(text)])
    let (stream, continuation) = AsyncStream<Result<AppendResult, ProtocolError>>.limited()
    harness.ingest.submit(.append(request) { continuation.yield($0) }, from: source)
    return Task {
      for await result in stream { return result }
      return .failure(Ingest.stopping)
    }
  }

  /// While a large edit is written, appends to other documents are acknowledged. Requests for its
  /// document wait, and so do later requests of its client.
  @Test func aLargeEditDoesNotDelayOtherDocuments() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await harness(on: gate.disk(on: system))
    #expect(try await harness.append("x") == 1)
    gate.close()
    let large = submit(long, to: "a", harness, from: 1)
    let later = submit("same client", to: "c", harness, from: 1)
    let waiting = submit("y", to: "a", harness, from: 2)
    try await until { gate.arrivals > 0 }
    for count in 1...20 { #expect(try await harness.append("x", to: "b") == UInt64(count)) }
    let writes = gate.arrivals
    #expect(await harness.ingest.look { $0.upkeep.isBusy })
    let before = try await harness.ingest.reading { (ingest) throws(LogError) in
      (
        try ingest.writer.history(of: document("a"))?.lastSequence,
        try ingest.writer.history(of: document("c"))?.lastSequence
      )
    }
    #expect(before.0 == 1 && before.1 == nil)
    #expect(gate.arrivals == writes)
    gate.open()
    #expect(try await large.value.get().sequence == 2)
    #expect(try await waiting.value.get().sequence == 3)
    #expect(try await later.value.get().sequence == 1)
    try await harness.check(text: "y" + long + "x")
    try await harness.end()
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.isEmpty)
    let history = try #require(try store.history(of: document("a")))
    #expect(try await waiting.value.get().head == history.head.description)
  }

  /// D5: while a large document is read from its files, appends to others are acknowledged.
  @Test func readingALargeDocumentDoesNotDelayOthers() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate(for: "read"))
    let first = try await harness(on: system)
    _ = try await first.append(long)
    try await first.end()
    let harness = try await harness(on: gate.disk(on: system)) {
      ($0.idleMilliseconds, $0.jobPauseMilliseconds) = (600_000, 600_000)
    }
    gate.close()
    let edit = submit("x", to: "a", harness, from: 1)
    try await until { gate.arrivals > 0 }
    for count in 1...20 { #expect(try await harness.append("x", to: "b") == UInt64(count)) }
    #expect(await harness.ingest.look { $0.upkeep.isBusy })
    gate.open()
    #expect(try await edit.value.get().sequence == 2)
    try await harness.check(text: "x" + long)
    try await harness.end()
  }

  /// An acknowledged large edit is in a segment and in no journal, also if it makes the document.
  @Test func aLargeEditIsDurableWhenItIsAcknowledged() async throws {
    let system = SimulatedFileSystem()
    let harness = try await harness(on: system)
    _ = try await harness.append("x")
    for name in ["a", "new"] {
      let result = try await submit(long, to: name, harness, from: 1).value.get()
      let crashed = SimulatedFileSystem.crash(system.snapshot, .all)
      let store = try Store.open(at: "/store", fileSystem: crashed)
      #expect(try store.history(of: document(name))?.lastSequence == result.sequence)
      #expect(try store.documents().contains { $0.unsealedSize > 0 } == false)
      let again = try StoreWriter(at: "/store", fileSystem: crashed)
      #expect(again.losses.isEmpty && again.recovery.isSound)
      #expect(try again.lastSequence(of: document(name)) == result.sequence)
    }
    try await harness.end()
  }

  @Test func aFullDiskRefusesALargeEditAlone() async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await harness(on: faulty)
    _ = try await harness.append("x")
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["create"])
    faulty.setPlan(plan)
    for name in ["a", "new"] {
      guard case .failure(let error) = await submit(long, to: name, harness, from: 1).value else {
        Issue.record("it was acknowledged")
        continue
      }
      #expect(error.code == .noSpace)
    }
    #expect(try await harness.append("y") == 2)
    try await harness.check(text: "yx")
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(try await submit(long, to: "a", harness, from: 1).value.get().sequence == 3)
    #expect(try await submit(long, to: "new", harness, from: 1).value.get().sequence == 1)
    try await harness.end()
    #expect(harness.failures.errors == [])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.isEmpty)
  }

  /// A stop finishes the long work under way, and resumes the callers that wait for its end.
  @Test func aStopAndAForgettingWait() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await harness(on: gate.disk(on: system))
    _ = try await harness.append("x", to: "b")
    gate.close()
    let large = submit(long, to: "a", harness, from: 1)
    try await until { gate.arrivals > 0 }
    let forgetting = Task { try await harness.ingest.forget(document("b")) }
    try await until { await harness.ingest.look { $0.upkeep.isAwaited } }
    let next = submit(long, to: "c", harness, from: 2)
    gate.open()
    _ = try await forgetting.value
    #expect(try await large.value.get().sequence == 1)
    #expect(try await next.value.get().sequence == 1)
    gate.close()
    let last = submit(long, to: "d", harness, from: 3)
    try await until { await harness.ingest.look { $0.upkeep.isBusy } }
    let end = Task { try await harness.end() }
    try await until { await harness.ingest.look { $0.phase != .running } }
    gate.open()
    #expect(try await last.value.get().sequence == 1)
    try await end.value
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try Set(store.documentNumbers().keys.map(\.name)) == ["a", "c", "d"])
    #expect(try store.verify().problems.isEmpty)
  }

  /// A writer's failure answers the requests that wait for a job.
  @Test func aFailureEndsWhatWaits() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let faulty = FaultyFileSystem(system)
    let harness = try await harness(on: gate.disk(on: faulty))
    gate.close()
    let first = submit(long, to: "a", harness, from: 1)
    try await until { gate.arrivals > 0 }
    let second = submit(long, to: "b", harness, from: 2)
    try await until {
      await harness.ingest.look { $0.upkeep.longWork.staged.count == 2 }
    }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, EIO, ["sync"])
    faulty.setPlan(plan)
    _ = await submit("x", to: "c", harness, from: 3).value
    guard case .failure = await second.value else {
      Issue.record("it was acknowledged")
      return
    }
    gate.open()
    guard case .failure = await first.value else {
      Issue.record("it was acknowledged")
      return
    }
    try await harness.end()
    #expect(harness.failures.errors.count == 1)
  }

  /// A stop answers everything that was sent before it.
  @Test func aStopTakesWhatIsHeld() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await harness(on: gate.disk(on: system))
    gate.close()
    var sent: [Task<Result<AppendResult, ProtocolError>, Never>] = []
    for round in 0..<4 {
      for source in 1...6 {
        sent.append(submit(long, to: "\((source + round) % 5)", harness, from: source))
        sent.append(submit("x", to: "\(source)", harness, from: source))
      }
    }
    try await until { gate.arrivals > 0 }
    let end = Task { try await harness.end() }
    try await until { await harness.ingest.look { $0.phase != .running } }
    gate.open()
    for task in sent { _ = try await task.value.get() }
    try await end.value
  }

  /// A run that has many documents open connects again: they are read one at a time, and no request
  /// waits for all of them.
  @Test func manyOpenDocumentsAreReadOneByOne() async throws {
    let system = SimulatedFileSystem()
    let names = (0..<300).map { "file:///none/\($0)" }
    let first = try await harness(on: system)
    for name in names { _ = try await first.append(long, to: name) }
    try await first.end()
    let again = try await harness(on: system) { $0.longReadSize = 0 }
    let client = LSPClient(InitializeParams())
    try await tell(.initialize(client, open: names.map { ReopenedDocument(document($0)) }), again)
    try await tell(.didClose(TextDocumentParams(uri: document(names[0]))), again)
    #expect(await again.ingest.look { $0.desk[.connection(1)]?.documents.count } == 299)
    try await again.end()
  }

  /// Long work is estimated from the decompressed bytes of a document, and from the attribute runs
  /// that an edit changes or sets.
  @Test func workIsMeasuredByWhatItTakes() async throws {
    let system = SimulatedFileSystem()
    let first = try await harness(on: system)
    _ = try await first.append(String(repeating: "a", count: 5_000), to: "a")
    try await first.end()
    let again = try await harness(on: system)
    let size = try await again.ingest.reading { (ingest) throws(LogError) in
      let history = try ingest.writer.history(of: document("a"))
      return (try history?.summary().sealedSize ?? 0, history?.decodedSize ?? 0)
    }
    #expect(size.0 < size.1 && size.1 > 5_000)
    try await again.end()
    func cost(runs: Int, over length: Int, in runCount: Int) throws -> Int {
      let run = AttributeRun(length: length / runs, attributes: AttributeSet())
      let action = try EditAction(
        range: UTF16Range(0..<length), replacement: nil,
        attributes: .merge(Array(repeating: run, count: runs)))
      let edits = [AppendEdit(action: action), AppendEdit(action: action)]
      return AppendRequest(document: document("a"), edits: edits)
        .cost(runCount: runCount, length: 1 << 20)
    }
    #expect(try cost(runs: 1, over: 2_000, in: 1_000) > 2_000 * WorkCost.run)
    #expect(try cost(runs: 1_000, over: 2_000, in: 1) > 2_000 * WorkCost.run)
    #expect(try cost(runs: 1, over: 3, in: 1_000) < 20 * WorkCost.run)
    // The text of a save is hashed.
    let saved = AppendRequest(document: document("a"), isSaved: true, edits: [])
    #expect(saved.cost(runCount: 1, length: 1 << 20) == 1 << 20)
  }

  /// A large edit is refused if an earlier edit of its session was refused for lack of room.
  @Test func aSessionKeepsItsOrderOnAFullDisk() async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    _ = try await harness.append("x")
    var plan = FaultyFileSystem.Plan()
    // Only journals reserve room.
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["reserve"])
    faulty.setPlan(plan)
    let tickets = (try ticket(1), try ticket(2))
    let results = await harness.ingest.look { _ in
      (
        submit("y", to: "a", harness, from: 1, ticket: tickets.0),
        submit(long, to: "a", harness, from: 1, ticket: tickets.1)
      )
    }
    for result in [await results.0.value, await results.1.value] {
      guard case .failure = result else {
        Issue.record("it was acknowledged")
        continue
      }
    }
    faulty.setPlan(FaultyFileSystem.Plan())
    try await harness.check(text: "x")
    try await harness.end()
  }

  /// A document whose end may be lost stays doubtful if the request that names its version fails.
  @Test(arguments: [false, true]) func aFailedRequestEndsNoDoubt(isLong: Bool) async throws {
    let system = SimulatedFileSystem()
    let first = try await harness(on: system)
    _ = try await first.append("x")
    try await first.end()
    let second = try await harness(on: system)
    _ = try await second.append("y", to: "b")
    try await until { await second.ingest.look { !$0.writer.hasUnmarkedBatches } }
    let left = SimulatedFileSystem(system.snapshot)
    try await second.end()
    for path in left.filePaths where path.hasSuffix(".journal") { left[path] = nil }
    let faulty = FaultyFileSystem(left)
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    var request = AppendRequest(
      document: document("a"), base: 1, edits: [put(isLong ? long : "z")])
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (1, true, ENOSPC)
    // Only journals reserve room, and only jobs write temporary files of documents.
    (plan.names, plan.pathEnd) = isLong ? (["write"], ".tmp") : (["reserve"], "")
    faulty.setPlan(plan)
    let refusal = await #expect(throws: ProtocolError.self) {
      try await harness.ingest.append(request)
    }
    #expect(refusal?.code == .noSpace)
    faulty.setPlan(FaultyFileSystem.Plan())
    request.base = nil
    let error = await #expect(throws: ProtocolError.self) {
      try await harness.ingest.append(request)
    }
    #expect(error?.code == .damagedLog)
    request.base = 1
    #expect(try await harness.ingest.append(request).sequence == 2)
    request.base = nil
    #expect(try await harness.ingest.append(request).sequence == 3)
    try await harness.end()
  }

  /// Steady large edits do not keep the journals from being sealed.
  @Test func sealingTakesTurnsWithLargeEdits() async throws {
    let gate = Gate()
    let named = Mutex<[String]>([])
    let disk = FaultyFileSystem(gate.disk(on: SimulatedFileSystem())) { operation in
      if operation.name == "rename" { named.withLock { $0.append(operation.path) } }
    }
    let harness = try await harness(on: disk) {
      ($0.sealAfter, $0.idleMilliseconds, $0.jobPauseMilliseconds) = (5, 60_000, 60_000)
    }
    _ = try await harness.append("x", to: "b")
    named.withLock { $0 = [] }
    gate.close()
    let large = [1, 2, 3].map { submit(long, to: "\($0)", harness, from: $0) }
    try await until {
      await harness.ingest.look { $0.upkeep.longWork.staged.count == 3 }
    }
    for _ in 0..<5 { _ = try await harness.append("x", to: "b") }
    gate.open()
    for task in large { _ = try await task.value.get() }
    // `b` is document 1; the first large edit was being written before.
    let segments = named.withLock { $0.filter { $0.contains("/documents/") } }
    #expect(segments.dropFirst().first?.contains("00000000000000000001") == true, "\(segments)")
    try await harness.end()
  }

  /// A seal that ends while a large edit of the document is staged keeps the hash chain in memory:
  /// the loop does not read the history to compute it again.
  @Test func aSealDuringLongWorkKeepsTheChain() async throws {
    let gate = Gate()
    let reads = Mutex(0)
    let disk = FaultyFileSystem(gate.disk(on: SimulatedFileSystem())) { operation in
      guard operation.name == "read", operation.path.hasSuffix(".segment"),
        MultiThreadedEventLoopGroup.currentEventLoop != nil
      else { return }
      reads.withLock { $0 += 1 }
    }
    let harness = try await harness(on: disk) {
      ($0.sealAfter, $0.idleMilliseconds, $0.jobPauseMilliseconds) = (5, 60_000, 60_000)
    }
    gate.close()
    for _ in 0..<5 { _ = try await harness.append("x") }
    try await until { gate.arrivals > 0 }
    let request = AppendRequest(document: document("a"), edits: [put(long)])
    // The count is taken at the answer, because the next job may read too.
    let (counts, continuation) = AsyncStream<Int>.limited()
    harness.ingest.submit(
      .append(request) { result in
        #expect(throws: Never.self) { try result.get() }
        continuation.yield(reads.withLock { $0 })
      }, from: 1)
    try await until {
      await harness.ingest.look { !$0.upkeep.longWork.staged.isEmpty }
    }
    reads.withLock { $0 = 0 }
    gate.open()
    // Four reads for the header and footer of each of the two new segments, and none of a block.
    #expect(await counts.first { _ in true } ?? .max <= 8)
    try await harness.end()
  }

  /// A large edit that is sent again while it is written is logged once.
  @Test func aResendWaitsForTheFirst() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await harness(on: gate.disk(on: system))
    gate.close()
    let first = submit(long, to: "a", harness, from: 1, ticket: try ticket(1))
    try await until { gate.arrivals > 0 }
    let again = submit(long, to: "a", harness, from: 2, ticket: try ticket(1))
    gate.open()
    #expect(try await first.value.get().duplicate == false)
    #expect(try await again.value.get().duplicate == true)
    try await harness.check(text: long)
    try await harness.end()
  }

  /// Other documents can be edited while the log is searched for a request that is resent after later
  /// ones of its session.
  @Test func aResendIsSearchedBesideOtherEdits() async throws {
    let system = SimulatedFileSystem()
    let first = try await harness(on: system)
    for counter in 1...20 {
      _ = try await submit("x", to: "a", first, from: 1, ticket: try ticket(UInt64(counter * 2)))
        .value.get()
    }
    try await first.end()
    let gate = Gate(for: "read")
    let harness = try await harness(on: gate.disk(on: system))
    _ = try await submit("x", to: "a", harness, from: 1, ticket: try ticket(42)).value.get()
    gate.close()
    let arrivals = gate.arrivals
    let again = submit("x", to: "a", harness, from: 1, ticket: try ticket(6))
    let never = submit("x", to: "a", harness, from: 2, ticket: try ticket(7))
    let next = submit("y", to: "a", harness, from: 3, ticket: try ticket(44))
    try await until { gate.arrivals > arrivals }
    #expect(try await harness.append("x", to: "b") == 1)
    gate.open()
    let result = try await again.value.get()
    #expect(result.duplicate && result.sequence == 3)
    let error = await refusal { try await never.value.get() }
    #expect(error?.code == .sequenceConflict)
    #expect(try await next.value.get().sequence == 22)
    try await harness.check(text: "y" + String(repeating: "x", count: 21))
    try await harness.end()
  }

  /// Other documents can be edited while a document that is saved but not open is identified.
  @Test func anUnopenedDocumentIsIdentifiedBesideOtherEdits() async throws {
    let system = SimulatedFileSystem()
    let first = try await harness(on: system)
    _ = try await first.append(long)
    try await first.end()
    let gate = Gate(for: "read")
    let harness = try await harness(on: gate.disk(on: system))
    let open = [ReopenedDocument(document("a"))]
    try await tell(.initialize(LSPClient(InitializeParams()), open: open), harness)
    await harness.ingest.look { $0.documents[document("a")] = nil }
    gate.close()
    let arrivals = gate.arrivals
    let save = DidSaveParams(uri: document("b"), text: UTF16Text(long))
    let saved = Task { try await result(of: .didSave(save), harness) }
    try await until { gate.arrivals > arrivals }
    #expect(try await harness.append("x", to: "c") == 1)
    gate.open()
    #expect(try await saved.value == nil)
    try await harness.check("b", text: long)
    let kinds = try await harness.ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.history(of: document("b"))?.events().map(\.kind)
    }
    #expect(kinds?.first == .renamed(from: document("a")))
    #expect(kinds?.count == 2, "renamed and saved")
    try await harness.end()
  }

  /// One message renames many files in a few batches. The next requests use the new names.
  @Test func filesAreRenamedTogether() async throws {
    let gate = Gate()
    let harness = try await harness(on: gate.disk(on: SimulatedFileSystem())) {
      ($0.idleMilliseconds, $0.jobPauseMilliseconds) = (60_000, 60_000)
    }
    let count = 300
    for index in 0..<count { _ = try await harness.append("\(index)", to: "\(index)") }
    let syncs = gate.journalSyncs
    let renames = (0..<count).map { rename("\($0)", to: "new \($0)") }
    let results = await harness.ingest.look { _ in
      (
        submit(.didRenameFiles(DidRenameFilesParams(files: renames)), harness),
        submit("x", to: "new 7", harness, from: 1), submit("x", to: "7", harness, from: 1)
      )
    }
    #expect(await results.0.value == nil)
    #expect(try await (results.1.value.get().sequence, results.2.value.get().sequence) == (2, 1))
    // Two batches for the renames, and one for each edit.
    #expect(gate.journalSyncs - syncs <= 4)
    for index in [0, 8, 255, 256, 299] { try await harness.check("new \(index)", text: "\(index)") }
    try await harness.check("new 7", text: "x7")
    try await harness.end()
  }

  /// One message can exchange the names of documents.
  @Test(arguments: [1 << 19, 0]) func namesAreSwapped(longLength: Int) async throws {
    let system = SimulatedFileSystem()
    let harness = try await harness(on: system) { $0.longLength = longLength }
    for name in ["a", "b"] {
      try await tell(.didOpen(DidOpenParams(uri: document(name), text: UTF16Text(name))), harness)
    }
    let renames = [rename("a", to: "c"), rename("b", to: "a"), rename("c", to: "b")]
    try await tell(.didRenameFiles(DidRenameFilesParams(files: renames)), harness)
    try await harness.check("a", text: "b")
    try await harness.check("b", text: "a")
    // The new name belongs to another document, which gets the text.
    try await tell(.didClose(TextDocumentParams(uri: document("b"))), harness)
    try await tell(.didRenameFiles(DidRenameFilesParams(files: [rename("a", to: "b")])), harness)
    try await harness.check("b", text: "b")
    #expect(await harness.ingest.look { $0.desk[.connection(1)]?.documents.count } == 1)
    try await harness.end()
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.isEmpty)
  }

  /// A message is refused if a part of it fails. Later requests of its session are refused until it
  /// is resent.
  @Test func renamesOnAFullDiskAreRefusedTogether() async throws {
    let faulty = FaultyFileSystem(SimulatedFileSystem())
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    for name in ["a", "b"] { _ = try await harness.append(name, to: name) }
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["reserve"])
    faulty.setPlan(plan)
    let renames = DidRenameFilesParams(files: [rename("a", to: "c"), rename("b", to: "d")])
    let tickets = (try ticket(1), try ticket(2))
    let both = await harness.ingest.look { _ in
      (
        submit(.didRenameFiles(renames), harness, ticket: tickets.0),
        submit("x", to: "e", harness, from: 1, ticket: tickets.1)
      )
    }
    #expect(await both.0.value?.code == .noSpace)
    #expect(await refusal { try await both.1.value.get() } != nil)
    faulty.setPlan(FaultyFileSystem.Plan())
    let later = await submit("x", to: "e", harness, from: 2, ticket: try ticket(2)).value
    #expect(throws: ProtocolError.self) { try later.get() }
    #expect(await submit(.didRenameFiles(renames), harness, ticket: try ticket(1)).value == nil)
    _ = try await submit("x", to: "e", harness, from: 2, ticket: try ticket(2)).value.get()
    for (name, text) in [("c", "a"), ("d", "b"), ("e", "x")] {
      try await harness.check(name, text: text)
    }
    // After a failure the editor's open documents keep their names.
    try await tell(.didOpen(DidOpenParams(uri: document("e"), text: "x")), harness)
    faulty.setPlan(plan)
    let failed = submit(
      .didRenameFiles(DidRenameFilesParams(files: [rename("e", to: "f")])), harness)
    #expect(await failed.value?.code == .noSpace)
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(
      await harness.ingest.look { $0.desk[.connection(1)].map { Array($0.documents.keys) } }
        == [document("e")])
    // The message is resent after another document got the old name.
    _ = try await submit("y", to: "a", harness, from: 2, ticket: try ticket(3)).value.get()
    #expect(await submit(.didRenameFiles(renames), harness, ticket: try ticket(1)).value == nil)
    try await harness.check("a", text: "y")
    try await harness.check("c", text: "a")
    try await harness.end()
  }

  /// Many renames in one message are several batches. If one fails, the message completes when it is
  /// resent, and no document is renamed twice.
  @Test(arguments: [false, true]) func manyRenamesComplete(hasFault: Bool) async throws {
    let reservations = EventCounter()
    let faulty = FaultyFileSystem(SimulatedFileSystem()) {
      if $0.name == "reserve" { reservations.add() }
    }
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    let count = 2 * LSPRenames.movesAtOnceMax + 10
    for index in 0..<count { _ = try await harness.append("\(index)", to: "\(index)") }
    let files = (0..<count).map { rename("\($0)", to: "new \($0)") }
    let renames = DidRenameFilesParams(files: files)
    if hasFault {
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["reserve"])
      reservations.act(on: 2) { [plan] in faulty.setPlan(plan) }
      let error = await submit(.didRenameFiles(renames), harness, ticket: try ticket(1)).value
      #expect(error?.code == .noSpace)
      faulty.setPlan(FaultyFileSystem.Plan())
      let renamedCount = await harness.ingest.look { ingest in
        files.count { ingest.writer.knows($0.newURI) }
      }
      #expect(renamedCount == LSPRenames.movesAtOnceMax)
    }
    #expect(await submit(.didRenameFiles(renames), harness, ticket: try ticket(1)).value == nil)
    let events = try await harness.ingest.reading { (ingest) throws(LogError) in
      try files.map { file throws(LogError) in
        try ingest.writer.history(of: file.newURI)?.events().map(\.kind)
      }
    }
    for (file, kinds) in zip(files, events) { #expect(kinds == [.renamed(from: file.oldURI)]) }
    #expect(!(await harness.ingest.look { $0.writer.knows(files[0].oldURI) }))
    try await harness.end()
  }

  /// Resent renames change nothing, with and without a restart in between.
  @Test(arguments: [false, true]) func renamesSentAgainChangeNothing(isRestarted: Bool) async throws
  {
    let system = SimulatedFileSystem()
    var harness = try await harness(on: system)
    for name in ["a", "b", "d"] { _ = try await harness.append(name, to: name) }
    let requests: [[DidRenameFilesParams.Rename]] = [
      [rename("a", to: "c"), rename("b", to: "a"), rename("c", to: "b")], [rename("d", to: "e")],
      [rename("e", to: "f")],
    ]
    func send(_ harness: IngestHarness) async throws {
      for (index, files) in requests.enumerated() {
        let message = LSPMessage.didRenameFiles(DidRenameFilesParams(files: files))
        let number = UInt64(index + 1)
        #expect(await submit(message, harness, ticket: try ticket(number)).value == nil)
      }
      _ = try await submit("new", to: "d", harness, from: 1, ticket: try ticket(4)).value.get()
    }
    try await send(harness)
    if isRestarted {
      try await harness.end()
      harness = try await self.harness(on: system)
    }
    try await send(harness)
    for (name, text) in [("a", "b"), ("b", "a"), ("f", "d"), ("d", "new")] {
      try await harness.check(name, text: text)
    }
    for name in ["c", "e"] { #expect(await harness.ingest.look { !$0.isKnown(document(name)) }) }
    try await harness.end()
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// A chain of renames that is resent does not rename a document that another client has given the
  /// first name since.
  @Test(arguments: [2, 3, 4], [false, true])
  func resentChainsLeaveOtherDocuments(length: Int, isRestarted: Bool) async throws {
    let system = SimulatedFileSystem()
    var harness = try await harness(on: system)
    _ = try await harness.append("mine", to: "0")
    let files = (0..<length).map { rename("\($0)", to: "\($0 + 1)") }
    let message = LSPMessage.didRenameFiles(DidRenameFilesParams(files: files))
    #expect(await submit(message, harness, ticket: try ticket(1)).value == nil)
    if isRestarted {
      try await harness.end()
      harness = try await self.harness(on: system)
    }
    let other = RequestTicket(session: try #require(SessionID("other")), counter: 1)
    _ = try await submit("other", to: "0", harness, from: 2, ticket: other).value.get()
    #expect(await submit(message, harness, ticket: try ticket(1)).value == nil)
    try await harness.check("0", text: "other")
    try await harness.check("\(length)", text: "mine")
    try await harness.end()
  }

  /// Two editors that have a document open both rename it. The text does not change.
  @Test func twoEditorsRenameADocument() async throws {
    let harness = try await harness(on: SimulatedFileSystem())
    func tell(_ message: LSPMessage, from connection: Int) async -> ProtocolError? {
      await submit(message, harness, from: connection).value
    }
    let opened = DidOpenParams(uri: document("a"), text: "text")
    let renamed = LSPMessage.didRenameFiles(DidRenameFilesParams(files: [rename("a", to: "b")]))
    for connection in 1...2 { #expect(await tell(.didOpen(opened), from: connection) == nil) }
    for connection in 1...2 { #expect(await tell(renamed, from: connection) == nil) }
    try await harness.check("b", text: "text")
    #expect(await harness.ingest.look { !$0.isKnown(document("a")) })
    for connection in 1...2 {
      #expect(
        await harness.ingest.look { $0.desk[.connection(connection)].map { $0.documents.count } }
          == 1)
    }
    try await harness.end()
  }

  /// A rename to the name of another document is carried out when it is resent after a failure, and
  /// never before an earlier request of its session.
  @Test func renamesOntoKnownNamesKeepTheirOrder() async throws {
    let faulty = FaultyFileSystem(SimulatedFileSystem())
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    _ = try await harness.append("old", to: "b")
    try await tell(.didOpen(DidOpenParams(uri: document("a"), text: "text")), harness)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["reserve"])
    let start = LSPPosition(line: 0, character: 0)
    let change = LSPMessage.didChange(
      DidChangeParams(
        uri: document("a"), version: 2,
        changes: [.init(range: LSPRange(start: start, end: start), text: "new ")]))
    let renamed = LSPMessage.didRenameFiles(DidRenameFilesParams(files: [rename("a", to: "b")]))
    faulty.setPlan(plan)
    #expect(await submit(change, harness, ticket: try ticket(1)).value?.code == .noSpace)
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(await submit(renamed, harness, ticket: try ticket(2)).value?.code == .overloaded)
    try await harness.check("b", text: "old")
    #expect(await submit(change, harness, ticket: try ticket(1)).value == nil)
    faulty.setPlan(plan)
    #expect(await submit(renamed, harness, ticket: try ticket(2)).value?.code == .noSpace)
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(await submit(renamed, harness, ticket: try ticket(2)).value == nil)
    try await harness.check("b", text: "new text")
    try await harness.end()
  }

  /// A message with too many renames is refused.
  @Test func endlessRenamesAreRefused() async throws {
    let harness = try await harness(on: SimulatedFileSystem())
    for index in 0..<100 {
      try await tell(.didOpen(DidOpenParams(uri: document("d/\(index)"), text: "x")), harness)
    }
    let files = (0..<2_000).map { $0 % 2 == 0 ? rename("d", to: "e") : rename("e", to: "d") }
    let error = try await result(of: .didRenameFiles(DidRenameFilesParams(files: files)), harness)
    #expect(error?.code == .invalidParams)
    let some = DidRenameFilesParams(files: Array(files.prefix(101)))
    try await tell(.didRenameFiles(some), harness)
    let events = try await harness.ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.history(of: document("e/7"))?.events().map(\.kind)
    }
    #expect(events?.last == .renamed(from: document("d/7")))
    #expect(events?.count == 2)
    try await harness.end()
  }

  /// A message that exchanges the names of too many documents is refused, and none is renamed.
  @Test(arguments: [0, 1]) func tooManyExchangesAreRefused(surplus: Int) async throws {
    let harness = try await harness(on: SimulatedFileSystem())
    let count = LSPRenames.exchangeCountMax + surplus
    for index in 0..<count { _ = try await harness.append("\(index)", to: "\(index)") }
    let files =
      [rename("0", to: "free")] + (1..<count).map { rename("\($0)", to: "\($0 - 1)") }
      + [rename("free", to: "\(count - 1)")]
    let error = try await result(of: .didRenameFiles(DidRenameFilesParams(files: files)), harness)
    #expect(error?.code == (surplus > 0 ? .invalidParams : nil))
    try await harness.check("7", text: surplus > 0 ? "7" : "8")
    try await harness.check("\(count - 1)", text: surplus > 0 ? "\(count - 1)" : "0")
    try await harness.end()
  }

  /// Each of many documents takes the name of the next one, beside two that exchange names.
  @Test(arguments: [false, true]) func manyNamesMoveOn(isUp: Bool) async throws {
    let harness = try await harness(on: SimulatedFileSystem())
    let count = 2 * LSPRenames.movesAtOnceMax + 10
    for name in (0..<count).map(String.init) + ["a", "b"] {
      _ = try await harness.append(name, to: name)
    }
    let step = isUp ? 1 : -1
    let order = isUp ? Array((0..<count).reversed()) : Array(0..<count)
    let files =
      [rename("a", to: "c"), rename("b", to: "a")]
      + order.map { rename("\($0)", to: "\($0 + step)") } + [rename("c", to: "b")]
    for _ in 0..<2 {
      // The second time nothing is left to do.
      let message = LSPMessage.didRenameFiles(DidRenameFilesParams(files: files))
      #expect(await submit(message, harness, ticket: try ticket(1)).value == nil)
      for index in [0, 1, 255, 256, 257, count - 1] {
        try await harness.check("\(index + step)", text: "\(index)")
      }
      try await harness.check("a", text: "b")
      try await harness.check("b", text: "a")
      #expect(await harness.ingest.look { !$0.isKnown(document(isUp ? "0" : "\(count - 1)")) })
    }
    try await harness.end()
  }

  /// A client that renames a document again and again does not delay another client's edits of it.
  @Test func renamesTakeTurnsWithEdits() async throws {
    let harness = try await harness(on: SimulatedFileSystem())
    _ = try await harness.append("x")
    let done = Mutex(0)
    let edit = await harness.ingest.look { ingest in
      for index in 0..<400 {
        let files = index % 2 == 0 ? rename("a", to: "b") : rename("b", to: "a")
        ingest.submit(
          .editor(
            .connection(1), .didRenameFiles(DidRenameFilesParams(files: [files])), ticket: nil
          ) { _ in done.withLock { $0 += 1 } }, from: 1)
      }
      let (stream, continuation) = AsyncStream<Int>.limited()
      let request = AppendRequest(document: document("a"), edits: [put("y")])
      ingest.submit(.append(request) { _ in continuation.yield(done.withLock { $0 }) }, from: 2)
      return stream
    }
    #expect(await edit.first { _ in true } ?? .max < 5)
    try await until { done.withLock { $0 } == 400 }
    try await harness.end()
  }

  /// A source that is held because of a request about any document resumes after that request.
  @Test func heldSourcesGoOn() async throws {
    let gate = Gate()
    let harness = try await harness(on: gate.disk(on: SimulatedFileSystem()))
    try await tell(.didOpen(DidOpenParams(uri: document("z"), text: "z")), harness)
    gate.close()
    let large = submit(long, to: "a", harness, from: 2)
    try await until { gate.arrivals > 0 }
    let (saved, save) = AsyncStream<Void>.limited()
    harness.ingest.submit(
      .editor(
        .connection(3), .didSave(DidSaveParams(uri: document("a"), text: "x")), ticket: nil
      ) { _ in save.yield() }, from: 3)
    let ended = submit(.ended, harness)
    try await until { await harness.ingest.look { $0.upkeep.longWork.isHeld } }
    gate.open()
    _ = try await large.value.get()
    #expect(await ended.value == nil)
    var isSaved = false
    for await _ in saved {
      isSaved = true
      break
    }
    #expect(isSaved)
    try await harness.end()
  }

  private func rename(_ old: String, to new: String) -> DidRenameFilesParams.Rename {
    .init(oldURI: document(old), newURI: document(new))
  }

  /// The cost of a message includes the bytes of the file it is compared with.
  @Test func filesOnDiskCount() async throws {
    let folder = TemporaryFolder()
    try DiskFile.replace(
      folder.path("file"), with: Array(repeating: UInt8(ascii: "a"), count: 5_000))
    let harness = try await harness(on: SimulatedFileSystem())
    let id = document("file://" + folder.path("file"))
    try await tell(.didOpen(DidOpenParams(uri: id, text: "a")), harness)
    func cost(_ message: LSPMessage) async -> Int {
      await harness.ingest.look { $0.cost(of: message, from: .connection(1)) }
    }
    #expect(await cost(.didOpen(DidOpenParams(uri: id, text: "a"))) > 5_000)
    #expect(await cost(.didSave(DidSaveParams(uri: id, text: nil))) > 5_000)
    let whole = DidChangeParams(uri: id, changes: [.init(range: nil, text: "b")])
    try await tell(.didClose(TextDocumentParams(uri: id)), harness)
    #expect(await cost(.didChange(whole, as: .opened)) > 5_000)
    try await tell(.didOpen(DidOpenParams(uri: id, text: "a")), harness)
    let change = DidChangeParams.Change(
      range: LSPRange(
        start: LSPPosition(line: 0, character: 0), end: LSPPosition(line: 0, character: 0)),
      text: "a")
    #expect(await cost(.didChange(DidChangeParams(uri: id, version: 1, changes: [change]))) < 500)
    try await harness.end()
  }

  /// A request for a damaged document is refused, and delays no request for another document.
  @Test func aDocumentThatCannotBeReadIsRefused() async throws {
    let system = SimulatedFileSystem()
    let first = try await harness(on: system)
    _ = try await submit(long, to: "a", first, from: 1).value.get()
    _ = try await first.append("x", to: "b")
    try await first.end()
    let path = try #require(
      system.names(at: "/store/documents").first.map { "/store/documents/\($0)" })
    var bytes = try #require(system[path])
    for index in 64..<bytes.count { bytes[index] ^= 0xFF }
    system[path] = bytes
    let again = try await harness(on: system) { $0.longReadSize = 0 }
    for _ in 0..<2 {
      guard case .failure(let error) = await submit("y", to: "a", again, from: 1).value else {
        Issue.record("it was acknowledged")
        continue
      }
      #expect(error.code == .damagedLog)
    }
    #expect(try await again.append("x", to: "b") == 2)
    try await again.end()
  }

  /// The end of an editor's connection closes its open documents, one long document at a time.
  @Test func theEndOfAConnectionClosesLongDocuments() async throws {
    let system = SimulatedFileSystem()
    let harness = try await harness(on: system)
    for name in ["file:///none/a", "file:///none/b"] {
      let opening = DidOpenParams(uri: document(name), text: UTF16Text(long))
      try await tell(.didOpen(opening), harness)
    }
    try await tell(.end, harness)
    for name in ["file:///none/a", "file:///none/b"] {
      let events = try await harness.ingest.reading { (ingest) throws(LogError) in
        try ingest.writer.history(of: document(name))?.events()
      }
      #expect(events?.last?.kind == .closed(unsaved: false))
    }
    #expect(await harness.ingest.look { $0.desk.isEmpty })
    try await harness.end()
  }

  /// On a full disk a long document cannot be closed in the log. The connection still ends.
  @Test func theEndOfAConnectionOnAFullDiskIsTriedOnce() async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await harness(on: faulty) { $0.sizes.journalReserveStep = 1 }
    try await tell(
      .didOpen(DidOpenParams(uri: document("file:///none/a"), text: UTF16Text(long))), harness)
    var plan = FaultyFileSystem.Plan()
    // Only journals reserve room.
    (plan.first, plan.forEver, plan.code, plan.names) = (1, true, ENOSPC, ["reserve"])
    faulty.setPlan(plan)
    let error = try await result(of: .end, harness)
    #expect(error?.code == .noSpace)
    try await until { await harness.ingest.look { !$0.upkeep.isBusy } }
    #expect(await harness.ingest.look { $0.desk.isEmpty })
    faulty.setPlan(FaultyFileSystem.Plan())
    try await harness.end()
  }

  /// Sends an editor's message, which must succeed.
  private func tell(_ message: LSPMessage, _ harness: IngestHarness) async throws {
    if let error = try await result(of: message, harness) { Issue.record(error) }
  }

  /// Sends an editor's message; returns the error it fails with.
  private func result(
    of message: LSPMessage, _ harness: IngestHarness
  ) async throws -> ProtocolError? {
    await submit(message, harness).value
  }

  /// Submits an editor's message; the task's value is the error it fails with.
  private func submit(
    _ message: LSPMessage, _ harness: IngestHarness, from connection: Int = 1,
    ticket: RequestTicket? = nil
  ) -> Task<ProtocolError?, Never> {
    let (stream, continuation) = AsyncStream<ProtocolError?>.limited()
    harness.ingest.submit(
      .editor(.connection(connection), message, ticket: ticket) { result in
        if case .failure(let error) = result {
          continuation.yield(error)
        } else {
          continuation.yield(nil)
        }
      }, from: connection)
    return Task {
      for await error in stream { return error }
      return ProtocolError(.internalError, "there was no answer")
    }
  }

  // MARK: The same as without

  /// Histories and answers are the same whether every edit, comparison and reading is long or none.
  @Test(arguments: UInt64(0)..<12)
  func theHistoriesAreTheSame(seed: UInt64) async throws {
    let plain = try await history(seed: seed) { $0.longLength = .max }
    let long = try await history(seed: seed) { options in
      (options.longLength, options.longReadSize) = (Int(seed % 6), 0)
    }
    for name in plain.entries.keys.sorted() {
      #expect(plain.entries[name] == long.entries[name], "\(name)")
    }
    #expect(plain.entries.keys == long.entries.keys)
    #expect(plain.answers == long.answers)
  }

  private func history(
    seed: UInt64, _ change: (inout IngestOptions) -> Void
  ) async throws -> (entries: [String: [HistoryEntry]], answers: [String: [String]]) {
    let system = SimulatedFileSystem()
    let answers = Mutex<[String: [String]]>([:])
    var script = LongScript(seed: seed)
    for _ in 0..<3 {
      let harness = try await IngestHarness(on: system) { options in
        options.sealAfter = 20
        change(&options)
      }
      let count = 90
      let (stream, continuation) = AsyncStream<Void>.limited()
      for _ in 0..<count {
        let (source, request) = script.next { line in
          answers.withLock { $0["\(line.prefix { $0 != " " })", default: []].append(line) }
          continuation.yield()
        }
        harness.ingest.submit(request, from: source)
      }
      var done = 0
      for await _ in stream {
        done += 1
        if done == count { break }
      }
      #expect(done == count)
      try await harness.end()
      #expect(harness.failures.errors == [])
      script.reopen()
    }
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.isEmpty)
    var all: [String: [HistoryEntry]] = [:]
    for id in try store.documentNumbers().keys {
      try store.history(of: id)?.forEachEntry { all[id.name, default: []].append($0) }
    }
    // A refused request is answered before the batch that it came with is written.
    return (all, answers.withLock { $0.mapValues { $0.sorted() } })
  }
}

/// Counts events, and acts on one of them.
private final class EventCounter: Sendable {
  private let state = Mutex<(left: Int, act: (@Sendable () -> Void)?)>((0, nil))

  func act(on number: Int, _ act: @escaping @Sendable () -> Void) {
    state.withLock { $0 = (number, act) }
  }

  func add() {
    state.withLock { state in
      state.left -= 1
      if state.left == 0 { state.act?() }
    }
  }
}

/// Requests of a few clients and editors, each with documents of its own.
private struct LongScript {
  private var random: SplitMix64
  private var texts: [String: String] = [:]
  private var opened: Set<String> = []
  private var versions: Int64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Connections end with the daemon.
  mutating func reopen() { opened = [] }

  mutating func next(
    _ note: @escaping @Sendable (String) -> Void
  ) -> (source: Int, IngestRequest) {
    let source = Int.random(in: 1...4, using: &random)
    let name = "file:///none/\(source)/\(Int.random(in: 0...1, using: &random))"
    let id = document(name)
    if source <= 2 {
      if Int.random(in: 0..<6, using: &random) == 0 {
        return (
          source,
          .mark(id, label: "m", at: 0, of: nil) { note("\(source) \($0.map { "marked" })") }
        )
      }
      let edits = (0..<Int.random(in: 1...3, using: &random)).map { _ in edit(of: name) }
      return (
        source,
        .append(AppendRequest(document: id, edits: edits)) {
          // Heads hold salts, which are given in the order of writing.
          note("\(source) \($0.map { [$0.first, $0.sequence] })")
        }
      )
    }
    return (
      source,
      .editor(.connection(source), message(name, id), ticket: nil) {
        note("\(source) \($0.map { "read" })")
      }
    )
  }

  private mutating func edit(of name: String) -> AppendEdit {
    let text = texts[name] ?? ""
    let start = Int.random(in: 0...text.count, using: &random)
    let length = Int.random(in: 0...min(4, text.count - start), using: &random)
    let new = piece()
    texts[name] = String(text.prefix(start)) + new + String(text.dropFirst(start + length))
    return put(new, at: start, over: length)
  }

  private mutating func piece() -> String {
    let count = [1, 2, 3, 5, 8, 60].randomElement(using: &random) ?? 1
    return String((0..<count).map { _ in "abc\n".randomElement(using: &random) ?? "x" })
  }

  private mutating func message(_ name: String, _ id: DocumentID) -> LSPMessage {
    versions += 1
    guard opened.contains(name) else {
      opened.insert(name)
      texts[name] = piece()
      return .didOpen(
        DidOpenParams(uri: id, version: versions, text: UTF16Text(texts[name] ?? "")))
    }
    switch Int.random(in: 0..<11, using: &random) {
    case 10:
      let other = "\(name.dropLast())\(Int.random(in: 0...2, using: &random))"
      guard other != name else { return .didRenameFiles(DidRenameFilesParams(files: [])) }
      (texts[other], texts[name]) = (texts[name], nil)
      opened = opened.union([other]).subtracting([name])
      return .didRenameFiles(
        DidRenameFilesParams(files: [.init(oldURI: id, newURI: document(other))]))
    case 9:
      // A save under another name may be a rename.
      let other = String(name.dropLast()) + (name.hasSuffix("0") ? "1" : "0")
      (opened, texts[other]) = (opened.union([other]), texts[name])
      return .didSave(
        DidSaveParams(uri: document(other), text: UTF16Text(texts[name] ?? "")))
    case 0:
      opened.remove(name)
      return .didClose(TextDocumentParams(uri: id))
    case 1: return .didSave(DidSaveParams(uri: id, text: UTF16Text(texts[name] ?? "")))
    case 2:
      texts[name] = piece()
      return .didChange(
        DidChangeParams(
          uri: id, version: versions,
          changes: [.init(range: nil, text: UTF16Text(texts[name] ?? ""))]))
    case 3 where Int.random(in: 0..<4, using: &random) == 0:
      opened = opened.filter { !$0.hasPrefix(name.dropLast(1)) }
      return .end
    default:
      let new = piece()
      texts[name] = new + (texts[name] ?? "")
      let start = LSPPosition(line: 0, character: 0)
      return .didChange(
        DidChangeParams(
          uri: id, version: versions,
          changes: [.init(range: LSPRange(start: start, end: start), text: UTF16Text(new))]))
    }
  }
}
