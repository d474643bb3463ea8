import EditLog
import EditModel
import TestSupport
import Testing

/// The rules by which the format may grow.
@Suite struct FormatTests {
  private static let document = "/store/documents/00000000000000000001/"
  private static let files = [
    "/store/format", "/store/journal/00000000000000000001.journal",
    document + "00000000000000000001.segment",
  ]

  private func store() throws -> (SimulatedFileSystem, [HistoryEntry]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    let list = source.entries(of: name("a"), count: 12)
    _ = try writer.append([(name("a"), list)])
    try writer.seal(name("a"))
    try writer.close()
    return (system, list)
  }

  /// Sets bytes in a file's header, with the checksum that belongs to them.
  private func change(_ bytes: inout [UInt8]?, at offset: Int, to value: UInt8) {
    guard var file = bytes else { return }
    file[offset] = value
    let sum = CRC32C.checksum(Array(file[..<60]))
    for byte in 0..<4 { file[60 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(byte * 8)) }
    bytes = file
  }

  private func readAll(_ system: SimulatedFileSystem) throws -> [HistoryEntry] {
    try entries(Store.open(at: "/store", fileSystem: system).history(of: name("a")))
  }

  @Test(arguments: files, [8, 12, 15])
  func newerFilesAreRefusedAndLeftAlone(path: String, offset: Int) throws {
    let (system, _) = try store()
    change(&system[path], at: offset, to: 0x40)
    let before = system[path]
    #expect(performing: { _ = try self.readAll(system) }, throws: isNewer)
    #expect(
      performing: {
        let writer = try openWriter(system)
        _ = try writer.append([(name("a"), [])])
        _ = try writer.history(of: name("a"))
      }, throws: isNewer)
    #expect(system[path] == before)
  }

  @Test(arguments: files, [10, 16, 19])
  func olderRulesReadMinorVersionsAndCompatibleFlags(path: String, offset: Int) throws {
    let (system, list) = try store()
    change(&system[path], at: offset, to: 0x40)
    #expect(try readAll(system) == list)
    #expect(try entries(openWriter(system).history(of: name("a"))) == list)
  }

  private func isNewer(_ error: any Error) -> Bool {
    if case .newerFormat = error as? LogError { true } else { false }
  }

  /// The bytes in the article FileFormat are those the code writes.
  @Test func theHeaderIsTheOneInTheArticle() throws {
    let (system, _) = try store()
    let header = try #require(system["/store/format"]?.prefix(64))
    #expect(header.prefix(8).elementsEqual([0x89, 0x45, 0x4C, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]))
    #expect(header[8..<20].elementsEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    let random = SeededBytes(seed: 1).bytes(16)
    #expect(header[24..<40].elementsEqual(random))
  }

  @Test func oneCopyOfTheNameIsEnough() throws {
    for offset in [0, 4096] {
      let (system, list) = try store()
      for byte in offset..<offset + 64 { system["/store/format"]?[byte] = 0xFF }
      #expect(try readAll(system) == list)
    }
    let (system, _) = try store()
    for byte in [3, 4099] { system["/store/format"]?[byte] = 0xFF }
    #expect(throws: LogError.self) { _ = try readAll(system) }
    #expect(throws: LogError.self) { _ = try openWriter(system) }
  }
}
