@testable import EditLog
import EditModel
import TestSupport
import Testing

/// Segments whose checksums are right and whose numbers are not.
@Suite struct ForgedSegmentTests {
  /// Else a history would begin, without a word, behind edits that nobody has.
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
