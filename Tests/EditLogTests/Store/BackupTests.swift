@testable import EditLog
@testable import EditLogFormat
import EditModel
import Glibc
import Synchronization
import TestSupport
import Testing

/// Copies of a store in a folder, while a writer is at work, and after a crash.
@Suite struct BackupTests {
  private func run(_ system: any FileSystem) throws(LogError) -> BackupReport {
    try StoreBackup(of: "/store", to: "/backup", fileSystem: system, clock: FixedClock()).run()
  }

  private func plan(_ system: any FileSystem) throws(LogError) -> BackupReport {
    try StoreBackup(of: "/store", to: "/backup", fileSystem: system, clock: FixedClock()).plan()
  }

  /// What the copy has of each document of the workload, if it is sound.
  private func lists(
    _ system: any FileSystem, _ workload: Workload, isUnfinished: Bool = false
  ) throws -> [DocumentID: [HistoryEntry]] {
    let store = try Store.open(at: "/backup", fileSystem: system)
    #expect(store.damages == [])
    #expect(try store.losses().map(\.key) == (isUnfinished ? ["backup"] : []))
    let report = try store.verify()
    #expect(report.damages == [:] && report.unknownFiles == [] && report.tornEnds.isEmpty)
    if !isUnfinished { #expect(report.problems == []) }
    var lists: [DocumentID: [HistoryEntry]] = [:]
    for document in workload.oracle.histories.keys {
      lists[document] = try entries(workload.oracle.history(of: document, store.history))
    }
    return lists
  }

  /// The copy has all that was acknowledged, in order.
  private func check(
    _ system: any FileSystem, _ workload: Workload, has acknowledged: [DocumentID: Int]
  ) throws {
    for (document, list) in try lists(system, workload) {
      #expect(list.count >= acknowledged[document] ?? 0, "\(document)")
      #expect(workload.oracle.histories[document, default: []].starts(with: list), "\(document)")
    }
  }

  // MARK: What is copied

  @Test(arguments: UInt64(1)..<9)
  func `a copy is the store, and the next one copies what is new`(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed, renames: true)
    let writer = try openWriter(system, seed: seed)
    for _ in 0..<6 {
      for _ in 0..<12 { try workload.step(writer) }
      let planned = try plan(system)
      let report = try run(system)
      #expect(report.fileCount == planned.fileCount)
      #expect(report.documentCount == planned.documentCount)
      #expect(report.editCount == planned.editCount)
      try check(system, workload, has: workload.oracle.acknowledged)
      // Nothing is new.
      #expect(try plan(system).fileCount == 0)
      let before = system.files
      let again = try run(system)
      #expect(again.fileCount == 0 && again.previousTime == report.time && !again.resumed)
      #expect(system.files == before)
    }
    try workload.finishJobs(writer)
    try writer.sealAll()
    let sealed = try run(system)
    #expect(sealed.fileCount > 0)
    let paths = system.filePaths.filter { $0.hasPrefix("/backup/") }
    #expect(!paths.contains { $0.hasSuffix(".checkpoint") || $0.hasSuffix(".tmp") })
  }

  @Test func `a plan changes nothing`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let workload = Workload(seed: 3)
    try workload.append(writer)
    let before = system.files
    let report = try plan(system)
    #expect(report.documentCount > 0 && report.fileCount > 0 && report.size > 0)
    #expect(system.files == before && system.names(at: "/backup") == [])
  }

  @Test func `attachments and quarantined files are copied, caches are not`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let workload = Workload(seed: 4)
    for _ in 0..<4 { try workload.append(writer) }
    let document = try #require(workload.oracle.histories.keys.min { $0.name < $1.name })
    let content = Array("of an attachment".utf8)
    let digest = try #require(try writer.attach(content, to: document)).attachment.digest
    system["/store/quarantine/\(StoreLayout.name(of: 9)).torn"] = [1, 2, 3]
    _ = try run(system)
    let store = try Store.open(at: "/backup", fileSystem: system)
    #expect(try store.attachment(digest, of: document) == content)
    #expect(system["/backup/quarantine/\(StoreLayout.name(of: 9)).torn"] == [1, 2, 3])
    // Stored after a document was compared: the next run has it, although the catalog is the same.
    try writer.sealAll()
    _ = try run(system)
    let more = try #require(try writer.attach([7], to: document)).attachment.digest
    // With the list of attachments.
    #expect(try run(system).fileCount == 2)
    let copy = try Store.open(at: "/backup", fileSystem: system)
    #expect(try copy.attachment(more, of: document) == [7])
    #expect(try copy.attachmentLosses() == [] && copy.listedAttachments().values.first?.count == 2)
    let path = try #require(
      system.filePaths.last { $0.hasPrefix("/backup/") && $0.hasSuffix(".attachment") })
    system[path] = nil
    #expect(try Store.open(at: "/backup", fileSystem: system).attachmentLosses().count == 1)
  }

  @Test func `a document that is forgotten leaves the copy`() throws {
    for isSealed in [false, true] {
      let system = SimulatedFileSystem()
      let writer = try openWriter(system)
      let (kept, gone) = (name("kept"), name("goneNEEDLE"))
      func edit(_ text: String) -> [HistoryEntry] {
        [
          .edit(
            Edit(
              sequence: 1,
              action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))))
        ]
      }
      _ = try writer.append([(kept, edit("kept")), (gone, edit("xNEEDLEx"))])
      _ = try writer.attach(Array("aNEEDLEa".utf8), to: gone)
      if isSealed { try writer.sealAll() }
      _ = try run(system)
      #expect(try Store.open(at: "/backup", fileSystem: system).history(of: gone) != nil)
      _ = try writer.forget(gone)
      let report = try run(system)
      #expect(report.removedDocumentCount == 1)
      let store = try Store.open(at: "/backup", fileSystem: system)
      #expect(try store.history(of: gone) == nil && store.history(of: kept) != nil)
      #expect(try store.verify().problems == [])
      for bytes in system.rawBytes {
        #expect(!bytes.contains(Array("NEEDLE".utf8)), "sealed: \(isSealed)")
      }
      #expect(try run(system).fileCount == 0)
    }
  }

  // MARK: Beside a writer

  /// What a writer does between two operations of a run.
  enum Act: CaseIterable {
    case append, seal, roll, forget, attach
  }

  @Test(arguments: Act.allCases)
  func `a writer works between any two operations of a run`(act: Act) throws {
    var (number, isOver) = (1, false)
    while !isOver, number < 20_000 {
      let system = SimulatedFileSystem()
      let seed = UInt64(number)
      let workload = Workload(seed: seed)
      let box = WriterBox(try openWriter(system, seed: seed))
      let doomed = name("doomed")
      let first = HistoryEntry.edit(
        Edit(sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "x")))
      func makeDoomed() throws {
        _ = try box.writer.append([(doomed, [first])])
        _ = try box.writer.attach([1], to: doomed)
      }
      if number % 3 > 0 { try makeDoomed() }
      for _ in 0..<3 { try workload.append(box.writer) }
      try box.writer.sealAll()
      if number % 3 == 0 { try makeDoomed() }
      if number % 2 == 0 { _ = try run(system) }
      try workload.append(box.writer)
      let acknowledged = workload.oracle.acknowledged
      let acted = Mutex(false)
      let failures = Mutex<[String]>([])
      let turn = number
      let watched = FaultyFileSystem(system) { operation in
        guard operation.number == turn else { return }
        acted.withLock { $0 = true }
        do {
          try workload.append(box.writer)
          switch act {
          case .append: break
          case .seal: try box.writer.sealAll()
          case .roll:
            for _ in 0..<3 {
              for _ in 0..<3 { try workload.append(box.writer) }
              try box.writer.sealAll()
            }
            let document = workload.documents[turn % 3]
            if let job = try box.writer.prepareCompaction(document) {
              job.run()
              try box.writer.finish(job)
            }
          case .forget: _ = try box.writer.forget(doomed)
          case .attach:
            if let document = workload.oracle.acknowledged.keys.min(by: { $0.name < $1.name }) {
              _ = try box.writer.attach([UInt8(turn % 251)], to: document)
            }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      do { _ = try run(watched) } catch {
        Issue.record("\(act), before operation \(number): \(error)")
      }
      #expect(failures.withLock { $0 } == [])
      try check(system, workload, has: acknowledged)
      isOver = !acted.withLock { $0 }
      if act == .forget, !isOver {
        _ = try run(system)
        #expect(try Store.open(at: "/backup", fileSystem: system).history(of: doomed) == nil)
      }
      number += number < 60 ? 1 : 9
    }
    #expect(isOver && number > 60)
  }

  // MARK: Crashes and failures

  /// A run that ends after each operation, with every loss: the folder is no store yet, or has at
  /// least what the run before copied, and the next run completes it.
  @Test(arguments: UInt64(1)..<5)
  func `a crash leaves what the run before copied`(seed: UInt64) throws {
    for isFirst in [true, false] {
      let system = SimulatedFileSystem()
      let workload = Workload(seed: seed)
      let writer = try openWriter(system, seed: seed)
      for _ in 0..<10 { try workload.step(writer) }
      try workload.finishJobs(writer)
      if !isFirst {
        _ = try run(system)
        for _ in 0..<10 { try workload.step(writer) }
        try workload.finishJobs(writer)
        if seed % 2 == 0 { try writer.sealAll() }
        // Compaction replaces several files by one.
        for document in workload.documents {
          guard let job = try writer.prepareCompaction(document) else { continue }
          job.run()
          try writer.finish(job)
        }
      }
      let former = isFirst ? [:] : try lists(system, workload)
      let moments = try workload.moments(on: system) { _ = try self.run($0) }
      for (position, moment) in moments.enumerated() {
        for loss in [.all, .none, .some(seed: seed &+ UInt64(position))]
          as [SimulatedFileSystem.Loss]
        {
          let crashed = SimulatedFileSystem.crash(moment.snapshot, loss)
          let place = "before \(moment.operation), \(loss)"
          try checkCrash(crashed, former, workload, isFirst: isFirst, place)
          if !isFirst, case .none = loss { try checkRestored(crashed, former, place) }
          let report = try run(crashed)
          #expect(report.documentCount == workload.oracle.acknowledged.count, "\(place)")
          try check(crashed, workload, has: workload.oracle.acknowledged)
        }
      }
      #expect(moments.count > 10)
    }
  }

  private func checkCrash(
    _ system: SimulatedFileSystem, _ former: [DocumentID: [HistoryEntry]], _ workload: Workload,
    isFirst: Bool, _ place: String
  ) throws {
    do {
      let isUnfinished =
        try BackupRecord(in: system.directory(at: "/backup"))?.isUnfinished ?? true
      let lists = try lists(system, workload, isUnfinished: isUnfinished)
      for (document, list) in lists {
        let least = former[document] ?? []
        #expect(list.count >= least.count, "\(document) \(place)")
        #expect(workload.oracle.histories[document, default: []].starts(with: list), "\(place)")
      }
      if isFirst {
        // It is opened only with everything in it.
        for (document, count) in workload.oracle.acknowledged {
          #expect(lists[document]?.count ?? 0 >= count, "\(document) \(place)")
        }
      }
    } catch let error as LogError {
      switch error {
      case .noStore, .refused: #expect(isFirst, "\(error) \(place)")
      case .io(_, _, let code): #expect(isFirst && code == ENOENT, "\(error) \(place)")
      default: Issue.record("\(error) \(place)")
      }
    }
  }

  /// A writer takes what a run left that did not end, and goes on, also after another opening: nothing of what the
  /// run before copied is refused.
  private func checkRestored(
    _ crashed: SimulatedFileSystem, _ former: [DocumentID: [HistoryEntry]], _ place: String
  ) throws {
    let system = SimulatedFileSystem(crashed.snapshot)
    for _ in 0..<2 {
      let writer = try StoreWriter(
        at: "/backup", fileSystem: system, random: SeededBytes(seed: 3), options: .small)
      #expect(writer.invariantViolation() == nil, "\(place)")
      for (document, list) in former where !list.isEmpty {
        let last = try #require(try writer.lastSequence(of: document), "\(place)")
        let edit = Edit(
          sequence: last + 1, action: EditAction(replacing: UTF16Range(0..<0), with: "x"),
          time: Timestamp(nanoseconds: .max))
        _ = try writer.append([(document, [.edit(edit)])])
        let history = try #require(try writer.history(of: document))
        var entries: [HistoryEntry] = []
        try history.forEachEntry { entries.append($0) }
        #expect(entries.starts(with: list), "\(document) \(place)")
      }
      try writer.close()
      #expect(try Store.open(at: "/backup", fileSystem: system).damages == [], "\(place)")
    }
  }

  @Test func `any operation may fail, and the next run completes it`() throws {
    for code in [EIO, ENOSPC] {
      var (number, isOver) = (1, false)
      while !isOver, number < 10_000 {
        let system = SimulatedFileSystem()
        let workload = Workload(seed: 7)
        let writer = try openWriter(system)
        for _ in 0..<4 { try workload.append(writer) }
        try writer.sealAll()
        _ = try run(system)
        for _ in 0..<4 { try workload.append(writer) }
        let former = try lists(system, workload)
        var plan = FaultyFileSystem.Plan()
        (plan.first, plan.code) = (number, code)
        let faulty = FaultyFileSystem(system, plan)
        do {
          _ = try run(faulty)
          isOver = faulty.operationCount < number
        } catch {}
        let record = try BackupRecord(in: system.directory(at: "/backup"))
        let found = try lists(system, workload, isUnfinished: record?.isUnfinished == true)
        for (document, list) in former { #expect(found[document]?.starts(with: list) == true) }
        _ = try run(system)
        try check(system, workload, has: workload.oracle.acknowledged)
        number += number < 40 ? 1 : 3
      }
      #expect(isOver && number > 40)
    }
  }

  // MARK: What is refused

  @Test func `a folder that is no backup of this store is refused`() throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: 5)
    let writer = try openWriter(system)
    try workload.append(writer)
    func refused(_ folder: String, _ part: String) throws {
      let before = system.files
      let backup = StoreBackup(of: "/store", to: folder, fileSystem: system, clock: FixedClock())
      for act in [{ try backup.run() }, { try backup.plan() }] {
        do {
          _ = try act()
          Issue.record("\(folder) was taken")
        } catch let error as LogError {
          guard case .refused = error else {
            Issue.record("\(error)")
            continue
          }
          #expect("\(error)".contains(part), "\(error)")
        }
      }
      #expect(system.files == before)
    }
    // The store itself, whether or not it has a record.
    try refused("/store", "a copy of this store that")
    _ = try system.createDirectory(at: "/full")
    system["/full/letter"] = [1]
    try refused("/full", "not empty")
    _ = try StoreWriter(
      at: "/other", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 99)
    ).close()
    try refused("/other", "another store")
    // A backup that was opened for writing is a store of its own.
    _ = try run(system)
    let restored = try StoreWriter(
      at: "/backup", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 98))
    #expect(restored.recovery.isSound && system["/backup/backup"] == nil)
    try restored.close()
    try refused("/backup", "opened for writing since")
    // A backup of another store.
    _ = try StoreBackup(of: "/other", to: "/others", fileSystem: system, clock: FixedClock()).run()
    try refused("/others", "backup of another store")
    // A backup is a store, and may be copied, but not to itself.
    _ = try StoreBackup(of: "/others", to: "/second", fileSystem: system, clock: FixedClock()).run()
    #expect(throws: LogError.self) {
      try StoreBackup(of: "/others", to: "/others", fileSystem: system, clock: FixedClock()).run()
    }
    #expect(throws: LogError.noStore(path: "/none")) {
      try StoreBackup(of: "/none", to: "/new", fileSystem: system, clock: FixedClock()).run()
    }
    #expect(system.names(at: "/new") == [])
  }

  @Test func `two runs to one folder exclude each other`() throws {
    let system = SimulatedFileSystem()
    try Workload(seed: 6).append(try openWriter(system))
    _ = try run(system)
    let lock = try system.directory(at: "/backup").open("lock", .write)
    #expect(try lock.lock())
    #expect(throws: LogError.locked(path: "/backup")) { try run(system) }
  }

  @Test func `a damaged file does not replace a sound copy`() throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: 8)
    let writer = try openWriter(system)
    for _ in 0..<4 { try workload.append(writer) }
    try writer.sealAll()
    _ = try run(system)
    let former = try lists(system, workload)
    for _ in 0..<4 { try workload.append(writer) }
    try writer.sealAll()
    try writer.close()
    for path in system.filePaths.filter({ $0.hasPrefix("/store/documents/") }) {
      let bytes = try #require(system[path])
      guard path.hasSuffix(".segment"), system["/backup" + path.dropFirst(6)] != bytes else {
        continue
      }
      system[path] = bytes.map { ~$0 }
      do {
        _ = try run(system)
        Issue.record("\(path) was copied")
      } catch {
        guard case .damaged(let file, _, _) = error else { throw error }
        #expect(file == path)
      }
      let found = try lists(system, workload, isUnfinished: true)
      for (document, list) in former { #expect(found[document]?.starts(with: list) == true) }
      system[path] = bytes
    }
    _ = try run(system)
    try check(system, workload, has: workload.oracle.acknowledged)
    // The same for what belongs to the store itself.
    for path in ["/store/catalog", "/store/confirmed"] {
      let bytes = try #require(system[path])
      system[path] = nil
      #expect(throws: LogError.self) { try run(system) }
      system[path] = bytes
    }
    try check(system, workload, has: workload.oracle.acknowledged)
  }

  @Test func `a copy that has changed is copied again`() throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: 9)
    let writer = try openWriter(system)
    for _ in 0..<6 { try workload.append(writer) }
    try writer.sealAll()
    try workload.append(writer)
    _ = try run(system)
    let paths = system.filePaths.filter { $0.hasPrefix("/backup/") && !$0.hasSuffix("/backup") }
    for path in paths where !path.hasSuffix("/lock") && !path.hasSuffix("/format") {
      let bytes = try #require(system[path])
      system[path] = nil
      _ = try run(system)
      try check(system, workload, has: workload.oracle.acknowledged)
      // The catalog has the next generation, and the mark names it.
      let isFront = path.hasSuffix("/catalog") || path.hasSuffix("/confirmed")
      if !isFront { #expect(system[path] == bytes, "\(path)") }
    }
  }
}
