import EditLog
import EditModel
import Synchronization
import TestSupport

/// One job with one failure in it.
struct SweepRun: CustomStringConvertible {
  let seed: UInt64
  let job: SweepJob
  let fault: SweepFault
  let forEver: Bool
  /// Which operation of the job fails first, from 1 on, and what it is.
  let position: Int
  let operation: FaultyFileSystem.Operation?

  var description: String {
    let what = operation.map { "\($0.name) \($0.path)" } ?? ""
    return "\(job), operation \(position), \(what), \(fault)\(forEver ? " for ever" : "")"
  }

  /// The operations of the job where nothing fails.
  static func operations(
    of job: SweepJob, seed: UInt64
  ) throws -> [FaultyFileSystem.Operation] {
    let run = SweepRun(
      seed: seed, job: job, fault: .short, forEver: false, position: 0, operation: nil)
    let system = try run.prepared()
    let operations = Mutex<[FaultyFileSystem.Operation]>([])
    let faulty = FaultyFileSystem(system.disk) { operation in
      operations.withLock { $0.append(operation) }
    }
    var session = Session(system: faulty, workload: system.workload)
    try run.start(&session, faulty)
    let before = faulty.operationCount
    try run.work(&session)
    return Array(operations.withLock { $0 }[before...])
  }

  /// - Throws: `StateCheck.Failure`; what the store refuses to open with afterwards.
  func run() throws {
    let prepared = try prepared()
    var hasFailed = false
    let faulty = FaultyFileSystem(prepared.disk)
    var session = Session(system: faulty, workload: prepared.workload)
    try start(&session, faulty)
    let first = faulty.operationCount + position
    var plan = fault.plan(first: first, forEver: forEver)
    plan.failuresAreDone = fault == .stopAfter
    faulty.setPlan(plan)
    do {
      try work(&session)
    } catch let error as LogError {
      try check(error)
      hasFailed = true
    }
    if hasFailed, let writer = session.writer, !fault.isStop {
      try resume(after: faulty, writer, session.workload)
    }
    let workload = session.workload
    session.writer = nil
    if fault == .changedBit { try checkSound(prepared.disk) }
    // The process ends; or the machine does, with all, or some, of what was not flushed lost.
    for loss in [.none, .all, .some(seed: seed &+ UInt64(position))]
      as [SimulatedFileSystem.Loss]
    {
      let after = SimulatedFileSystem.crash(prepared.disk.snapshot, loss)
      try StateCheck(expected: .init(oracle: workload.oracle)).check(after.snapshot)
    }
    try restart(prepared.disk, workload)
  }

  // MARK: Parts

  struct Session {
    let system: FaultyFileSystem
    let workload: Workload
    var writer: StoreWriter?
  }

  /// A disk with something on it, and what belongs there.
  private func prepared() throws -> (disk: SimulatedFileSystem, workload: Workload) {
    let disk = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    guard job != .open else { return (disk, workload) }
    let writer = try openWriter(disk, seed: seed)
    for _ in 0..<(job == .roll ? 12 : 3) { try workload.append(writer) }
    if job == .recovery {
      let end = try writer.status().journals.max { $0.key < $1.key }?.value ?? 0
      tear(disk, after: end)
    }
    return (SimulatedFileSystem(disk.snapshot), workload)
  }

  /// Half a batch after the last, which ends at `end`.
  private func tear(_ disk: SimulatedFileSystem, after end: Int) {
    guard let path = disk.filePaths.last(where: { $0.hasSuffix(".journal") }),
      var bytes = disk[path]
    else { return }
    if bytes.count < end + 200 { bytes += [UInt8](repeating: 0, count: 512) }
    bytes.replaceSubrange(end..<end + 4, with: [0x89, 0x45, 0x42, 0x0A])
    disk[path] = bytes
  }

  /// What comes before the job.
  private func start(_ session: inout Session, _ system: FaultyFileSystem) throws {
    guard job != .open, job != .recovery else { return }
    session.writer = try openWriter(system, seed: seed &+ 1)
  }

  private func work(_ session: inout Session) throws {
    if session.writer == nil { session.writer = try openWriter(session.system, seed: seed &+ 1) }
    guard let writer = session.writer else { return }
    switch job {
    case .open, .recovery, .append: for _ in 0..<2 { try session.workload.append(writer) }
    case .roll: for _ in 0..<9 { try session.workload.append(writer) }
    case .seal:
      try writer.sealAll()
      try session.workload.append(writer)
      try writer.seal(session.workload.documents[0])
    case .checkpoint:
      for document in session.workload.documents {
        guard let last = try writer.lastSequence(of: document), last > 0 else { continue }
        try writer.writeCheckpoint(document, at: last, Array("state".utf8))
      }
    case .close: try writer.close()
    }
  }

  /// What a write changed has no name by which it counts.
  private func checkSound(_ disk: SimulatedFileSystem) throws {
    let store = try Store.open(at: "/store", fileSystem: SimulatedFileSystem(disk.snapshot))
    let problems = try store.verify().problems
    guard !problems.isEmpty else { return }
    throw StateCheck.Failure(what: "not read back", detail: "\(problems)")
  }

  /// Errors that the documentation of the calls names.
  private func check(_ error: LogError) throws {
    switch error {
    case .noSpace, .io, .poisoned: return
    case .damaged where fault == .changedBit: return
    default: throw StateCheck.Failure(what: "an undocumented error", detail: "\(error)")
    }
  }

  /// The same writer, once the disk is well again: where a flush failed it takes nothing more.
  private func resume(
    after system: FaultyFileSystem, _ writer: StoreWriter, _ workload: Workload
  ) throws {
    system.setPlan(.init())
    let before = workload.oracle
    do throws(LogError) { try writer.confirm() } catch {
      guard case .poisoned = error else { throw error }
      return
    }
    // A journal that got no room and no name counts for nothing, and is removed.
    let isUnnamed = operation?.path.hasSuffix(".tmp") ?? false && isNoRoom
    guard operation?.name != "sync" || isUnnamed else {
      throw StateCheck.Failure(
        what: "keeps working after a failed flush", detail: "\(operation?.path ?? "")")
    }
    // It keeps working: then none of its entries is in doubt, and a crash loses nothing.
    let document = workload.documents[0]
    let last = try writer.lastSequence(of: document) ?? 0
    guard before.acknowledged[document] == before.histories[document]?.count else { return }
    let edit = HistoryEntry.edit(
      Edit(
        sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "on"),
        time: Timestamp(nanoseconds: 1 << 59)))
    _ = try writer.append([(document, [edit])])
    workload.note([edit], of: document)
  }

  private var isNoRoom: Bool { fault == .noSpace || fault == .quota }

  /// The next process works on the same disk, seals, and then the machine stops.
  private func restart(_ disk: SimulatedFileSystem, _ workload: Workload) throws {
    let system = SimulatedFileSystem(disk.snapshot)
    let writer = try openWriter(system, seed: seed &+ 2)
    // What did not get room was taken back.
    let isTakenBack = isNoRoom && !forEver && job != .recovery
    guard !isTakenBack || writer.recovery.quarantined.isEmpty else {
      throw StateCheck.Failure(
        what: "a part of a batch is left", detail: "\(writer.recovery.quarantined)")
    }
    var lists: [DocumentID: [HistoryEntry]] = [:]
    for document in workload.documents {
      lists[document] = try entries(writer.history(of: document))
    }
    try writer.sealAll()
    let after = SimulatedFileSystem.crash(system.snapshot, .all)
    let last = try openWriter(after, seed: seed &+ 3)
    for document in workload.documents
    where try entries(last.history(of: document)) != lists[document] {
      throw StateCheck.Failure(
        what: "lost", detail: "what the next process sealed of \(document)")
    }
  }
}
