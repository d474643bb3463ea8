import EditLog
import EditModel
import Glibc
import TestSupport

/// One simulation: clients, a server, a clock and a disk, all by one seed.
final class Simulation {
  private(set) var trace = TraceHash()
  private(set) var crashCount = 0
  /// How often what happened.
  private(set) var counts: [String: Int] = [:]

  private var random: SplitMix64
  private var clock = SimulatedClock()
  private var disk = SimulatedFileSystem()
  private var server: SimulatedServer?
  private var clients: [SimulatedClient]
  private let documents = [name("a"), name("b")]
  private var model = SimulatedModel()
  /// Older disks, with what the clients knew then.
  private var copies: [(snapshot: SimulatedFileSystem.Snapshot, lasts: [DocumentID: UInt64])] = []
  private var isLost = false

  /// Told of what happens: steps, and operations of the disk.
  private let tell: (@Sendable (String) -> Void)?

  init(seed: UInt64, tell: (@Sendable (String) -> Void)? = nil) {
    self.tell = tell
    random = SplitMix64(seed: seed)
    clients = ["c1", "c2", "c3"].compactMap { SessionID($0).map(SimulatedClient.init) }
  }

  private func below(_ bound: UInt64) -> UInt64 { random.next() % bound }

  private func note(_ what: String, _ value: UInt64 = 0) {
    counts[what, default: 0] += 1
    tell?("\(what) \(value)")
    trace.add(what)
    trace.add(value)
  }

  /// - Throws: `StateCheck.Failure`; what the store refuses to open with.
  func run() throws {
    for _ in 0..<160 where !isLost { try step() }
    guard !isLost else { return }
    try restart(losing: .none)
    try model.checkOnce(clients, server?.writer)
    try model.checkHeads(clients, server?.writer, onlyLast: false)
    try checkRollbacks()
  }

  // MARK: Steps

  private func step() throws {
    if server == nil { try restart(losing: .none) }
    guard let server else { return }
    switch below(32) {
    case 0..<18: try request(server)
    case 18: try attempt { try server.writer.seal(documents[Int(below(2))]) }
    case 19: try attempt { try server.writer.sealAll() }
    case 20: try attempt { try server.writer.confirm() }
    case 21: try checkpoint(server)
    case 22: clock.jump(&random)
    case 23: try lateCopy(server)
    case 24, 25: planFailure(server)
    case 26: copies.append((disk.snapshot, try model.lasts(server.writer)))
    case 27: try endProcess(server)
    case 28 where below(8) == 0: try misbehave()
    default: try crash()
    }
  }

  private func request(_ server: SimulatedServer) throws {
    let index = Int(below(UInt64(clients.count)))
    let request = clients[index].send(documents, &random)
    guard let ack = try handle(request, server) else { return }
    // A lost acknowledgement, or one so late that the client has sent again.
    if below(6) == 0 { return note("lost acks") }
    clients[index].receive(ack)
  }

  private func handle(
    _ request: SimulatedClient.Request, _ server: SimulatedServer
  ) throws -> SimulatedClient.Ack? {
    var ack: SimulatedClient.Ack?
    try attempt {
      guard let entries = try server.entries(for: request, at: clock.now()) else {
        note("resends")
        ack = server.answer(request)
        return
      }
      model.submit(entries, to: request.document)
      do { ack = try server.append(entries, of: request) } catch let error as LogError {
        if case .noSpace = error { model.withdraw(entries.count, from: request.document) }
        throw error
      }
      model.acknowledge(request.document)
      note("requests", ack?.sequence ?? 0)
    }
    return ack
  }

  /// A copy of a request that was acknowledged long ago arrives.
  private func lateCopy(_ server: SimulatedServer) throws {
    let sent = clients[Int(below(UInt64(clients.count)))].acknowledged
    guard !sent.isEmpty else { return }
    note("late copies")
    _ = try handle(sent[Int(below(UInt64(sent.count)))].request, server)
  }

  private func checkpoint(_ server: SimulatedServer) throws {
    try attempt {
      let document = documents[Int(below(2))]
      guard let last = try server.writer.lastSequence(of: document), last > 0 else { return }
      try server.writer.writeCheckpoint(document, at: last, Array("state \(last)".utf8))
    }
  }

  /// Runs what may fail by plan. No room is refused and gone on with; after anything else the
  /// process ends.
  private func attempt(_ body: () throws -> Void) throws {
    do { try body() } catch let error as LogError {
      trace.add("\(error)")
      tell?("\(error)")
      switch error {
      case .noSpace: note("refusals for room")
      case .poisoned, .io:
        note("failed operations")
        server = nil
      default:
        throw StateCheck.Failure(what: "an error that is not of the fault", detail: "\(error)")
      }
    }
  }

  // MARK: Faults

  private func planFailure(_ server: SimulatedServer) {
    var plan = FaultyFileSystem.Plan()
    plan.first = server.disk.operationCount + 1 + Int(below(30))
    plan.forEver = below(3) == 0
    plan.code = [EIO, ENOSPC, EDQUOT][Int(below(3))]
    plan.failedSyncsLoseBytes = true
    plan.failuresAreDone = below(4) == 0
    plan.failuresAreShortWrites = below(5) == 0
    server.disk.setPlan(plan)
    note("planned failures", UInt64(plan.first))
  }

  private func endProcess(_ server: SimulatedServer) throws {
    if below(2) == 0 { try attempt { try server.writer.close() } }
    note("process ends")
    self.server = nil
    try restart(losing: .none)
  }

  private func crash() throws {
    crashCount += 1
    let pending = disk.snapshot.pending
    let losses = CrashLosses.all(of: pending, seed: below(1 << 40))
    note("crashes", UInt64(pending.count))
    try restart(losing: .each(losses[Int(below(UInt64(losses.count)))]))
  }

  private func restart(losing loss: SimulatedFileSystem.Loss) throws {
    server = nil
    // A process that ends releases its locks; the machine keeps what it has in memory.
    disk =
      loss == .none
      ? SimulatedFileSystem(disk.snapshot) : SimulatedFileSystem.crash(disk.snapshot, loss)
    // One opening in six is stopped on its way, and the machine with it.
    while below(6) == 0 {
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (1 + Int(below(40)), true)
      _ = try? SimulatedServer(FaultyFileSystem(disk, plan), seed: below(1 << 40))
      crashCount += 1
      note("crashes in recovery")
      disk = SimulatedFileSystem.crash(disk.snapshot, .some(seed: below(1 << 40)))
    }
    let watch = tell.map { tell in
      { @Sendable (operation: FaultyFileSystem.Operation) in
        tell("  \(operation.number) \(operation.name) \(operation.path)")
      }
    }
    let opened = try SimulatedServer(
      FaultyFileSystem(disk, watch: watch), seed: below(1 << 40))
    server = opened
    guard opened.writer.recovery.isSound else {
      throw StateCheck.Failure(what: "recovery is not sound", detail: "\(opened.writer.recovery)")
    }
    let found = try model.settle(opened.writer, documents)
    trace.add(UInt64(found))
    if below(8) == 0 { try model.checkHeads(clients, opened.writer, onlyLast: true) }
  }

  /// The disk gives bytes that are not the ones last written there. What is then missing is
  /// told, or shown by the clients' heads; nothing is wrong. The simulation ends with it.
  private func misbehave() throws {
    server = nil
    isLost = true
    disk = SimulatedFileSystem(disk.snapshot)
    guard let kind = DiskLie.tell(disk, older: copies.last?.snapshot, &random) else { return }
    note(kind)
    let opened: SimulatedServer
    do { opened = try SimulatedServer(FaultyFileSystem(disk), seed: 1) } catch {
      guard case .damaged = error else { throw error }
      return note("lies refused")
    }
    try model.checkTold(clients, opened.writer, documents)
  }

  private func checkRollbacks() throws {
    for copy in copies {
      let system = SimulatedFileSystem(copy.snapshot)
      guard let store = try? Store.open(at: "/store", fileSystem: system) else { continue }
      try model.checkRollback(clients, store, copy.lasts)
      note("rollbacks")
    }
  }
}
