import EditLog
import EditModel
import Synchronization
import TestSupport

/// Copies on a simulated disk, and a writer that works between the operations of the runs at random
/// moments. A seed determines the whole case.
final class InterleavedCopies: Sendable {
  private let system = SimulatedFileSystem()
  private let workload: Workload
  private let doomed = DoomedDocuments()
  private let seed: UInt64
  private let writer: Mutex<WriterBox?>
  private let schedule: Mutex<Schedule>
  private let failures = Mutex<[String]>([])
  /// A moment of the present run at which the machine may have stopped.
  private let stop = Mutex<Stop?>(nil)

  private struct Stop {
    var snapshot: SimulatedFileSystem.Snapshot
    var acknowledged: [DocumentID: Int]
  }

  /// The random schedule of the writer.
  private struct Schedule {
    private var random: SplitMix64
    /// The mean number of the run's operations between two turns of the writer.
    private let interval: UInt64
    /// The most steps of the workload in one turn.
    private let stepCountMax: UInt64
    /// Turns left in a run. The store stops growing after them, so the run ends.
    private var turnsLeft = 0

    struct Turn {
      var stepCount: Int
      var isKilled: Bool
      var sealsAll: Bool
      /// A number by which a doomed document is made or forgotten; nil for neither.
      var doom: UInt64?
    }

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      interval = 8 << (random.next() % 5)
      stepCountMax = 2 << (random.next() % 4)
    }

    mutating func begin() { turnsLeft = 30 }
    mutating func number() -> UInt64 { random.next() }

    /// The turn before the next operation of the run; nil if there is none.
    mutating func next() -> Turn? {
      guard turnsLeft > 0, random.next() % interval == 0 else { return nil }
      turnsLeft -= 1
      return Turn(
        stepCount: 1 + Int(random.next() % stepCountMax), isKilled: random.next() % 8 == 0,
        sealsAll: random.next() % 6 == 0, doom: random.next() % 4 == 0 ? random.next() : nil)
    }

    /// True for one operation in many: the machine may stop there.
    mutating func stops() -> Bool { random.next() % 97 == 0 }
  }

  init(seed: UInt64) throws {
    self.seed = seed
    workload = Workload(seed: seed)
    writer = Mutex(WriterBox(try openWriter(system, seed: seed)))
    schedule = Mutex(Schedule(seed: seed))
  }

  func run(_ worker: Worker) {
    var counts: [DocumentID: Int]?
    for _ in 0..<4 {
      worker.check { counts = try self.copy(after: counts) }
    }
    for failure in failures.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  private func backup(_ system: any FileSystem) -> StoreBackup {
    StoreBackup(of: "/store", to: "/backup", fileSystem: system, clock: FixedClock())
  }

  /// Makes a copy. `former` are the numbers of entries in the one before. Returns those of this one.
  private func copy(after former: [DocumentID: Int]?) throws -> [DocumentID: Int] {
    schedule.withLock { $0.begin() }
    stop.withLock { $0 = nil }
    let check = CopyCheck(workload, doomed)
    _ = try backup(FaultyFileSystem(system) { self.take(turnBefore: $0) }).run()
    let copy = try Store.open(at: "/backup", fileSystem: system)
    try check.check(copy)
    // Journals of the moment may still have what was being forgotten meanwhile.
    let files = system.files.filter { $0.key.hasPrefix("/backup/") }
    try DoomedDocuments.search(files, for: check.forgotten)
    if let stop = stop.withLock({ $0 }) { try checkStop(stop, check, former) }
    return try check.checkEntries(copy, has: former ?? [:])
  }

  private func take(turnBefore operation: FaultyFileSystem.Operation) {
    schedule.withLock { schedule in
      guard Workload.changes.contains(operation.name), schedule.stops() else { return }
      let now = Stop(snapshot: system.snapshot, acknowledged: workload.oracle.acknowledged)
      stop.withLock { $0 = now }
    }
    guard let turn = schedule.withLock({ $0.next() }) else { return }
    do {
      try writer.withLock { writer in
        if turn.isKilled {
          workload.dropJobs()
          writer = nil
          writer = WriterBox(try openWriter(system, seed: seed))
        }
        guard let writer = writer?.writer else { return }
        for _ in 0..<turn.stepCount { try workload.step(writer) }
        if turn.sealsAll || turn.doom != nil { try workload.finishJobs(writer) }
        if let doom = turn.doom { try doomed.step(writer, doom) }
        if turn.sealsAll { try writer.sealAll() }
      }
    } catch { failures.withLock { $0.append("\(error)") } }
  }

  /// The machine stopped during the run: the folder has what the run before copied, and another run
  /// completes it.
  private func checkStop(
    _ stop: Stop, _ check: CopyCheck, _ former: [DocumentID: Int]?
  ) throws {
    let loss = schedule.withLock { $0.number() }
    let system = SimulatedFileSystem.crash(stop.snapshot, .some(seed: loss))
    do {
      let copy = try Store.open(at: "/backup", fileSystem: system)
      guard copy.damages.isEmpty else {
        throw StateCheck.Failure(
          what: "a stop damaged a copy", detail: "\(copy.damages), loss \(loss)")
      }
      try check.checkEntries(copy, has: former ?? check.acknowledged)
    } catch let error as LogError {
      // A first run that was not completed.
      guard former == nil else { throw error }
    }
    _ = try backup(system).run()
    let copy = try Store.open(at: "/backup", fileSystem: system)
    try CopyCheck.checkSound(copy)
    try check.checkEntries(copy, has: stop.acknowledged)
  }
}
