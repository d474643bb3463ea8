import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// A small document has one file and no folder; one that grows moves into a folder.
@Suite struct LoneSegmentTests {
  private static let lone = "/store/documents/00000000000000000001.segment"
  private static let folder = "/store/documents/00000000000000000001"
  private static let inFolder = folder + "/00000000000000000001.segment"
  private let document = name("a")

  private func open(_ system: any FileSystem, segmentSizeMax: Int = 1 << 20) throws -> StoreWriter {
    try openWriter(system) {
      $0.loneSegmentSizeMax = 4_096
      $0.segmentSizeMax = segmentSizeMax
    }
  }

  private func read(_ system: any FileSystem) throws -> [HistoryEntry] {
    try entries(Store.open(at: "/store", fileSystem: system).history(of: document))
  }

  private func files(_ system: SimulatedFileSystem) -> [String] {
    system.filePaths.filter { $0.hasPrefix("/store/documents/") }.sorted()
  }

  /// A closed store with one small document.
  private func small() throws -> (SimulatedFileSystem, EntrySource, [HistoryEntry]) {
    let system = SimulatedFileSystem()
    let writer = try open(system)
    var source = EntrySource(seed: 3)
    let list = source.entries(of: document, count: 3)
    _ = try writer.append([(document, list)])
    try writer.sealAll()
    try writer.close()
    return (system, source, list)
  }

  @Test func `one edit is one file of one block`() throws {
    let (system, _, list) = try small()
    #expect(files(system) == [Self.lone])
    #expect(system.names(at: "/store/documents") == ["00000000000000000001.segment"])
    #expect(try #require(system[Self.lone]).count <= 4_096)
    #expect(try read(system) == list)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    // Without the catalog, the name is in the segment.
    system["/store/catalog"] = nil
    #expect(try read(system) == list)
  }

  /// The machine stops before each operation of a sealing that outgrows the file, with any part of
  /// what was not durable: one of the two first segments is read, and the next sealing leaves one.
  @Test func `growing out of the file loses nothing`() throws {
    let (system, start, list) = try small()
    var source = start
    let new = source.entries(of: document, count: 300)
    var (stops, isDone) = (0, false)
    while !isDone, stops < 10_000 {
      stops += 1
      let disk = SimulatedFileSystem(system.snapshot)
      let faulty = FaultyFileSystem(disk)
      let writer = try open(faulty)
      _ = try writer.append([(document, new)])
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (faulty.operationCount + stops, true)
      faulty.setPlan(plan)
      isDone = (try? writer.sealAll()) != nil
      for loss in [.all, .none, .some(seed: UInt64(stops))] as [SimulatedFileSystem.Loss] {
        let after = SimulatedFileSystem.crash(disk.snapshot, loss)
        #expect(try read(after) == list + new, "stopped at \(stops)")
        let next = try open(after)
        try next.sealAll()
        // A sealing that did all but remove the older file leaves it to the next one.
        _ = try next.append([(document, [source.edit(of: document)])])
        try next.sealAll()
        #expect(files(after) == [Self.inFolder], "stopped at \(stops)")
        source.resume(from: [document: list + new])
      }
    }
    #expect(isDone && stops > 20)
  }

  /// More segments and checkpoints go into the folder; the first stays where it is.
  @Test func `a second segment has a folder`() throws {
    let (system, start, list) = try small()
    var source = start
    let writer = try open(system, segmentSizeMax: 1)
    let new = source.entries(of: document, count: 5)
    _ = try writer.append([(document, new)])
    try writer.sealAll()
    try writer.writeCheckpoint(document, at: 1, [1, 2, 3])
    let first = system[Self.lone]
    #expect(files(system).count == 3 && files(system).contains(Self.lone))
    #expect(system[Self.inFolder] == nil)
    #expect(try read(system) == list + new)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    try writer.close()
    #expect(system[Self.lone] == first)
  }

  /// A job that stores no checkpoint makes no folder.
  @Test func `a job without a checkpoint makes no folder`() throws {
    let (system, _, _) = try small()
    let writer = try open(system)
    let job = try #require(try writer.prepareCheckpoints(document) { _ in })
    job.run()
    try writer.finish(job)
    #expect(system.names(at: "/store/documents") == ["00000000000000000001.segment"])
    try writer.close()
  }

  /// Damage beside a folder is found and mended in its place.
  @Test func `a damaged file is mended in its place`() throws {
    let (system, _, list) = try small()
    let whole = system[Self.lone]
    system[Self.lone]?[100] ^= 4
    #expect(try read(system) == list)
    let problems = try Store.open(at: "/store", fileSystem: system).verify().problems
    #expect(problems.count == 1 && problems.allSatisfy { $0.isRepairable })
    #expect("\(problems)".contains("documents/00000000000000000001.segment"))
    let writer = try open(system)
    #expect(try writer.repair().count == 1)
    try writer.close()
    #expect(system[Self.lone] == whole)
  }

  /// Forgetting erases the file, and its older copy beside a folder.
  @Test(arguments: [false, true]) func `forgetting leaves nothing`(hasOlder: Bool) throws {
    let (system, start, _) = try small()
    let older = try #require(system[Self.lone])
    if hasOlder {
      var source = start
      let writer = try open(system)
      _ = try writer.append([(document, source.entries(of: document, count: 300))])
      try writer.sealAll()
      try writer.close()
      system[Self.lone] = older
    }
    let writer = try open(system)
    _ = try writer.forget(document)
    try writer.close()
    #expect(files(system) == [])
    #expect(system.names(at: "/store/documents") == ["00000000000000000001"])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.history(of: document) == nil)
    #expect(try store.verify().problems.isEmpty)
  }

  /// A reader that looked before a document moved into a folder reads it there.
  @Test func `a reader follows a document into its folder`() throws {
    let (system, start, list) = try small()
    var source = start
    let documents = try #require(
      try system.directory(at: "/store").documentsIfPresent()?.document(1))
    let writer = try open(system)
    let new = source.entries(of: document, count: 300)
    _ = try writer.append([(document, new)])
    try writer.sealAll()
    #expect(system[Self.lone] == nil)
    let id = try Store.open(at: "/store", fileSystem: system).id
    let sealed = try SealedPart(in: documents, store: id, document: 1)
    #expect(sealed.lastSequence == (list + new).last { $0.isEdit }?.place)
  }

  /// A bad first segment in the folder hides the sound one beside it without removing it. Accepting
  /// the loss quarantines the bad one and loses nothing.
  @Test(arguments: [[], [UInt8](repeating: 7, count: 900)])
  func `a bad file in the folder removes nothing`(junk: [UInt8]) throws {
    let (system, start, list) = try small()
    var source = start
    let whole = try #require(system[Self.lone])
    _ = try system.directory(at: "/store/documents").createDirectory("00000000000000000001")
    system[Self.inFolder] = junk
    #expect(throws: LogError.self) { try read(system) }
    let writer = try open(system)
    #expect(throws: LogError.self) {
      _ = try writer.append([(document, [source.edit(of: document)])])
    }
    #expect(system[Self.lone] == whole)
    #expect(try writer.acceptLosses().isEmpty)
    try writer.close()
    #expect(system[Self.lone] == whole)
    #expect(system.names(at: "/store/quarantine").count == 1)
    #expect(try read(system) == list)
  }

  /// A file that is gone is damage, as a folder is.
  @Test func `a missing file is reported`() throws {
    let (system, _, _) = try small()
    system[Self.lone] = nil
    let error = #expect(throws: LogError.self) { try read(system) }
    #expect("\(String(describing: error))".contains("the document's files are missing"))
  }
}
