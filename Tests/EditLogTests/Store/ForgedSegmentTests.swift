@testable import EditLog
@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

/// Segments whose checksums are right and whose numbers are not.
@Suite struct ForgedSegmentTests {
  /// Otherwise a history would silently begin after edits that no file has.
  @Test func `a segment without blocks ends before the edit it begins with`() throws {
    let path = "/store/documents/00000000000000000001/00000000000000000001.segment"
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 12))])
    try writer.sealAll()
    try writer.close()
    let header = try #require(system[path]?.prefix(FileHeader.size))
    var index = SegmentIndex()
    (index.lastIndex, index.lastSequence) = (51, 51)
    system[path] = header + SegmentFooter.encode(index, at: FileHeader.size)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(throws: LogError.self) { _ = try entries(store.history(of: name("a"))) }
  }
}

/// Stores in which numbers are not what a writer gives.
@Suite struct ForgedNumberTests {
  private let document = name("a")

  /// A first block that refers to blocks before it, after a header that a footer would rule out:
  /// no trap, whichever block is read first.
  @Test func `a first block without a footer has no context`() throws {
    let folder = "/store/documents/00000000000000000001"
    let path = folder + "/00000000000000000001.segment"
    let system = SimulatedFileSystem()
    var options = StoreWriter.Options.small
    (options.segmentSizeMax, options.journalSizeMax) = (1 << 30, 1 << 30)
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, random: SeededBytes(seed: 1), options: options)
    var source = EntrySource(seed: 1)
    _ = try writer.append([(document, source.entries(of: document, count: 80))])
    try writer.sealAll()
    try writer.close()
    let segment = try Segment(
      system.directory(at: folder).open("00000000000000000001.segment", .read), store: writer.id,
      document: 1, first: 1)
    let blocks = segment.index.blocks
    try #require(blocks.count > 3)
    var bytes = Array(try #require(system[path])[..<segment.index.blocksEnd])
    func setFlags(_ flags: UInt8, ofBlockAt offset: Int) {
      bytes[offset + 56] = flags
      let sum = CRC32C.checksum(Array(bytes[offset..<offset + 60]))
      for byte in 0..<4 { bytes[offset + 60 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
    }
    setFlags(2, ofBlockAt: blocks[0].offset)
    system[path] = bytes
    let store = try Store.open(at: "/store", fileSystem: system)
    let firsts = blocks.map(\.header.firstSequence)
    for first in firsts + firsts.reversed() {
      let history = try? store.history(of: document)
      for sequence in [first, 1] { _ = try? history?.edit(at: sequence) }
    }
    let report = try store.verify()
    #expect(!report.problems.isEmpty)
  }

  /// Makes a store that holds these entries.
  @discardableResult
  private func write(
    _ list: [HistoryEntry], to system: SimulatedFileSystem
  ) throws -> StoreID {
    let writer = try openWriter(system)
    _ = try writer.append([(document, list)])
    try writer.close()
    return writer.id
  }

  /// Any folder may be made by anybody's slip; its number leaves no room for others.
  @Test func `the largest number of a document is no trap`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let list = source.entries(of: document, count: 4)
    try write(list, to: system)
    let documents = try system.directory(at: "/store/documents")
    for number in [StoreLayout.numberMax, StoreLayout.numberMax / 2] {
      _ = try documents.createDirectory(StoreLayout.name(of: number))
    }
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.count == 2)
    let next = try openWriter(system, seed: 2)
    // What is acknowledged is there when the store is opened again; so this is not.
    let new = source.entries(of: name("b"), count: 2)
    #expect(throws: LogError.self) { _ = try next.append([(name("b"), new)]) }
    let more = source.entries(of: document, count: 2)
    _ = try next.append([(document, more)])
    try next.close()
    #expect(try entries(openWriter(system, seed: 3).history(of: document)) == list + more)
  }

  /// A mark that nothing can follow: opening says so, and loses nothing.
  @Test func `the largest number of a batch is no trap`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 1)
    let list = source.entries(of: document, count: 4)
    let id = try write(list, to: system)
    var flushes = FlushWatch()
    let root = try system.directory(at: "/store")
    let first = DurableMark(batch: 1, journal: 1)
    var file = try DurableMarkFile(in: root, store: id, otherwise: first, &flushes)
    var mark = file.last
    (mark.batch, mark.journal) = (StoreLayout.numberMax, StoreLayout.numberMax)
    try file.write(mark, &flushes)
    #expect(throws: LogError.self) { _ = try openWriter(system, seed: 2) }
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try entries(store.history(of: document)) == list)
  }
}
