import EditLog
import EditModel
import Synchronization
import TestSupport
import Testing

/// Readers beside a writer at work.
@Suite struct LiveReaderTests {
  /// A reader before each operation of a writer: it never fails, never sees damage, and sees at
  /// least what was acknowledged, in order.
  @Test(arguments: UInt64(20)..<22)
  func readsBetweenAnyTwoOperations(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    let failures = Mutex<[String]>([])
    _ = try openWriter(system).close()
    let watched = FaultyFileSystem(system) { operation in
      guard CrashTests.changes.contains(operation.name) else { return }
      do {
        try read(system, workload.oracle, verifying: operation.number % 8 == 0)
      } catch {
        failures.withLock { $0.append("before \(operation): \(error)") }
      }
    }
    let writer = try openWriter(watched)
    for _ in 0..<25 { try workload.step(writer) }
    try writer.sealAll()
    #expect(failures.withLock { $0 } == [])
  }

  /// A writer that works between any two operations of a reader: the reader still gets a whole
  /// history, of some moment while it was opened.
  @Test(arguments: UInt64(30)..<33)
  func writesBetweenAnyTwoReads(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    let box = Box(try openWriter(system))
    let failures = Mutex<[String]>([])
    for _ in 0..<12 {
      let before = workload.oracle
      let watched = FaultyFileSystem(system) { operation in
        guard operation.number % 3 == 0, operation.number < 40 else { return }
        do { try workload.step(box.writer) } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      let store = try Store.open(at: "/store", fileSystem: watched)
      #expect(store.damages.isEmpty)
      for document in before.histories.keys {
        let found = try entries(store.history(of: document))
        #expect(found.count >= before.histories[document]?.count ?? 0)
        #expect(workload.oracle.histories[document]?.starts(with: found) == true)
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  /// A history given before a seal is the same after it.
  @Test func aHistoryStaysWhatItIs() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let workload = Workload(seed: 40)
    var seen: [(history: History, entries: [HistoryEntry])] = []
    for _ in 0..<25 {
      try workload.step(writer)
      for document in workload.documents {
        guard let history = try writer.history(of: document) else { continue }
        seen.append((history, workload.oracle.histories[document] ?? []))
      }
    }
    try writer.sealAll()
    for (history, expected) in seen { #expect(try entries(history) == expected) }
  }

  private func read(_ system: any FileSystem, _ oracle: Oracle, verifying: Bool) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    guard store.damages.isEmpty else { throw Failure.sees("\(store.damages)") }
    for (document, submitted) in oracle.histories {
      let history = try store.history(of: document)
      let found = try entries(history)
      guard found.count >= oracle.acknowledged[document] ?? 0, submitted.starts(with: found) else {
        throw Failure.sees("\(found.count) entries of \(document)")
      }
      guard history?.damage ?? [] == [] else { throw Failure.sees("damage") }
    }
    if verifying, case let problems = try store.verify().problems, !problems.isEmpty {
      throw Failure.sees("\(problems)")
    }
  }

  private enum Failure: Error { case sees(String) }

  /// The writer is used by one thread at a time: by the test, from inside the reader's calls.
  private struct Box: @unchecked Sendable {
    let writer: StoreWriter
    init(_ writer: StoreWriter) { self.writer = writer }
  }
}
