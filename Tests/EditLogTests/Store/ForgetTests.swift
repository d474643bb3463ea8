@testable import EditLog
@testable import EditLogFormat
import EditModel
import Glibc
import Synchronization
import TestSupport
import Testing

/// A document that is forgotten is gone from every file, at every moment from the record on; all
/// others stay what they are.
@Suite struct ForgetTests {
  /// Stands in every text, label, attribute, author, session and name of the secret document.
  static let needle = "nEEdle"
  private let secret = name("first \(needle)")
  private let renamed = name("then \(needle)")

  /// Entries of a document that has the needle in all that can hold text.
  private struct SecretSource {
    var last: SequenceNumber = 0
    var counter: UInt64 = 0

    mutating func entries(_ count: Int) throws -> [HistoryEntry] {
      try (0..<count).map { _ in
        counter += 1
        let (time, session) = (Timestamp(nanoseconds: 1_000), SessionID("run of \(needle)"))
        guard counter % 4 > 0 else {
          return .event(
            HistoryEvent(
              kind: .mark(label: "label \(needle)", at: last), after: last, time: time,
              author: "by \(needle)", session: session, counter: counter))
        }
        last += 1
        let attributes: AttributeSet = ["name \(needle)": .string("value \(needle)")]
        let text = UTF16Text("text \(needle) \(last)")
        let action = try EditAction(
          range: UTF16Range(0..<0), replacement: text,
          attributes: .set([AttributeRun(length: text.count, attributes: attributes)]))
        return .edit(
          Edit(
            sequence: last, action: action, author: "by \(needle)", session: session,
            counter: counter, time: time))
      }
    }
  }

  private struct Fixture {
    let system: SimulatedFileSystem
    let workload: Workload
    var source: SecretSource
    var entries: [HistoryEntry] = []

    mutating func append(_ count: Int, to document: DocumentID, _ writer: StoreWriter) throws {
      let new = try source.entries(count)
      entries += new
      _ = try writer.append([(document, new)])
    }
  }

  /// A store with a secret document and others: sealed, compacted, renamed, with checkpoints, and
  /// with entries in several journals.
  private func fixture(seed: UInt64, rests: Bool = true) throws -> Fixture {
    var fixture = Fixture(
      system: SimulatedFileSystem(), workload: Workload(seed: seed), source: SecretSource())
    let writer = try openWriter(fixture.system)
    for round in 0..<6 {
      try fixture.append(5, to: round < 3 ? secret : renamed, writer)
      try fixture.workload.append(writer)
      if round == 2 {
        let event = HistoryEvent(
          kind: .renamed(from: secret), after: fixture.source.last,
          time: Timestamp(nanoseconds: 1_000))
        fixture.entries.append(.event(event))
        _ = try writer.append(
          [(renamed, [.event(event)])], renaming: [DocumentRename(secret, to: renamed)])
      }
      if round == 3, seed % 3 > 0 {
        try writer.seal(renamed)
        try writer.writeCheckpoint(
          renamed, at: fixture.source.last, Array("state \(Self.needle)".utf8))
      }
      if round == 4, seed % 3 == 2 { try writer.sealAll() }
    }
    if rests { try writer.close() }
    return fixture
  }

  private func expectGone(
    _ system: SimulatedFileSystem, everywhere: Bool, _ comment: Comment
  ) throws {
    let files = system.files
    let bytes = everywhere ? system.rawBytes : files.values.map { $0 }
    #expect(!bytes.contains { $0.hold(Self.needle) }, comment)
    let number = StoreLayout.name(of: 1)
    #expect(!files.keys.contains { $0.hasPrefix("/store/documents/\(number)/") }, comment)
    #expect(system.names(at: "/store/documents").contains(number), comment)
  }

  private func expectOthers(
    _ histories: (DocumentID) throws -> History?, _ oracle: Oracle, _ comment: Comment
  ) throws {
    for (document, expected) in oracle.histories {
      #expect(try entries(histories(document)) == expected, comment)
    }
  }

  @Test(arguments: UInt64(0)..<6)
  func `nothing of it is left, and all else is as it was`(seed: UInt64) throws {
    let fixture = try fixture(seed: seed)
    let writer = try openWriter(fixture.system)
    let before = fixture.system.files
    let receipt = try #require(try writer.forget(renamed))
    #expect(receipt.document == renamed && receipt.number == 1)
    #expect(receipt.editCount == fixture.source.last)
    #expect(receipt.eventCount == UInt64(fixture.entries.count) - fixture.source.last)
    let own = before.filter { $0.key.hasPrefix("/store/documents/\(StoreLayout.name(of: 1))/") }
    #expect(receipt.removed.fileCount == own.count)
    #expect(receipt.removed.size == own.values.reduce(0) { $0 + $1.count })
    // With seed 0 no file was removed before: then no block of the disk has it.
    try expectGone(fixture.system, everywhere: seed % 3 == 0, "seed \(seed)")
    try expectOthers({ try writer.history(of: $0) }, fixture.workload.oracle, "seed \(seed)")
    #expect(try writer.history(of: renamed) == nil && writer.forget(renamed) == nil)
    let store = try Store.open(at: "/store", fileSystem: fixture.system)
    #expect(try store.history(of: renamed) == nil && store.history(of: secret) == nil)
    #expect(try store.documentNumbers().count == 3)
    #expect(try store.verify().problems == [])
    try expectOthers({ try store.history(of: $0) }, fixture.workload.oracle, "seed \(seed)")
  }

  @Test func `its number is not used again, and its name may be`() throws {
    let fixture = try fixture(seed: 1)
    var writer = try openWriter(fixture.system)
    _ = try writer.forget(renamed)
    try writer.close()
    writer = try openWriter(fixture.system)
    #expect(writer.recovery.forgotten == [])
    var source = SecretSource()
    let list = try source.entries(6)
    _ = try writer.append([(renamed, list)])
    for sealed in [false, true] {
      if sealed { try writer.sealAll() }
      let store = try Store.open(at: "/store", fileSystem: fixture.system)
      #expect(try entries(store.history(of: renamed)) == list)
      #expect(try store.history(of: renamed)?.number == 5)
    }
    try writer.close()
    #expect(try entries(openWriter(fixture.system).history(of: renamed)) == list)
  }

  @Test func `a document that was never sealed leaves its number's folder`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = SecretSource()
    _ = try writer.append([(secret, try source.entries(9))])
    let receipt = try #require(try writer.forget(secret))
    #expect(receipt.removed.fileCount == 0 && receipt.removed.journals == [1])
    try expectGone(system, everywhere: true, "")
    _ = try writer.append([(name("b"), [.edit(Edit(sequence: 1, action: space))])])
    #expect(try writer.history(of: name("b"))?.number == 2)
  }

  private var space: EditAction { EditAction(replacing: UTF16Range(0..<0), with: " ") }

  @Test func `a job under way keeps a document, and its neighbours keep it too`() throws {
    var fixture = try fixture(seed: 0, rests: true)
    let writer = try openWriter(fixture.system)
    try fixture.append(3, to: renamed, writer)
    for document in [renamed, fixture.workload.documents[0]] {
      let job = try #require(try writer.prepareSeal(document))
      #expect(throws: LogError.self) { try writer.forget(renamed) }
      #expect(try entries(writer.history(of: renamed)) == fixture.entries)
      job.run()
      try writer.finish(job)
    }
    #expect(try writer.forget(renamed) != nil)
    try expectGone(fixture.system, everywhere: false, "")
  }

  /// The machine stops before each operation, and recovery is stopped before each of its own.
  @Test(arguments: seeds(3))
  func `a crash at any moment leaves it whole or ends with it gone`(seed: UInt64) throws {
    let fixture = try fixture(seed: seed)
    let moments = try self.moments(on: fixture.system) { system in
      _ = try openWriter(system).forget(renamed)
    }
    let done = try self.moments(on: fixture.system.copy()) { _ = try openWriter($0) }
    for (count, moment) in (moments + done.prefix(1)).enumerated() {
      for loss in [.all, .none, .some(seed: UInt64(count))] as [SimulatedFileSystem.Loss] {
        let system = SimulatedFileSystem.crash(moment, loss)
        if count % 12 == 4 * Int(seed % 3), loss != .none {
          let again = try self.moments(on: system.copy()) { _ = try openWriter($0) }
          for (count, moment) in again.enumerated() {
            try check(
              SimulatedFileSystem.crash(moment, .some(seed: UInt64(count))), fixture,
              isDone: false)
          }
        }
        try check(system, fixture, isDone: count == moments.count)
      }
    }
  }

  /// In steps, as the daemon does it: other documents are sealed and edited between them, and the process
  /// is killed after each.
  @Test(arguments: seeds(3))
  func `edits come between the steps`(seed: UInt64) throws {
    let fixture = try fixture(seed: seed)
    let writer = try openWriter(fixture.system)
    func check(isGone: Bool) throws {
      try fixture.workload.append(writer)
      let killed = SimulatedFileSystem.crash(fixture.system.snapshot, .none)
      let next = try openWriter(killed, seed: 2)
      #expect(try (next.history(of: renamed) == nil) == isGone)
      if isGone { try expectGone(killed, everywhere: false, "seed \(seed)") }
      try expectOthers({ try next.history(of: $0) }, fixture.workload.oracle, "seed \(seed)")
    }
    let neighbours = try #require(try writer.documentsToSeal(beforeForgetting: renamed))
    for neighbour in neighbours {
      try check(isGone: false)
      try writer.seal(neighbour)
    }
    #expect(!writer.isForgettingBlocked(of: renamed))
    var removal = try #require(try writer.beginForgetting(renamed)).removal
    try check(isGone: true)
    while try writer.continueForgetting(&removal) { try check(isGone: true) }
    try check(isGone: true)
    #expect(try Store.open(at: "/store", fileSystem: fixture.system).verify().problems == [])
  }

  private func moments(
    on system: SimulatedFileSystem, _ body: (any FileSystem) throws -> Void
  ) throws -> [SimulatedFileSystem.Snapshot] {
    let moments = Mutex<[SimulatedFileSystem.Snapshot]>([])
    let watched = FaultyFileSystem(system) { operation in
      guard Workload.changes.contains(operation.name) else { return }
      moments.withLock { $0.append(system.snapshot) }
    }
    try body(watched)
    return moments.withLock { $0 }
  }

  private func check(_ system: SimulatedFileSystem, _ fixture: Fixture, isDone: Bool) throws {
    let oracle = fixture.workload.oracle
    let store = try Store.open(at: "/store", fileSystem: system)
    let shown = try store.history(of: renamed)
    if let shown { #expect(try entries(shown) == fixture.entries) }
    #expect(store.damages == [])
    try expectOthers({ try store.history(of: $0) }, oracle, "a reader")
    let writer = try openWriter(system, seed: 2)
    #expect(writer.recovery.isSound && writer.recovery.unfinishedForgets == [])
    let history = try writer.history(of: renamed)
    // What a reader saw no more does not come back.
    #expect((history == nil) == (shown == nil))
    if let history {
      #expect(!isDone)
      #expect(try entries(history) == fixture.entries)
      #expect(try writer.forget(renamed) != nil)
    }
    try expectGone(system, everywhere: false, "after recovery")
    try expectOthers({ try writer.history(of: $0) }, oracle, "the writer")
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems == [])
  }

  /// An operation fails, once or for ever, and the store is opened again.
  @Test(arguments: [EIO, ENOSPC], [true, false])
  func `a failure leaves it whole or ends with it gone`(code: Int32, forEver: Bool) throws {
    let fixture = try fixture(seed: 2)
    var (first, isOver) = (1, false)
    while !isOver, first < 10_000 {
      let system = fixture.system.copy()
      let faulty = FaultyFileSystem(system)
      let writer = try openWriter(faulty)
      let start = faulty.operationCount
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.code, plan.forEver) = (start + first, code, forEver)
      faulty.setPlan(plan)
      do {
        _ = try writer.forget(renamed)
        isOver = faulty.operationCount < start + first
        #expect(try isOver || writer.history(of: renamed) == nil)
      } catch {}
      try check(SimulatedFileSystem.crash(system.snapshot, .all), fixture, isDone: isOver)
      first += 3
    }
    #expect(isOver && first > 10)
  }

  /// Readers before each operation: the document is whole or gone, and nothing looks damaged.
  @Test(arguments: UInt64(0)..<3)
  func `readers see it whole or not at all`(seed: UInt64) throws {
    let fixture = try fixture(seed: seed)
    let writer = try openWriter(fixture.system)
    try writer.close()
    let early = try Store.open(at: "/store", fileSystem: fixture.system)
    let failures = Mutex<[String]>([])
    let watched = FaultyFileSystem(fixture.system) { operation in
      guard Workload.changes.contains(operation.name) else { return }
      do {
        let store = try Store.open(at: "/store", fileSystem: fixture.system)
        if let history = try store.history(of: renamed) {
          #expect(try entries(history) == fixture.entries)
        }
        try expectOthers(
          { try store.history(of: $0) }, fixture.workload.oracle, "\(operation)")
        #expect(try store.verify().problems == [] && store.damages == [], "\(operation)")
        #expect(try early.verify().problems == [], "\(operation)")
      } catch { failures.withLock { $0.append("before \(operation): \(error)") } }
    }
    _ = try openWriter(watched).forget(renamed)
    #expect(failures.withLock { $0 } == [])
    // A reader that read the journals before still has their entries, if it needs no segment.
    if let history = try early.history(of: renamed) {
      #expect(try entries(history) == fixture.entries)
    }
  }

  @Test(arguments: UInt64(0)..<3)
  func `quarantined files are erased, others' records in them are kept`(seed: UInt64) throws {
    var fixture = try fixture(seed: seed, rests: true)
    var writer = try openWriter(fixture.system)
    var other = EntrySource(seed: 77)
    let kept = other.entries(of: name("kept"), count: 4)
    try writer.sealAll()
    try fixture.append(3, to: renamed, writer)
    _ = try writer.append([(name("kept"), kept)])
    try fixture.append(3, to: renamed, writer)
    try writer.close()
    let journal = try #require(fixture.system.names(at: "/store/journal").last)
    let path = "/store/journal/\(journal)"
    // Damage in the last entries of the secret, and a torn end after them.
    var bytes = try #require(fixture.system[path])
    let place = try #require(bytes.ranges(of: Array(Self.needle.utf8)).last)
    bytes[place.lowerBound + 1] ^= 1
    fixture.system[path] = bytes
    fixture.system.put(
      Array("torn \(Self.needle)".utf8), at: "/store/quarantine", "00000000000000000001.torn")
    fixture.system.put(
      Array("segment \(Self.needle)".utf8), at: "/store/quarantine",
      "00000000000000000001-2.mended")
    fixture.system.put([1, 2, 3], at: "/store/quarantine", "00000000000000000002.mended")
    fixture.system.put(
      Array("cut \(Self.needle)".utf8), at: "/store/quarantine", "00000000000000000009.torn.tmp")
    writer = try openWriter(fixture.system)
    #expect(!writer.recovery.isSound)
    let moments = try self.moments(on: fixture.system.copy()) { system in
      _ = try openWriter(system).forget(renamed)
    }
    for (count, moment) in moments.enumerated() where count % 3 == 0 {
      for loss in [.all, .some(seed: UInt64(count))] as [SimulatedFileSystem.Loss] {
        let system = SimulatedFileSystem.crash(moment, loss)
        _ = try openWriter(system).forget(renamed)
        try expectGone(system, everywhere: false, "moment \(count), lost \(loss)")
        try expectRecords(of: kept, in: system, journal)
      }
    }
    let receipt = try #require(try writer.forget(renamed))
    #expect(receipt.removed.erased == ["00000000000000000001.torn", journal].sorted())
    #expect(receipt.removed.unreadableSize > 0)
    try expectGone(fixture.system, everywhere: false, "")
    try expectRecords(of: kept, in: fixture.system, journal)
    #expect(fixture.system["/store/quarantine/00000000000000000002.mended"] == [1, 2, 3])
  }

  /// The entries of the document "kept" are still in the quarantined journal.
  private func expectRecords(
    of list: [HistoryEntry], in system: SimulatedFileSystem, _ journal: String
  ) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    let number = try #require(try store.documentNumbers()[name("kept")])
    let contents = try JournalContents(
      [try #require(StoreLayout.number(of: journal.prefix(20)))],
      in: system.directory(at: "/store/quarantine"), store: store.id, access: .read, mark: nil)
    let found = try contents.documents[number]?.fold(after: nil).list.entries()
    #expect(found == list)
    #expect(try entries(store.history(of: name("kept"))) == list)
  }

  @Test func `a document that cannot be read can be forgotten`() throws {
    let fixture = try fixture(seed: 2)
    let folder = "/store/documents/\(StoreLayout.name(of: 1))"
    for file in fixture.system.names(at: folder) where file.hasSuffix(".segment") {
      fixture.system[folder + "/" + file] = Array("bad".utf8)
    }
    let writer = try openWriter(fixture.system)
    #expect(throws: LogError.self) { try writer.history(of: renamed) }
    #expect(try writer.forget(renamed)?.editCount == 0)
    try expectGone(fixture.system, everywhere: false, "")
    #expect(try Store.open(at: "/store", fileSystem: fixture.system).verify().problems == [])
  }

  /// Its journal cannot go for the sake of a document whose entries have no other place.
  @Test func `a neighbour that cannot be sealed keeps it`() throws {
    var fixture = try fixture(seed: 2)
    var writer = try openWriter(fixture.system)
    _ = try writer.append([(name("near"), [.edit(Edit(sequence: 1, action: space))])])
    try writer.seal(name("near"))
    try fixture.append(2, to: renamed, writer)
    let edit = Edit(sequence: 2, action: space)
    _ = try writer.append([(name("near"), [.edit(edit)])])
    let number = try #require(try writer.history(of: name("near"))?.number)
    try writer.close()
    let path = "/store/documents/\(StoreLayout.name(of: number))/\(StoreLayout.name(of: 1)).segment"
    let whole = try #require(fixture.system[path])
    fixture.system[path] = [1, 2, 3]
    writer = try openWriter(fixture.system)
    #expect(throws: LogError.self) { try writer.forget(renamed) }
    #expect(try entries(writer.history(of: renamed)) == fixture.entries)
    try writer.close()
    fixture.system[path] = whole
    writer = try openWriter(fixture.system)
    #expect(try writer.forget(renamed) != nil)
    try expectGone(fixture.system, everywhere: false, "")
    #expect(try entries(writer.history(of: name("near"))).last == .edit(edit))
  }

  @Test func `no byte of it is left in real files`() throws {
    let folder = try PosixStoreTests.Folder()
    let path = folder.path + "/store"
    let writer = try StoreWriter(at: path, random: SeededBytes(seed: 1), options: .small)
    var source = SecretSource()
    let workload = Workload(seed: 5)
    for round in 0..<8 {
      _ = try writer.append([(secret, try source.entries(7))])
      try workload.append(writer)
      if round == 4 { try writer.seal(secret) }
    }
    #expect(!(try folder.files(holding: Self.needle)).isEmpty)
    _ = try writer.forget(secret)
    #expect(try folder.files(holding: Self.needle) == [])
    #expect(try folder.names(in: "store/documents/\(StoreLayout.name(of: 1))") == [])
    try writer.close()
    let store = try Store.open(at: path)
    #expect(try store.verify().problems == [])
    try expectOthers({ try store.history(of: $0) }, workload.oracle, "")
  }
}

extension SimulatedFileSystem {
  /// Makes a file, durably.
  fileprivate func put(_ bytes: [UInt8], at directory: String, _ name: String) {
    do {
      let directory = try self.directory(at: directory)
      let file = try directory.open(name, .create)
      try file.writeAll(bytes, at: 0)
      try file.sync()
      try directory.sync()
    } catch { Issue.record(error) }
  }
}

extension PosixStoreTests.Folder {
  /// The files below that hold the bytes of `text`.
  fileprivate func files(holding text: String) throws -> [String] {
    try allFiles(in: "").filter { file in
      let directory = try PosixFileSystem().directory(at: path + "/" + file.folder)
      let bytes = try directory.open(file.name, .read)
      return try bytes.read(bytes.size(), at: 0).hold(text)
    }.map(\.name)
  }

  /// The names in a folder below.
  fileprivate func names(in folder: String) throws -> [String] {
    try PosixFileSystem().directory(at: path + "/" + folder).names()
  }

  private func allFiles(in folder: String) throws -> [(folder: String, name: String)] {
    try names(in: folder).flatMap { name -> [(folder: String, name: String)] in
      let isFolder = (try? names(in: folder + "/" + name)) != nil
      return isFolder ? try allFiles(in: folder + "/" + name) : [(folder, name)]
    }
  }
}
