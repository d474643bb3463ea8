import EditModel
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Files that are missing, cut, or in each other's place: what `Tools/torture missing` found.
@Suite struct MissingFilesTests {
  private func append(
    _ letter: String, _ count: Int, _ source: inout EntrySource, _ writer: StoreWriter
  ) throws {
    _ = try writer.append([(name(letter), source.entries(of: name(letter), count: count))])
  }

  private func isReported(_ system: SimulatedFileSystem) throws -> Bool {
    try Store.open(at: "/store", fileSystem: system).losses().contains { $0.acceptedTime == nil }
  }

  /// A store that was killed, with three edits each in two journals.
  private func twoJournals() throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let writer = try openWriter(system)
    try append("a", 3, &source, writer)
    try writer.roll(isKept: true)
    try append("b", 3, &source, writer)
    try writer.confirm()
    return system
  }

  /// Two journals in each other's place: the batches of the first come after those of the second,
  /// and look like a torn end.
  @Test func `a journal under another's name is missed`() throws {
    let system = try twoJournals()
    let paths = system.filePaths.filter { $0.hasSuffix(".journal") }
    #expect(paths.count == 2)
    let contents = paths.map { system[$0] }
    (system[paths[0]], system[paths[1]]) = (contents[1], contents[0])
    #expect(try isReported(system))
    _ = try openWriter(system, seed: 2)
    #expect(try isReported(system))
  }

  /// A journal emptied under its writer: there is no number to count the lost batches from.
  @Test func `batches before the first that is found are missed`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    do {
      let writer = try openWriter(system)
      try append("a", 3, &source, writer)
      let path = try #require(system.filePaths.first { $0.hasSuffix(".journal") })
      system[path] = []
      try append("b", 3, &source, writer)
      try writer.confirm()
    }
    #expect(try isReported(system))
    _ = try openWriter(system, seed: 2)
    #expect(try isReported(system))
  }

  /// A store of one document that is in the journal alone, as a kill leaves it.
  private func killed() throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let writer = try openWriter(system)
    try append("a", 3, &source, writer)
    try writer.confirm()
    return system
  }

  private func loseJournals(_ system: SimulatedFileSystem) {
    for journal in system.names(at: "/store/journal") { system["/store/journal/\(journal)"] = nil }
  }

  /// With the durable mark and the journals removed, journals that segments name are still missed.
  @Test func `journals that are gone with the mark are missed`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    do {
      let writer = try openWriter(system)
      try append("a", 3, &source, writer)
      try writer.sealAll()
      try append("a", 3, &source, writer)
      try writer.confirm()
    }
    for path in system.filePaths where path.hasSuffix(".journal") { system[path] = nil }
    system["/store/confirmed"] = nil
    for seed in [UInt64(2), 3] {
      let writer = try openWriter(system, seed: seed)
      let open = writer.losses.filter(\.mayConcernAnyDocument)
      #expect(open.map(\.file) == ["journal/00000000000000000001.journal"], "start \(seed)")
      if seed == 2 { #expect(writer.recovery.madeAnew.map(\.file) == ["confirmed"]) }
      try writer.close()
    }
  }

  /// Segments are removed while a journal still has their entries: nothing is lost.
  @Test(arguments: [false, true])
  func `what the journals still have is no loss to accept`(isMarked: Bool) throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let list: [HistoryEntry]
    do {
      let writer = try openWriter(system)
      list = (0..<5).map { _ in source.edit(of: name("a")) }
      _ = try writer.append([(name("a"), list)])
      // Keeps the journal.
      try append("b", 3, &source, writer)
      try writer.seal(name("a"))
      if isMarked { try writer.markDurable() }
    }
    for path in system.filePaths where path.hasSuffix(".segment") { system[path] = nil }
    let writer = try openWriter(system, seed: 2)
    #expect(try writer.acceptLosses() == [])
    #expect(try entries(writer.history(of: name("a"))) == list)
    let folder = "documents/00000000000000000001"
    #expect(writer.recovery.madeAnew.map(\.file) == (isMarked ? [folder] : []))
    // What is recorded says so: it is reported as long as the store exists.
    #expect(writer.losses.count == (isMarked ? 1 : 0))
    #expect(writer.losses.allSatisfy { $0.what.hasSuffix("nothing is missing") })
  }

  /// A store of one document with two segments. `end` runs before the writer is closed.
  private func twoSegments(
    _ source: inout EntrySource, _ end: (StoreWriter) throws -> Void = { _ in }
  ) throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system) { ($0.segmentSizeMax, $0.journalSizeMin) = (1, 1) }
    for _ in 0..<2 {
      try append("a", 5, &source, writer)
      try writer.sealAll()
    }
    try end(writer)
    try writer.close()
    return system
  }

  /// Accepting a loss fails, or is killed, at any operation: the loss stays known, or is accepted.
  @Test(arguments: [true, false]) func `a failed acceptance forgets nothing`(isKilled: Bool) throws
  {
    var source = EntrySource(seed: 1)
    let system = try twoSegments(&source) { writer in try writer.roll(isKept: false) }
    let path = try #require(system.filePaths.first { $0.hasSuffix("1.segment") })
    system[path] = nil
    var isDone = false
    for number in 1...200 where !isDone {
      let disk = SimulatedFileSystem(system.snapshot)
      let operations = Mutex(0)
      let faulty = FaultyFileSystem(disk) { _ in operations.withLock { $0 += 1 } }
      let next = try openWriter(faulty, seed: 2)
      var plan = FaultyFileSystem.Plan()
      plan.first = operations.withLock { $0 } + number
      (plan.forEver, plan.code) = (true, isKilled ? EIO : ENOSPC)
      faulty.setPlan(plan)
      do {
        _ = try next.acceptLosses()
        isDone = true
      } catch {}
      faulty.setPlan(FaultyFileSystem.Plan())
      let store = try Store.open(at: "/store", fileSystem: disk)
      let losses = try store.losses()
      let isRefused = (try? entries(store.history(of: name("a")))) == nil
      #expect(isRefused || !losses.isEmpty, "operation \(number)")
      if !isDone {
        #expect(
          try isRefused || losses.contains { $0.acceptedTime == nil }
            || store.history(of: name("a"))?.damage.isEmpty == false, "operation \(number)")
      }
    }
    #expect(isDone)
  }

  /// A journal is put back after a writer continued without it: the entries that the writer
  /// acknowledged are reported as damaged, not dropped silently.
  @Test func `a journal that comes back is a fork`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let first: [HistoryEntry]
    do {
      let writer = try openWriter(system)
      first = (0..<3).map { _ in source.edit(of: name("a")) }
      _ = try writer.append([(name("a"), Array(first.prefix(1)))])
      try writer.seal(name("a"))
      _ = try writer.append([(name("a"), Array(first.dropFirst()))])
      try writer.markDurable()
    }
    let path = try #require(system.filePaths.first { $0.hasSuffix(".journal") })
    let bytes = try #require(system[path])
    system[path] = nil
    do {
      let writer = try openWriter(system, seed: 2)
      let edit = source.edit(of: name("a"), after: 1)
      _ = try writer.append([(name("a"), [edit])])
      try writer.markDurable()
    }
    system[path] = bytes
    for _ in 0..<2 {
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.history(of: name("a"))?.damage.contains { !$0.isAccepted } == true)
      #expect(try !store.verify().problems.isEmpty || !store.losses().isEmpty)
      let writer = try openWriter(system, seed: 3)
      #expect(try writer.history(of: name("a"))?.damage.contains { !$0.isAccepted } == true)
    }
  }

  /// The first journal without a batch: the later ones do not show how many it had.
  @Test(arguments: [0, 63, 64, 100])
  func `a first journal that is cut to nothing is missed`(size: Int) throws {
    let system = try twoJournals()
    let path = try #require(system.filePaths.first { $0.hasSuffix(".journal") })
    system[path] = system[path].map { Array($0.prefix(size)) }
    #expect(try isReported(system))
    _ = try openWriter(system, seed: 2)
    #expect(try isReported(system))
  }

  /// A store is made with its mark: without one, and without journals, it is not a new one.
  @Test(arguments: [nil, 0, 4096, 8192, 8319])
  func `a mark and the journals gone together are missed`(size: Int?) throws {
    let system = try killed()
    loseJournals(system)
    system["/store/confirmed"] = size.flatMap { size in
      system["/store/confirmed"].map { Array($0.prefix(size)) }
    }
    #expect(try isReported(system))
    var source = EntrySource(seed: 2)
    let writer = try openWriter(system, seed: 2)
    try append("b", 1, &source, writer)
    #expect(try isReported(system))
    #expect(try #require(writer.numbers[name("b")]) > 1, "a number is given twice")
  }

  /// Catalog and journals gone together: which numbers were given, the mark says from the first
  /// opening on, also that of a store of format 1.0.
  @Test func `a mark knows the numbers of a store that was opened`() throws {
    let system = try ReleasedFiles.load(.journal, .v1_0)
    let numbers = try Store.open(at: "/store", fileSystem: system).documentNumbers()
    let last = try #require(numbers.values.max())
    _ = try openWriter(system, seed: 2)
    loseJournals(system)
    system["/store/catalog"] = nil
    var source = EntrySource(seed: 2)
    let writer = try openWriter(system, seed: 3)
    try append("new", 1, &source, writer)
    #expect(try #require(writer.numbers[name("new")]) > last)
  }

  /// A crash while a store is made leaves a mark without `format`; the next writer makes it.
  @Test func `a writer writes a lost format file again`() throws {
    let system = try killed()
    let format = system["/store/format"]
    system["/store/format"] = nil
    _ = try openWriter(system, seed: 2)
    #expect(system["/store/format"]?.count == format?.count)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// An older copy of `format`, from before there was a catalog, does not hide it.
  @Test func `a format of 1_0 does not hide the catalog`() throws {
    let system = try killed()
    let id = try Store.open(at: "/store", fileSystem: system).id
    loseJournals(system)
    try openWriter(system, seed: 2).close()
    let header = FileHeader(.store, store: id).bytes
    system["/store/format"] =
      header + [UInt8](repeating: 0, count: 4096 - header.count) + header
    #expect(try isReported(system))
    _ = try openWriter(system, seed: 3)
    #expect(try isReported(system))
    #expect(try StoreFormat.read(in: system.directory(at: "/store")).hasCatalog)
  }

  /// Segments that were removed, or replaced by older ones, under their writer: later entries
  /// stay in the journal.
  @Test(arguments: [true, false]) func `nothing is sealed after a gap`(isOlder: Bool) throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let writer = try openWriter(system)
    try append("a", 2, &source, writer)
    try writer.sealAll()
    let path = try #require(system.filePaths.first { $0.hasSuffix(".segment") })
    let old = system[path]
    try append("a", 2, &source, writer)
    try writer.sealAll()
    try append("a", 2, &source, writer)
    let whole = system[path]
    system[path] = isOlder ? old : nil
    #expect(throws: LogError.self) { try writer.sealAll() }
    system[path] = whole
    #expect(try entries(writer.history(of: name("a"))).count == 6)
    try writer.sealAll()
  }

  /// The catalog and a document's first segment lost together: what can be known is said, nothing
  /// is appended, and the loss can be accepted.
  @Test func `a first segment lost with the catalog is accepted`() throws {
    var source = EntrySource(seed: 1)
    let system = try twoSegments(&source)
    system["/store/catalog"] = nil
    let path = try #require(system.filePaths.first { $0.hasSuffix(".segment") })
    system[path] = nil
    let next = try openWriter(system, seed: 2)
    #expect(throws: LogError.self) { try append("a", 1, &source, next) }
    _ = try next.acceptLosses()
    #expect(try entries(next.history(of: name("a"))).isEmpty)
    var fresh = EntrySource(seed: 2)
    try append("a", 1, &fresh, next)
  }
}
