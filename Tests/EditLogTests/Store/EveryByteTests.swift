import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// A check of a store at rest compares every byte of every file with what must be there.
@Suite struct EveryByteTests {
  private let document = name("a")

  private func make() throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system) { $0.segmentSizeMax = 1 << 20 }
    var source = EntrySource(seed: 1)
    _ = try writer.append([(document, source.entries(of: document, count: 30))])
    try writer.seal(document)
    let last = try writer.lastSequence(of: document) ?? 0
    try writer.writeCheckpoint(document, at: last, Array("a state".utf8))
    _ = try writer.append([(document, source.entries(of: document, count: 5))])
    try writer.close()
    return system
  }

  private func isSound(_ system: SimulatedFileSystem) throws -> Bool {
    guard let store = try? Store.open(at: "/store", fileSystem: system) else { return false }
    let report = try store.verify()
    return report.problems.isEmpty && report.badCheckpoints.isEmpty && report.tornEnds.isEmpty
      && report.unknownFiles.isEmpty && report.damages.isEmpty && report.losses.isEmpty
  }

  @Test func `a flipped bit in any byte is found`() throws {
    let system = try make()
    let snapshot = system.snapshot
    #expect(try isSound(system))
    for path in system.filePaths where !path.hasSuffix("/lock") {
      let bytes = try #require(system[path])
      // Most of some files is zeros: of these one byte in 61.
      for offset in bytes.indices where bytes[offset] != 0 || offset % 61 == 0 {
        let flipped = SimulatedFileSystem(snapshot)
        flipped[path]?[offset] ^= 1 << UInt8(offset % 8)
        if try isSound(flipped) { Issue.record("\(path), byte \(offset)") }
      }
    }
  }

  @Test(arguments: [64, 4095, 4096, 4110, 4150, 4160, 8191, 8192, 8200, 8255])
  func `a repair rewrites the durable mark`(offset: Int) throws {
    let system = try make()
    system["/store/confirmed"]?[offset] ^= 4
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.map(\.isRepairable) == [true])
    #expect(try store.repairs().map(\.file) == ["confirmed"])
    let writer = try openWriter(system, seed: 2)
    // Opening a store writes over a slot that is bad and older; the rest is for the repair.
    #expect(try writer.repair().allSatisfy { $0.file == "confirmed" })
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    var source = EntrySource(seed: 9)
    _ = try writer.append([(name("b"), source.entries(of: name("b"), count: 2))])
    try writer.close()
    #expect(try isSound(system))
  }

  @Test func `files that are no part of a store are reported`() throws {
    let system = try make()
    let paths = [
      "documents/00000000000000000001/notes", "documents/x", "journal/1.journal", "stray",
      "documents/00000000000000000001/00000000000000000009.journal",
    ]
    for path in paths { system["/store/" + path] = [1] }
    // These may be under way.
    for path in ["format.tmp", "journal/00000000000000000009.tmp"] { system["/store/" + path] = [] }
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.unknownFiles == paths.sorted())
    #expect(report.problems.isEmpty)
  }

  @Test func `a journal under another name is reported`() throws {
    let system = try make()
    let name = try #require(system.names(at: "/store/journal").last)
    let journals = try system.directory(at: "/store/journal")
    try journals.rename(name, to: "00000000000000000077.journal", in: journals)
    #expect(try !isSound(system))
  }

  /// Entries that a footer counts and no block has would be passed over in the journal.
  @Test func `a footer that counts other entries is reported`() throws {
    let system = try make()
    let path = "/store/documents/00000000000000000001/00000000000000000001.segment"
    var parts = try #require(SegmentParts(system[path] ?? []))
    let count = parts[1]?.number(at: 0, size: 8) ?? 0
    parts[1]?.put(UInt64(count) + 5, at: 0, size: 8)
    system[path] = parts.file
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.contains { "\($0.error)".contains("counts other entries") })
  }
}
