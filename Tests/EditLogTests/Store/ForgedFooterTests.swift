import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Numbers and names that are not those that were written, with right checksums: what `verify` finds,
/// readers and the writer find too, before anything is appended or removed.
@Suite struct ForgedFooterTests {
  private static let segment = "/store/documents/00000000000000000001/00000000000000000001.segment"
  private let document = name("a")

  /// A killed writer's store of one document, whose last entries are only in the journal.
  private func killed() throws -> (SimulatedFileSystem, [HistoryEntry]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    let list = source.entries(of: document, count: 12)
    _ = try writer.append([(document, list)])
    try writer.seal(document)
    let more = source.entries(of: document, count: 6)
    _ = try writer.append([(document, more)])
    try writer.markDurable()
    return (system, list + more)
  }

  /// Numbers in the summary of a footer, by their places.
  enum Number: Int, CaseIterable {
    case lastIndex = 0
    case journal = 16
  }

  private func verify(_ system: SimulatedFileSystem) throws -> VerificationReport {
    try Store.open(at: "/store", fileSystem: system).verify()
  }

  @Test(arguments: Number.allCases, [UInt64(1), 1_000])
  func `a forged footer hides no entry of the journals`(number: Number, by more: UInt64) throws {
    let (system, list) = try killed()
    let sound = try #require(system[Self.segment])
    var parts = try #require(SegmentParts(sound))
    var summary = try #require(parts[1])
    summary.put(
      UInt64(summary.number(at: number.rawValue, size: 8)) + more, at: number.rawValue, size: 8)
    parts[1] = summary
    system[Self.segment] = parts.file
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(throws: LogError.self) { _ = try store.history(of: document) }
    var source = EntrySource(seed: 2)
    let new = source.entries(of: document, count: 2)
    for seed in [UInt64(2), 4] {
      let writer = try openWriter(system, seed: seed)
      #expect(throws: LogError.self) { _ = try writer.append([(document, new)]) }
      #expect(throws: LogError.self) { _ = try writer.history(of: document) }
      try? writer.sealAll()
      try writer.close()
      #expect(try !verify(system).problems.isEmpty)
    }
    // With the sound file back, nothing is missing.
    let restored = SimulatedFileSystem(system.snapshot)
    restored[Self.segment] = sound
    #expect(try verify(restored).problems.isEmpty)
    #expect(try entries(openWriter(restored, seed: 6).history(of: document)) == list)
    // Accepted, the footer is written again: the entries are all there.
    let writer = try openWriter(system, seed: 8)
    _ = try writer.acceptLosses()
    #expect(try entries(writer.history(of: document)) == list)
    try writer.sealAll()
    try writer.close()
    #expect(try verify(system).problems.isEmpty)
    #expect(try entries(openWriter(system, seed: 10).history(of: document)) == list)
  }

  /// Writes the catalog again, with right checksums, as `change` makes it.
  private func forgeCatalog(
    _ system: SimulatedFileSystem, _ change: (inout [UInt64: CatalogDocument]) -> Void
  ) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    guard case .whole(let catalog, let place, _) = store.catalog else {
      Issue.record("there is no catalog")
      return
    }
    var rows = catalog.documents
    change(&rows)
    var forged = Catalog()
    for (number, row) in rows.sorted(by: { $0.key < $1.key }) {
      forged.apply(.document(number, row))
    }
    var flushes = FlushWatch()
    _ = try CatalogFile(
      forged, generation: place.generation + 1, in: system.directory(at: "/store"),
      store: store.id, &flushes)
  }

  @Test func `a forged journal in the catalog is noticed`() throws {
    let (system, list) = try killed()
    try openWriter(system, seed: 2).close()
    try forgeCatalog(system) { $0[1]?.journal = 1_000 }
    #expect(try !verify(system).problems.isEmpty)
    let writer = try openWriter(system, seed: 2)
    var source = EntrySource(seed: 2)
    let new = source.entries(of: document, count: 2)
    #expect(throws: LogError.self) { _ = try writer.append([(document, new)]) }
    #expect(try !verify(system).problems.isEmpty)
    _ = try writer.acceptLosses()
    #expect(try entries(writer.history(of: document)) == list)
    try writer.close()
    #expect(try verify(system).problems.isEmpty)
  }

  @Test func `exchanged names in the catalog show no other document`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 5)
    var lists: [DocumentID: [HistoryEntry]] = [:]
    do {
      let writer = try openWriter(system)
      for letter in ["a", "b", "c"] {
        lists[name(letter)] = source.entries(of: name(letter), count: 12)
        _ = try writer.append([(name(letter), lists[name(letter)] ?? [])])
      }
      try writer.sealAll()
      try writer.close()
    }
    try forgeCatalog(system) { rows in
      rows[1]?.name = name("b")
      rows[2]?.name = name("a")
    }
    #expect(try verify(system).problems.count == 2)
    let store = try Store.open(at: "/store", fileSystem: system)
    let writer = try openWriter(system, seed: 2)
    var fresh = EntrySource(seed: 6)
    for letter in ["a", "b"] {
      #expect(throws: LogError.self) { _ = try store.history(of: name(letter)) }
      #expect(throws: LogError.self) { _ = try writer.history(of: name(letter)) }
      let new = fresh.entries(of: name(letter), count: 1)
      #expect(throws: LogError.self) { _ = try writer.append([(name(letter), new)]) }
    }
    #expect(try entries(writer.history(of: name("c"))) == lists[name("c")])
    _ = try writer.acceptLosses()
    for (document, list) in lists { #expect(try entries(writer.history(of: document)) == list) }
    try writer.close()
    #expect(try verify(system).problems.isEmpty)
    let next = try openWriter(system, seed: 4)
    for (document, list) in lists { #expect(try entries(next.history(of: document)) == list) }
  }

  /// A document that was renamed and not sealed since is no exchange, before and after a compaction.
  @Test func `a new name in the journal is no damage`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 5)
    var list = source.entries(of: document, count: 60)
    let renamed = name("b")
    do {
      let writer = try openWriter(system)
      _ = try writer.append([(document, list)])
      try writer.seal(document)
      let event = HistoryEntry.event(source.renaming(of: document, from: document))
      _ = try writer.append([(renamed, [event])], renaming: [DocumentRename(document, to: renamed)])
      list.append(event)
      while let job = try writer.prepareCompaction(renamed) {
        job.run()
        try writer.finish(job)
        guard job.producedFile else { break }
      }
      try writer.markDurable()
    }
    #expect(try verify(system).problems.isEmpty)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try entries(store.history(of: renamed)) == list)
    let writer = try openWriter(system, seed: 2)
    #expect(try entries(writer.history(of: renamed)) == list)
    try writer.sealAll()
    try writer.close()
    #expect(try verify(system).problems.isEmpty)
    #expect(try entries(openWriter(system, seed: 4).history(of: renamed)) == list)
  }

  /// An older copy of a segment, compacted, would be what the catalog tells of from then on.
  @Test func `an older copy is not compacted`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 5)
    let writer = try openWriter(system) { $0.segmentSizeMax = 1 << 20 }
    _ = try writer.append([(document, source.entries(of: document, count: 60))])
    try writer.seal(document)
    let old = system[Self.segment]
    _ = try writer.append([(document, source.entries(of: document, count: 60))])
    try writer.sealAll()
    system[Self.segment] = old
    let job = try #require(try writer.prepareCompaction(document))
    job.run()
    #expect(throws: LogError.self) { try writer.finish(job) }
    #expect(system[Self.segment] == old)
    try writer.close()
    #expect(try !verify(system).problems.isEmpty)
  }

  /// Files of a document that never was stay reported after a writer has counted their number.
  @Test func `a stray document stays known until it is accepted`() throws {
    let (system, _) = try killed()
    let folder = try system.directory(at: "/store/documents")
    _ = try folder.createDirectory(StoreLayout.name(of: 5_000))
    #expect(try verify(system).problems.count == 1)
    var writer = try openWriter(system, seed: 2)
    try writer.close()
    #expect(try verify(system).losses.count { $0.acceptedTime == nil } == 1)
    writer = try openWriter(system, seed: 4)
    _ = try writer.acceptLosses()
    try writer.close()
    let report = try verify(system)
    #expect(report.problems.isEmpty && report.losses.allSatisfy { $0.acceptedTime != nil })
  }
}
