import EditModel
import Glibc
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Journals of which the file system keeps, or makes up, zeros that take no room.
@Suite struct SparseJournalTests {
  private let document = name("a")
  private static let journal = "/journal/00000000000000000001.journal"

  /// A store whose batches hold runs of zeros of many sizes, the last of them to its end.
  private func store(in folder: TemporaryFolder) throws -> (path: String, entries: [HistoryEntry]) {
    let path = folder.path("store")
    var options = StoreWriter.Options()
    options.journalSizeMax = 1 << 30
    let writer = try StoreWriter(
      at: path, fileSystem: PosixFileSystem(), clock: SystemClock(), random: SystemRandomBytes(),
      options: options)
    var entries: [HistoryEntry] = []
    for (index, size) in [1, 300_000, 5, 70_000, 0, 500_000, 3, 200_000].enumerated() {
      let text = UTF16Text(units: [UInt16](repeating: 0, count: size))
      let entry = HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(index + 1),
          action: EditAction(replacing: UTF16Range(0..<0), with: text)))
      entries.append(entry)
      _ = try writer.append([(document, [entry])])
    }
    return (path, entries)
  }

  /// Rewrites the file with holes for all units of 4,096 zeros, and adds `more` zeros after it.
  private func makeSparse(_ path: String, more: Int = 0) throws {
    let bytes = try bytes(path)
    let file = open(path, O_RDWR | O_TRUNC)
    try #require(file >= 0)
    defer { close(file) }
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      let unit = bytes[start..<min(start + 4096, bytes.count)]
      guard unit.contains(where: { $0 != 0 }) else { continue }
      #expect(Array(unit).withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, start) } > 0)
    }
    #expect(ftruncate(file, bytes.count + more) == 0)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY)
    try #require(file >= 0)
    defer { close(file) }
    var status = stat()
    try #require(fstat(file, &status) == 0)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    try #require(
      bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) } == bytes.count)
    return bytes
  }

  @Test(arguments: [0, 1 << 20, 1 << 30])
  func `a journal with holes reads as the whole one`(more: Int) throws {
    let folder = TemporaryFolder()
    let (path, expected) = try store(in: folder)
    try makeSparse(path + Self.journal, more: more)
    let store = try Store.open(at: path)
    #expect(store.damages.isEmpty && store.torn.isEmpty)
    #expect(try entries(store.history(of: document)) == expected)
    let writer = try StoreWriter(
      at: path, fileSystem: PosixFileSystem(), clock: SystemClock(), random: SystemRandomBytes())
    #expect(writer.recovery.isSound && writer.recovery.tornBytes == 0)
    #expect(try entries(writer.history(of: document)) == expected)
    try writer.close()
  }

  /// Bytes after the zeros are found, however many zeros there are.
  @Test func `a byte after a gibibyte of zeros is a torn end`() throws {
    let folder = TemporaryFolder()
    let (path, expected) = try store(in: folder)
    let end = try bytes(path + Self.journal).count
    try makeSparse(path + Self.journal, more: 1 << 30)
    let file = open(path + Self.journal, O_WRONLY)
    #expect(pwrite(file, "x", 1, end + 1 << 30 - 1) == 1)
    close(file)
    let store = try Store.open(at: path)
    #expect(store.torn[1]?.upperBound == end + 1 << 30)
    #expect(try entries(store.history(of: document)) == expected)
  }

  /// What is held in memory is what is not zero, whether or not the file system is asked.
  @Test(arguments: [false, true])
  func `only what is not zero is held`(trusting: Bool) throws {
    let folder = TemporaryFolder()
    let file = open(folder.path("file"), O_RDWR | O_CREAT, 0o600)
    #expect(ftruncate(file, 1 << 28) == 0)
    for place in [0, 70_000, 1 << 27, 1 << 28 - 1] { #expect(pwrite(file, "x", 1, place) == 1) }
    close(file)
    let opened = try PosixFileSystem().directory(at: folder.path("")).open("file", .read)
    try opened.withSparseBytes(size: 1 << 28, trustingHoles: trusting) { source in
      #expect(source.data.reduce(0) { $0 + $1.count } <= 4 * 65_536)
      var (found, offset): ([Int], Int) = ([], 0)
      while let next = source.firstIndex(of: UInt8(ascii: "x"), from: offset) {
        found.append(next)
        offset = next + 1
      }
      #expect(found == [0, 70_000, 1 << 27, 1 << 28 - 1])
      #expect(source.endOfData(from: 0) == 1 << 28)
      #expect(source.firstIndex(of: UInt8(ascii: "y"), from: 0) == nil)
    }
  }

  @Test(arguments: [0, 1, 64, 65_536, 65_537, 200_000])
  func `any file reads as it is`(size: Int) throws {
    var random = SplitMix64(seed: UInt64(size))
    for _ in 0..<8 {
      var expected = [UInt8](repeating: 0, count: size)
      for _ in 0..<Int.random(in: 0...4, using: &random) where size > 0 {
        expected[Int.random(in: 0..<size, using: &random)] = UInt8.random(in: 1...9, using: &random)
      }
      let system = SimulatedFileSystem()
      let root = try system.createDirectory(at: "/store")
      let file = try root.open("file", .create)
      try file.writeAll(expected, at: 0)
      try file.withSparseBytes(size: size + 10, trustingHoles: true) { source in
        #expect(Array(source.bytes) == expected + [UInt8](repeating: 0, count: 10))
        #expect(
          source.endOfData(from: 0) == (expected.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0))
        for byte in UInt8(1)...9 {
          #expect(
            source.firstIndex(of: byte, from: 3) == expected.dropFirst(3).firstIndex(of: byte))
        }
      }
    }
  }
}
