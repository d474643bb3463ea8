import EditLog
import EditModel
import Synchronization
import TestSupport
import Testing

/// A check of many documents: its report does not depend on the threads, and its cost is linear.
@Suite struct VerificationTests {
  /// A closed store of documents in segments of their own.
  private func store(documents count: Int) throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 11)
    for number in 0..<count {
      let document = name("document \(number)")
      _ = try writer.append([(document, source.entries(of: document, count: 30))])
    }
    // A long history with checkpoints.
    let long = name("long")
    _ = try writer.append([(long, (0..<5_000).map { _ in source.edit(of: long) })])
    try writer.sealAll()
    let job = try writer.prepareCheckpoints(long) { sink throws(LogError) in
      for sequence in [1_000, 2_000, 4_000] as [SequenceNumber] {
        try sink.store(Array("state \(sequence)".utf8), at: sequence)
      }
    }
    job?.run()
    if let job { try writer.finish(job) }
    try writer.close()
    return system
  }

  /// Changes a byte of each document whose position is a multiple of `step`.
  private func damage(_ system: SimulatedFileSystem, every step: Int) {
    let segments = system.filePaths.filter { $0.hasSuffix(".segment") }
    for position in stride(from: 0, to: segments.count, by: step) {
      system[segments[position]]?[100] ^= 1
    }
  }

  private func verify(_ system: any FileSystem, _ threadCount: Int) throws -> VerificationReport {
    let store = try Store.open(at: "/store", fileSystem: system)
    return try #require(try store.verify(nil, threadCount: threadCount) { _ in true })
  }

  @Test func `the report does not depend on the number of threads`() throws {
    let system = try store(documents: 60)
    damage(system, every: 7)
    let one = try verify(system, 1)
    #expect(one.documentCount == 61 && one.problems.count >= 9)
    let numbers = try Store.open(at: "/store", fileSystem: system).documentNumbers()
    let order = one.problems.compactMap { $0.document.flatMap { numbers[$0] } }
    #expect(order == order.sorted())
    for threadCount in [2, 3, 8, 100] {
      let many = try verify(system, threadCount)
      #expect(many.problems == one.problems, "\(threadCount) threads")
      #expect(many.badCheckpoints == one.badCheckpoints)
      #expect(
        (many.documentCount, many.editCount, many.eventCount)
          == (one.documentCount, one.editCount, one.eventCount))
      #expect(many.damages == one.damages && many.unproven == one.unproven)
      #expect(many.heads.mapValues(\.sequence) == one.heads.mapValues(\.sequence))
      #expect(many.heads.mapValues(\.head) == one.heads.mapValues(\.head))
    }
  }

  /// Whether documents were forgotten meanwhile is read once, not for each that is damaged.
  @Test func `the journals are read as often for many damaged documents as for one`() throws {
    func journalReads(_ system: SimulatedFileSystem) throws -> (count: Int, problemCount: Int) {
      let count = Mutex(0)
      let watched = FaultyFileSystem(system) { operation in
        guard operation.path.contains("/journals") else { return }
        count.withLock { $0 += 1 }
      }
      let report = try verify(watched, 1)
      return (count.withLock { $0 }, report.problems.count)
    }
    let system = try store(documents: 40)
    let few = SimulatedFileSystem(system.snapshot)
    damage(few, every: 40)
    damage(system, every: 1)
    let (one, all) = (try journalReads(few), try journalReads(system))
    #expect(one.problemCount >= 1 && all.problemCount >= 40)
    #expect(all.count == one.count)
  }

  /// The operations that a further document costs are the same for a small store and a large one.
  @Test func `each document costs the same number of operations`() throws {
    func operations(_ documentCount: Int) throws -> Int {
      let watched = FaultyFileSystem(try store(documents: documentCount))
      let before = watched.operationCount
      #expect(try verify(watched, 1).problems == [])
      return watched.operationCount - before
    }
    let counts = try [20, 40, 60].map { try operations($0) }
    #expect(counts[2] - counts[1] == counts[1] - counts[0], "\(counts)")
  }

  @Test(arguments: [1, 2, 8])
  func `a check stops on each thread when it is told to`(threadCount: Int) throws {
    let system = try store(documents: 40)
    let store = try Store.open(at: "/store", fileSystem: system)
    for stop in [1, 2, 17, 60] {
      let calls = Mutex((count: 0, isInside: false, areOverlapping: false, late: 0))
      let report = try store.verify(nil, threadCount: threadCount) { part in
        let isOver = calls.withLock { calls in
          calls.areOverlapping = calls.areOverlapping || calls.isInside
          calls.isInside = true
          if calls.count >= stop { calls.late += 1 }
          calls.count += 1
          return calls.count >= stop
        }
        #expect((0...1).contains(part))
        calls.withLock { $0.isInside = false }
        return !isOver
      }
      #expect(report == nil)
      #expect(calls.withLock { $0.late == 0 && !$0.areOverlapping })
    }
  }
}
