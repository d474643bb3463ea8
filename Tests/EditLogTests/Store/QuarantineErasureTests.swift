import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// What is erased in the quarantine when a document is forgotten: what is of that document, and what
/// cannot be told from it.
@Suite struct QuarantineErasureTests {
  private static let folder = "/store/quarantine"

  /// A store of the documents a and b, of two segments each. Returns the bytes of all.
  private func store() throws -> (SimulatedFileSystem, [String: [UInt8]]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system) { $0.segmentSizeMax = 1 }
    var source = EntrySource(seed: 7)
    for _ in 0..<2 {
      for letter in ["a", "b"] {
        _ = try writer.append([(name(letter), source.entries(of: name(letter), count: 20))])
      }
      try writer.sealAll()
    }
    try writer.close()
    return (system, system.files.filter { $0.key.hasSuffix(".segment") })
  }

  @Test func `what is left of another document stays`() throws {
    let (system, segments) = try store()
    for path in segments.keys where path.hasSuffix("/00000000000000000001.segment") {
      system[path] = nil
    }
    let writer = try openWriter(system, seed: 2)
    _ = try writer.acceptLosses()
    let aside = system.names(at: Self.folder)
    #expect(aside.count == 2)
    let left = try #require(system["\(Self.folder)/\(StoreLayout.name(of: 2, .segment))"])
    let receipt = try #require(try writer.forget(name("a")))
    #expect(system.names(at: Self.folder) == [StoreLayout.name(of: 2, .segment)])
    #expect(system["\(Self.folder)/\(StoreLayout.name(of: 2, .segment))"] == left)
    #expect(receipt.removed.erased.isEmpty)
    _ = try writer.forget(name("b"))
    #expect(system.names(at: Self.folder).isEmpty)
  }

  /// The header of a file tells its document, not the name; and the name if the header is lost.
  @Test(arguments: [false, true]) func `a header counts more than a name`(isLost: Bool) throws {
    let (system, segments) = try store()
    let first = try #require(segments.keys.sorted().first)
    var bytes = try #require(segments[first])
    if isLost { for offset in bytes.indices { bytes[offset] ^= 0x5A } }
    // A segment of document 1 under the number of document 2.
    let path = "\(Self.folder)/\(StoreLayout.name(of: 2, .segment))"
    system[path] = bytes
    system["\(Self.folder)/unknown"] = [1, 2]
    let writer = try openWriter(system, seed: 2)
    let receipt = try #require(try writer.forget(name("b")))
    #expect(system[path] == (isLost ? nil : bytes))
    // What cannot be told apart is overwritten, and named.
    #expect(system["\(Self.folder)/unknown"] == [0, 0])
    #expect(receipt.removed.erased == ["unknown"])
    _ = try writer.forget(name("a"))
    #expect(system[path] == nil)
  }
}
