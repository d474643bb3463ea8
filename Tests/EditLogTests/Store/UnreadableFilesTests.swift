import EditModel
import Glibc
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Files that cannot be opened or read for a moment. The error says nothing about the bytes: the work
/// ends, and nothing sound is replaced, removed or called damaged.
@Suite struct UnreadableFilesTests {
  private static let codes = [EACCES, EPERM, EMFILE, ENFILE, ENOMEM, EIO, ESTALE, EINTR]
  private let content = Array("an attachment".utf8)

  /// A closed store that has each kind of file, and a loss that was not accepted.
  private func store() throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 3)
    do {
      let writer = try openWriter(system) { $0.loneSegmentSizeMax = 2_000 }
      for (letter, count) in [("a", 60), ("b", 4)] {
        _ = try writer.append([(name(letter), source.entries(of: name(letter), count: count))])
      }
      try writer.sealAll()
      let last = try #require(try writer.lastSequence(of: name("a")))
      try writer.writeCheckpoint(name("a"), at: last, Array("state".utf8))
      _ = try writer.attach(content, to: name("a"))
      _ = try writer.append([(name("c"), source.entries(of: name("c"), count: 3))])
      try writer.confirm()
    }
    let folder = try system.directory(at: "/store/documents/\(StoreLayout.name(of: 1))")
    let id = try Store.open(at: "/store", fileSystem: system).id
    try TraceFolder(folder, store: id, document: 1).add([], through: 1)
    for journal in system.names(at: "/store/journal") { system["/store/journal/\(journal)"] = nil }
    let writer = try openWriter(system, seed: 2)
    _ = try writer.append([(name("b"), source.entries(of: name("b"), count: 3))])
    try writer.close()
    system["/store/quarantine/00000000000000000009.torn"] = [1, 2, 3]
    return system
  }

  /// A start, and work that opens every kind of file.
  private func work(on system: any FileSystem) throws {
    let writer = try openWriter(system, seed: 2)
    var source = EntrySource(seed: 4)
    _ = try writer.append([(name("d"), source.entries(of: name("d"), count: 2))])
    try writer.seal(name("b"))
    _ = try writer.attach(content, to: name("a"))
    let traces = try writer.prepareCheckpoints(name("a")) { sink throws(LogError) in
      try sink.add([])
    }
    if let traces {
      traces.run()
      try writer.finish(traces)
    }
    _ = try writer.repair()
    _ = try writer.status()
    _ = try writer.forget(name("c"))
    _ = try writer.forget(name("d"))
    try writer.close()
  }

  /// Each operation that opens, lists or reads fails once.
  @Test(arguments: codes) func `nothing sound is replaced`(code: Int32) throws {
    let sound = try store()
    let losses = try Store.open(at: "/store", fileSystem: sound).losses().map(\.key)
    #expect(losses.count == 1)
    let counted = FaultyFileSystem(SimulatedFileSystem(sound.snapshot))
    try work(on: counted)
    // Each operation fails with one of the codes, and with EACCES.
    let step = code == EACCES ? 1 : Self.codes.count
    for first in stride(from: 1, through: counted.operationCount, by: step) {
      let system = SimulatedFileSystem(sound.snapshot)
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.code, plan.names) = (first, code, ["open", "list", "read", "stat", "lock"])
      do { try work(on: FaultyFileSystem(system, plan)) } catch let error as LogError {
        if case .damaged = error { Issue.record("operation \(first): \(error)") }
      }
      let caches = sound.filePaths.filter { $0.hasSuffix(".checkpoint") || $0.hasSuffix(".traces") }
      for path in caches { #expect(system[path] == sound[path], "operation \(first): \(path)") }
      let writer = try openWriter(system, seed: 2)
      #expect(writer.recovery.isSound, "operation \(first)")
      #expect(writer.losses.map(\.key) == losses, "operation \(first)")
      #expect(writer.recovery.madeAnew.isEmpty, "operation \(first)")
      try writer.close()
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.verify().problems == [], "operation \(first)")
      #expect(try store.attachments(of: name("a")).count == 1, "operation \(first)")
    }
  }

  /// A reader goes on without the catalog and the durable mark, and says that they cannot be read.
  @Test(arguments: ["/catalog", "/confirmed"])
  func `a reader does not call it damaged`(file: String) throws {
    let system = FaultyFileSystem(try store())
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.pathEnd) = (1, true, EACCES, file)
    system.setPlan(plan)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try !entries(store.history(of: name("a"))).isEmpty)
    let losses = try store.losses().filter { "/" + $0.file == file }
    #expect(losses.count == 1)
    for loss in losses {
      #expect(loss.what.contains("cannot be read") && !loss.what.contains("damaged"))
    }
    #expect {
      _ = try store.verify()
    } throws: { error in
      if case LogError.io(_, let path, EACCES) = error { path.hasSuffix(file) } else { false }
    }
  }

  /// Without what editors were asked for, a request that is sent again would be logged twice.
  @Test func `what editors were asked for is not overlooked`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 3))])
    try writer.keepAsked([1, 2], of: name("a"))
    try writer.close()
    let faulty = FaultyFileSystem(system)
    let history = try #require(
      try Store.open(at: "/store", fileSystem: faulty).history(of: name("a")))
    #expect(try history.asked == [1, 2])
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code, plan.pathEnd) = (1, true, EMFILE, "/asked.edits")
    faulty.setPlan(plan)
    #expect(throws: LogError.self) { _ = try history.asked }
  }
}
