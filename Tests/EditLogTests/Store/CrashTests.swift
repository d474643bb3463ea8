import EditLog
import EditModel
import Synchronization
import TestSupport
import Testing

/// The machine stops before each operation that changes the disk. What was acknowledged is there
/// once, in order; any other entries follow it as they were submitted; nothing is refused.
@Suite struct CrashTests {
  @Test(arguments: seeds(2))
  func anyMomentRecovers(seed: UInt64) throws {
    let workload = Workload(seed: seed)
    let moments = try workload.moments(on: SimulatedFileSystem()) { system in
      for _ in 0..<2 {
        let writer = try openWriter(system, seed: seed)
        for _ in 0..<18 { try workload.step(writer) }
        try writer.close()
        workload.dropJobs()
      }
      try openWriter(system, seed: seed).sealAll()
    }
    for (count, moment) in moments.enumerated() {
      for loss in [.all, .some(seed: seed &* 1000 &+ UInt64(count))] as [SimulatedFileSystem.Loss] {
        try check(moment, loss, depth: count % 16 == 0 ? 1 : 0)
      }
      if count % 4 == 0 { try check(moment, .none, depth: 0) }
    }
  }

  /// The writer appends before any one operation of a job, and the machine stops at any moment
  /// from there on.
  @Test(arguments: UInt64(0)..<2, [false, true])
  func anyMomentOfAJobRecovers(seed: UInt64, compacts: Bool) throws {
    var (place, isOver) = (Int(seed), false)
    while !isOver, place < 10_000 {
      let workload = Workload(seed: seed)
      let job = ActingJob(workload, place: place)
      let moments = try workload.moments(
        on: SimulatedFileSystem(), act: { job.act($0) },
        { system in
          let writer = try openWriter(system, seed: seed)
          for _ in 0..<6 { try workload.append(writer) }
          if compacts || seed > 0 { try writer.sealAll() }
          for _ in 0..<3 { try workload.append(writer) }
          try job.run(writer) { writer in
            try compacts ? writer.prepareCompaction(name("a")) : writer.prepareSeal(name("a"))
          }
        })
      isOver = !job.hasActed
      for moment in moments where moment.operation.number >= job.start {
        try check(moment, .some(seed: UInt64(moment.operation.number)), depth: 0)
        if place % 5 == 0 { try check(moment, .all, depth: 0) }
      }
      place += 3
    }
    #expect(isOver && place > 9)
  }

  /// A job before one of whose operations the writer appends.
  private final class ActingJob: Sendable {
    private struct State {
      var writer: WriterBox?
      var start = Int.max
      var operationCount = 0
      var hasActed = false
    }
    private let workload: Workload
    private let place: Int
    private let state = Mutex(State())
    /// The number of the first operation after the job was prepared.
    var start: Int { state.withLock { $0.start } }
    var hasActed: Bool { state.withLock { $0.hasActed } }

    init(_ workload: Workload, place: Int) { (self.workload, self.place) = (workload, place) }

    func run(
      _ writer: StoreWriter, _ prepare: (StoreWriter) throws -> StoreJob?
    ) throws {
      let box = WriterBox(writer)
      let job = try #require(try prepare(writer))
      state.withLock { $0.writer = box }
      job.run()
      #expect(job.producedFile)
      state.withLock { $0.writer = nil }
      try writer.finish(job)
      try workload.append(writer)
    }

    func act(_ operation: FaultyFileSystem.Operation) {
      let box: WriterBox? = state.withLock { state in
        guard state.writer != nil, !state.hasActed else { return nil }
        state.start = min(state.start, operation.number)
        state.operationCount += 1
        state.hasActed = state.operationCount > place
        return state.hasActed ? state.writer : nil
      }
      guard let writer = box?.writer else { return }
      do {
        for _ in 0..<3 { try workload.append(writer) }
      } catch { Issue.record(error) }
    }
  }

  /// Recovers what a crash left; at some depth, recovery itself is stopped before each change.
  private func check(_ moment: Workload.Moment, _ loss: SimulatedFileSystem.Loss, depth: Int) throws
  {
    let comment: Comment = "before \(moment.operation), lost \(loss)"
    let system = SimulatedFileSystem.crash(moment.snapshot, loss)
    if depth > 0 {
      let workload = Workload(seed: 0)
      let again = try workload.moments(on: SimulatedFileSystem(system.snapshot)) { system in
        _ = try openWriter(system)
      }
      for (count, moment2) in again.enumerated() {
        let moment = Workload.Moment(
          snapshot: moment2.snapshot, oracle: moment.oracle, operation: moment2.operation)
        try check(moment, .some(seed: UInt64(count)), depth: depth - 1)
      }
    }
    let writer = try openWriter(system, seed: 2)
    #expect(writer.recovery.isSound, comment)
    var present: [DocumentID: [HistoryEntry]] = [:]
    for (document, submitted) in moment.oracle.histories {
      let found = try entries(writer.history(of: document))
      present[document] = found
      #expect(found.count >= moment.oracle.acknowledged[document] ?? 0, comment)
      #expect(submitted.starts(with: found), comment)
    }
    try resume(writer, system, present, comment)
  }

  /// The recovered store takes more, and gives all of it after another recovery.
  private func resume(
    _ writer: StoreWriter, _ system: SimulatedFileSystem,
    _ present: [DocumentID: [HistoryEntry]], _ comment: Comment
  ) throws {
    let document = name("b")
    let last = try writer.lastSequence(of: document) ?? 0
    let edit = Edit(
      sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "more"),
      time: Timestamp(nanoseconds: 1 << 40))
    _ = try writer.append([(document, [.edit(edit)])])
    let after = SimulatedFileSystem.crash(system.snapshot, .all)
    let store = try Store.open(at: "/store", fileSystem: after)
    #expect(store.damages.isEmpty, comment)
    #expect(
      try entries(store.history(of: document)) == (present[document] ?? []) + [.edit(edit)],
      comment)
  }
}
