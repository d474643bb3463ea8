@testable import EditLog
@testable import EditLogFormat
import EditModel
import Synchronization
import TestSupport
import Testing

/// What a store takes, and what opening it would do.
@Suite struct UsageTests {
  /// The parts of all documents and the rest are the bytes of all files.
  @Test(arguments: UInt64(0)..<4)
  func `every byte is counted once`(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let workload = Workload(seed: seed)
    let writer = try openWriter(system)
    for _ in 0..<25 { try workload.step(writer) }
    try workload.finishJobs(writer)
    let store = try Store.open(at: "/store", fileSystem: system)
    let usage = try store.usage()
    #expect(usage.size == system.files.values.reduce(0) { $0 + $1.count })
    #expect(usage.documents.map(\.document) == (try store.documents().map(\.document)))
    for (document, summary) in zip(usage.documents, try store.documents()) {
      #expect(document.editCount == summary.lastSequence)
      #expect(
        document.blockSize + document.footerSize + document.paritySize + document.otherSize
          == summary.sealedSize)
      let sum = document.ages.reduce(0) { $0 + $1.size }
      #expect(sum == document.blockSize + summary.unsealedSize)
    }
  }

  /// A segment is opened for its parts, and with the history for the number of edits.
  @Test func `a segment is opened twice`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let workload = Workload(seed: 3)
    for _ in 0..<10 { try workload.append(writer) }
    try writer.sealAll()
    try writer.close()
    let counts = Mutex<[String: Int]>([:])
    let watched = FaultyFileSystem(system) { operation in
      guard operation.name == "open", operation.path.hasSuffix(".segment") else { return }
      counts.withLock { $0[operation.path, default: 0] += 1 }
    }
    let store = try Store.open(at: "/store", fileSystem: watched)
    counts.withLock { $0 = [:] }
    _ = try store.usage()
    let opened = counts.withLock { $0 }
    #expect(!opened.isEmpty && opened.values.allSatisfy { $0 <= 2 }, "\(opened)")
  }

  @Test func `no block is read`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let workload = Workload(seed: 3)
    for _ in 0..<30 { try workload.append(writer) }
    try writer.sealAll()
    try writer.close()
    let whole = try Store.open(at: "/store", fileSystem: system).usage()
    for (path, bytes) in system.files where path.hasSuffix(".segment") {
      // The header of the first block is in the footer too.
      var changed = bytes
      changed[FileHeader.size + 10] ^= 1
      system[path] = changed
    }
    #expect(try Store.open(at: "/store", fileSystem: system).usage() == whole)
  }

  @Test func `a segment that cannot be read is counted`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    try Workload(seed: 3).append(writer)
    try writer.sealAll()
    try writer.close()
    for path in system.files.keys where path.hasSuffix(".segment") { system[path] = [1, 2, 3] }
    let store = try Store.open(at: "/store", fileSystem: system)
    let usage = try store.usage()
    #expect(usage.size == system.files.values.reduce(0) { $0 + $1.count })
    #expect(usage.documents.allSatisfy { $0.otherSize == 3 && $0.editCount == 0 })
    // Damage to one document does not hide the list.
    #expect(try store.documents().allSatisfy { $0.problem != nil })
    #expect(try openWriter(system).documents().allSatisfy { $0.problem != nil })
  }

  @Test func `what opening would do is said, and done`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    for _ in 0..<3 {
      _ = try writer.append([(name("a"), (0..<3).map { _ in source.edit(of: name("a")) })])
    }
    let path = "/store/journal/00000000000000000001.journal"
    let before = try #require(system[path])
    #expect(try Store.open(at: "/store", fileSystem: system.copy()).recoverySteps() == [])
    let end = (before.lastIndex { $0 != 0 } ?? 0) + 1
    let torn = system.copy()
    torn[path]?.replaceSubrange(end + 5..<end + 9, with: [1, 2, 3, 4])
    let steps = try Store.open(at: "/store", fileSystem: torn).recoverySteps()
    #expect(steps.count == 1 && steps.first?.file == "journal/00000000000000000001.journal")
    #expect(torn.names(at: "/store/quarantine") == [])
    #expect(try openWriter(torn, seed: 2).recovery.quarantined == ["00000000000000000001.torn"])
    let unheaded = system.copy()
    unheaded[path]?[20] ^= 1
    let header = try Store.open(at: "/store", fileSystem: unheaded).recoverySteps()
    #expect(header.count == 1 && header.first?.what.hasPrefix("the header has changed;") == true)
    let opened = try openWriter(unheaded, seed: 2)
    #expect(opened.recovery.madeAnew == header && opened.recovery.quarantined == [])
    let damaged = system.copy()
    damaged[path]?[FileHeader.size + BatchHeader.size * 2 + 20] ^= 1
    let found = try Store.open(at: "/store", fileSystem: damaged).recoverySteps()
    #expect(
      found.count == 1 && found.first?.what.contains("the journal is moved to quarantine") == true)
    #expect(
      try openWriter(damaged, seed: 2).recovery.quarantined == ["00000000000000000001.journal"])
  }
}
