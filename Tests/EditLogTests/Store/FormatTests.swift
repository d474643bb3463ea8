import EditLog
import EditLogFormat
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
  @Test func aNewJournalIsTheOneInTheArticle() throws {
    struct Counting: RandomBytes {
      func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
    }
    let system = SimulatedFileSystem()
    _ = try StoreWriter(at: "/store", fileSystem: system, random: Counting())
    let article = """
      89 45 4c 4a 0d 0a 1a 0a 01 00 00 00 00 00 00 00
      00 00 00 00 00 00 00 00 00 01 02 03 04 05 06 07
      08 09 0a 0b 0c 0d 0e 0f 01 00 00 00 00 00 00 00
      01 00 00 00 00 00 00 00 00 00 00 00 4c fa 43 38
      89 45 42 0a 01 00 00 00 01 00 00 00 00 00 00 00
      00 00 00 00 00 00 00 00 2d 35 f0 e8 af e6 bb fa
      43 cd 1a 18 c8 7b c0 9e 53 91 60 19 bd 5f 14 74
      f8 59 f1 f7 bd c9 bd 08 00 00 00 00 2a 6b 6e 5b
      """
    let journal = try #require(system["/store/journal/00000000000000000001.journal"])
    #expect(Array(journal.prefix(128)) == hex(article))
    #expect(journal.dropFirst(128).allSatisfy { $0 == 0 })
  }

  @Test func oneCopyOfTheNameIsEnough() throws {
    for offset in [0, 4096] {
      let (system, list) = try store()
      for byte in offset..<offset + 64 { system["/store/format"]?[byte] = 0xFF }
      #expect(try readAll(system) == list)
    }
  }

  /// Where both are lost, or the file is, another file names the store; one that is bad too is no
  /// store.
  @Test(arguments: [true, false]) func aLostNameIsFoundElsewhere(isDeleted: Bool) throws {
    let (system, list) = try store()
    let whole = system["/store/format"]
    if isDeleted {
      system["/store/format"] = nil
    } else {
      for byte in [3, 4099] { system["/store/format"]?[byte] = 0xFF }
    }
    #expect(try readAll(system) == list)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.map(\.isRepairable) == [true])
    let writer = try openWriter(system)
    #expect(writer.id == store.id)
    // One that is gone a writer makes when it opens the store.
    #expect(try writer.repair().map(\.file) == (isDeleted ? [] : ["format"]))
    // But for the time it was made.
    #expect(system["/store/format"]?.count == whole?.count)
    try writer.close()
    #expect(try readAll(system) == list)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)

    system["/store/format"] = nil
    system["/store/confirmed"]?[3] = 0xFF
    #expect(throws: LogError.self) { _ = try readAll(system) }
    #expect(throws: LogError.self) { _ = try openWriter(system) }
  }
}
