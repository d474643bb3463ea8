@testable import EditLog
@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

/// Files in quarantine: what is proven to be in the histories can be removed, and nothing else.
@Suite struct QuarantineTests {
  private static let folder = "/store/quarantine"
  private static let segment = "/store/documents/00000000000000000001/00000000000000000001.segment"
  private let document = name("a")

  /// A store with one sealed document of `count` entries.
  private func sealed(count: Int) throws -> (SimulatedFileSystem, EntrySource) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 5)
    _ = try writer.append([(document, source.entries(of: document, count: count))])
    try writer.sealAll()
    try writer.close()
    return (system, source)
  }

  private func files(_ system: SimulatedFileSystem) throws -> [QuarantinedFile] {
    try Store.open(at: "/store", fileSystem: system).verify().quarantinedFiles
  }

  @Test func `what a repair rebuilt is recovered, and can be removed`() throws {
    var (system, source) = try sealed(count: 400)
    system[Self.segment]?[200] ^= 1
    let writer = try openWriter(system, seed: 2)
    #expect(try writer.repair().count == 1)
    let aside = "quarantine/00000000000000000001.mended"
    #expect(try files(system).map(\.file) == [aside])
    #expect(try files(system).map(\.content) == [.recovered])

    // The history continues in other blocks: the proof compares entries.
    let more = source.entries(of: document, count: 300)
    _ = try writer.append([(document, more)])
    try writer.seal(document)
    #expect(try files(system).map(\.content) == [.recovered])
    let expected = try entries(writer.history(of: document))

    #expect(try writer.removeRecovered().map(\.file) == [aside])
    #expect(system.names(at: Self.folder).isEmpty)
    #expect(try writer.removeRecovered().isEmpty)
    try writer.close()
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.isEmpty && report.quarantined.isEmpty)
    #expect(
      try entries(Store.open(at: "/store", fileSystem: system).history(of: document)) == expected)
  }

  @Test func `a removed file stays removed after a crash`() throws {
    let (system, _) = try sealed(count: 400)
    system[Self.segment]?[200] ^= 1
    let writer = try openWriter(system, seed: 2)
    _ = try writer.repair()
    #expect(try writer.removeRecovered().count == 1)
    let crashed = SimulatedFileSystem.crash(system.snapshot, .all)
    #expect(crashed.names(at: Self.folder).isEmpty)
  }

  @Test func `an entry that the history lacks keeps the file`() throws {
    let (system, _) = try sealed(count: 400)
    let longer = try #require(system[Self.segment])
    let (other, _) = try sealed(count: 200)
    let writer = try openWriter(other, seed: 2)
    other[Self.folder + "/00000000000000000001.segment"] = longer
    let file = try #require(try files(other).first)
    guard case .unproven = file.content else {
      Issue.record("\(file.content)")
      return
    }
    #expect(try writer.removeRecovered().isEmpty)
    #expect(other[Self.folder + "/00000000000000000001.segment"] == longer)
  }

  /// Whatever bit of a quarantined segment is changed, its entries are compared after it is repaired
  /// in memory; a file that cannot be repaired is kept.
  @Test func `damage beyond repair proves nothing`() throws {
    let (system, _) = try sealed(count: 400)
    let whole = try #require(system[Self.segment])
    let path = Self.folder + "/00000000000000000001.mended"
    system[path] = whole
    #expect(try files(system).map(\.content) == [.recovered])
    for offset in 0..<whole.count { system[path]?[offset] ^= 0x5A }
    #expect(try files(system).map(\.content) == [.unproven(reason: "it cannot be read")])
    let writer = try openWriter(system, seed: 2)
    #expect(try writer.removeRecovered().isEmpty)
    #expect(system[path] != nil)
  }

  @Test func `a torn end holds nothing that was acknowledged, and is kept`() throws {
    let system = SimulatedFileSystem()
    var writer = try openWriter(system)
    var source = EntrySource(seed: 9)
    _ = try writer.append([(document, source.entries(of: document, count: 3))])
    let journal = "/store/journal/00000000000000000001.journal"
    let end = (system[journal]?.lastIndex { $0 != 0 } ?? 0) + 1
    _ = try writer.append([(document, source.entries(of: document, count: 3))])
    let copy = system.copy()
    copy[journal]?[end + 40] ^= 1
    writer = try openWriter(copy, seed: 3)
    #expect(try files(copy).map(\.content) == [.unacknowledged])
    #expect(try writer.removeRecovered().isEmpty)
    #expect(copy.names(at: Self.folder).count == 1)
  }

  @Test func `a journal is recovered if no batch and no entry is missing`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 4)
    for document in [name("a"), name("b"), name("a")] {
      _ = try writer.append([(document, source.entries(of: document, count: 5))])
    }
    let journal = try #require(system["/store/journal/00000000000000000001.journal"])
    try writer.sealAll()
    let path = Self.folder + "/00000000000000000001.journal"
    system[path] = journal
    #expect(try files(system).map(\.content) == [.recovered])
    let batch = 64 + 64 + 10
    system[path]?[batch] ^= 1
    let content = try #require(try files(system).first).content
    #expect(content != .recovered && content != .unacknowledged)
    #expect(try writer.removeRecovered().isEmpty)
    system[path] = journal
    // Without one of its documents, the journal is the only place that has its entries.
    _ = try writer.forget(name("b"))
    let left = try files(system).map(\.content)
    #expect(left == [.recovered])
    #expect(try writer.removeRecovered().count == 1)
  }
}
