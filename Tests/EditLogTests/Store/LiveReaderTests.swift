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
      guard Workload.changes.contains(operation.name) else { return }
      do {
        try read(system, workload, verifying: operation.number % 8 == 0)
      } catch {
        failures.withLock { $0.append("before \(operation): \(error)") }
      }
    }
    let writer = try openWriter(watched)
    for _ in 0..<25 { try workload.step(writer) }
    try workload.finishJobs(writer)
    try writer.sealAll()
    #expect(failures.withLock { $0 } == [])
  }

  /// What a writer does while a reader is between two of its operations.
  enum Act: CaseIterable {
    case append, sealAll
  }

  /// A writer at work between any two operations of a reader, which reads in small pieces: the
  /// reader still gets a whole history, of some moment while it was opened.
  @Test(arguments: Act.allCases)
  func writesBetweenAnyTwoReads(act: Act) throws {
    for number in 1...60 {
      let system = SimulatedFileSystem()
      let workload = Workload(seed: UInt64(number))
      let box = WriterBox(try openWriter(system, seed: UInt64(number)))
      try workload.append(box.writer)
      let before = workload.oracle
      let failures = Mutex<[String]>([])
      var plan = FaultyFileSystem.Plan()
      plan.readSizeMax = 150
      let watched = FaultyFileSystem(system, plan) { operation in
        guard operation.number == number else { return }
        do {
          for _ in 0..<3 { try workload.append(box.writer) }
          if act == .sealAll { try box.writer.sealAll() }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      let store = try Store.open(at: "/store", fileSystem: watched)
      #expect(store.damages.isEmpty, "between \(number - 1) and \(number)")
      for document in before.histories.keys {
        let found = try entries(store.history(of: document))
        #expect(found.count >= before.histories[document]?.count ?? 0)
        #expect(workload.oracle.histories[document]?.starts(with: found) == true)
      }
      #expect(failures.withLock { $0 } == [])
    }
  }

  /// A document comes into being while a reader opens the store, and its first seal is at any
  /// point of its way when the reader looks at it: that is no damage.
  @Test func aDocumentThatIsBeingMadeIsNoDamage() throws {
    for number in 1...25 {
      for stop in 1...20 {
        let system = SimulatedFileSystem()
        let faulty = FaultyFileSystem(system)
        let box = WriterBox(try openWriter(faulty))
        var source = EntrySource(seed: 3)
        _ = try box.writer.append([(name("a"), source.entries(of: name("a"), count: 2))])
        let new = source.entries(of: name("b"), count: 2)
        let watched = FaultyFileSystem(system) { operation in
          guard operation.number == number else { return }
          _ = try? box.writer.append([(name("b"), new)])
          var plan = FaultyFileSystem.Plan()
          (plan.first, plan.forEver) = (faulty.operationCount + stop, true)
          faulty.setPlan(plan)
          try? box.writer.seal(name("b"))
        }
        let store = try Store.open(at: "/store", fileSystem: watched)
        let found = try entries(store.history(of: name("b")))
        #expect(found.isEmpty || found == new, "between \(number - 1) and \(number), \(stop)")
        #expect(try store.verify().problems.isEmpty, "\(number), \(stop)")
      }
    }
  }

  /// A writer at work between any two operations of a check: it finds nothing wrong.
  @Test(arguments: UInt64(50)..<53)
  func `a check beside a writer raises no alarm`(seed: UInt64) throws {
    var (number, isOver) = (1, false)
    while !isOver, number < 10_000 {
      let system = SimulatedFileSystem()
      let workload = Workload(seed: seed)
      let box = WriterBox(try openWriter(system, seed: seed))
      for _ in 0..<8 { try workload.append(box.writer) }
      try box.writer.sealAll()
      try workload.append(box.writer)
      let acted = Mutex(false)
      let failures = Mutex<[String]>([])
      let (turn, document) = (number, workload.documents[number % 3])
      let watched = FaultyFileSystem(system) { operation in
        guard operation.number == turn else { return }
        acted.withLock { $0 = true }
        do {
          for _ in 0..<3 { try workload.append(box.writer) }
          // The name of a document whose first edit is a large one is in no journal.
          let new = [
            HistoryEntry.edit(
              Edit(sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "x")))
          ]
          let append = try box.writer.prepareAppend(new, to: name("new"))
          append.run()
          try box.writer.finish(append)
          try box.writer.sealAll()
          let next = HistoryEntry.edit(
            Edit(sequence: 2, action: EditAction(replacing: UTF16Range(0..<1), with: "y")))
          _ = try box.writer.append([(name("new"), [next])])
          if let job = try box.writer.prepareCompaction(document) {
            job.run()
            try box.writer.finish(job)
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      let report = try Store.open(at: "/store", fileSystem: watched).verify()
      #expect(report.problems == [] && report.damages == [:], "before operation \(number)")
      #expect(failures.withLock { $0 } == [])
      isOver = !acted.withLock { $0 }
      number += number < 30 ? 1 : 4
    }
    #expect(isOver && number > 30)
  }

  /// A document outgrows its single file and moves to a folder, between any two operations of a
  /// reader that opened the store before.
  @Test func `a document that moves to a folder is found`() throws {
    var (number, isOver) = (1, false)
    while !isOver, number < 10_000 {
      let system = SimulatedFileSystem()
      let box = WriterBox(try openWriter(system, seed: 2))
      var source = EntrySource(seed: 3)
      let (old, new) = (
        source.entries(of: name("a"), count: 3), source.entries(of: name("a"), count: 80)
      )
      _ = try box.writer.append([(name("a"), old)])
      try box.writer.sealAll()
      try box.writer.markDurable()
      let start = Mutex<Int?>(nil)
      let acted = Mutex(false)
      let turn = number
      let watched = FaultyFileSystem(system) { operation in
        guard let start = start.withLock({ $0 }), operation.number == start + turn else { return }
        acted.withLock { $0 = true }
        _ = try? box.writer.append([(name("a"), new)])
        try? box.writer.sealAll()
      }
      let store = try Store.open(at: "/store", fileSystem: watched)
      start.withLock { $0 = watched.operationCount }
      let found = try entries(store.history(of: name("a")))
      #expect(found == old || found == old + new, "before operation \(number)")
      isOver = !acted.withLock { $0 }
      number += 1
    }
    #expect(isOver && number > 5)
  }

  /// Readers that opened the store before segments grew, before new segments were added, and, the
  /// first reader, before any document was created.
  @Test(arguments: UInt64(60)..<64)
  func `a store that was opened long before raises no alarm`(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    let writer = try openWriter(system, seed: seed)
    var opened: [(store: Store, acknowledged: [DocumentID: Int])] = []
    for _ in 0..<20 {
      opened.append(
        (try Store.open(at: "/store", fileSystem: system), workload.oracle.acknowledged))
      for _ in 0..<4 { try workload.append(writer) }
      try writer.sealAll()
    }
    for (store, acknowledged) in opened {
      for document in workload.documents {
        let found = try entries(store.history(of: document))
        #expect(found.count >= acknowledged[document] ?? 0)
        #expect(workload.oracle.histories[document, default: []].starts(with: found))
      }
      #expect(try store.documents(openingUpTo: 10).allSatisfy { $0.problem == nil })
      #expect(try store.verify().problems == [])
    }
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
    try workload.finishJobs(writer)
    try writer.sealAll()
    for (history, expected) in seen { #expect(try entries(history) == expected) }
  }

  private func read(_ system: any FileSystem, _ workload: Workload, verifying: Bool) throws {
    let acknowledged = workload.oracle.acknowledged
    let store = try Store.open(at: "/store", fileSystem: system)
    guard store.damages.isEmpty else { throw Failure.sees("\(store.damages)") }
    for document in workload.documents {
      let history = try store.history(of: document)
      let found = try entries(history)
      // Taken after the reading, because entries are submitted before they are written.
      let submitted = workload.oracle.histories[document] ?? []
      guard found.count >= acknowledged[document] ?? 0, submitted.starts(with: found) else {
        throw Failure.sees("\(found.count) entries of \(document)")
      }
      guard history?.damage ?? [] == [] else { throw Failure.sees("damage") }
    }
    if verifying, case let problems = try store.verify().problems, !problems.isEmpty {
      throw Failure.sees("\(problems)")
    }
  }

  private enum Failure: Error { case sees(String) }
}
