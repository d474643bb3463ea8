import EditModel
import TestSupport

@testable import EditLog
@testable import EditLogFormat

// Stores that something happened to, and stores of a time to come.
extension StoreRecipe {
  private static let journalPath = "/store/journal/00000000000000000001.journal"
  private static let folder = "/store/documents/00000000000000000001"
  private static let segment = "00000000000000000001.segment"
  private static var segmentPath: String { "\(folder)/\(segment)" }

  /// One document in one segment.
  private static func sealedBase() throws -> ReleasedStore {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let list = history(seed: 7, count: 40)
    _ = try writer.append([(name("a"), list)])
    try writer.sealAll()
    try writer.close()
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(1, name("a"), list)]
    return store
  }

  /// Two documents in a journal of five batches, and where each batch starts.
  private static func journalBase() throws -> (ReleasedStore, [Int], [[HistoryEntry]]) {
    let system = SimulatedFileSystem()
    let writer = try openReleaseWriter(system)
    let typed = typing(count: 12)
    var (starts, lists) = ([Int](), [[HistoryEntry](), []])
    for round in 0..<5 {
      starts.append(used(system))
      let which = round % 2
      let new = Array(typed[lists[which].count..<lists[which].count + 3])
      _ = try writer.append([(name(which == 0 ? "a" : "b"), new)])
      lists[which] += new
    }
    var store = ReleasedStore(system: system)
    store.expected.documents = [.init(1, name("a"), lists[0]), .init(2, name("b"), lists[1])]
    return (store, starts, lists)
  }

  /// Bytes of the journal that are not reserved zeros.
  private static func used(_ system: SimulatedFileSystem) -> Int {
    (system[journalPath]?.lastIndex { $0 != 0 } ?? 0) + 1
  }

  static func makeUnitBad() throws -> ReleasedStore {
    var store = try sealedBase()
    for byte in 100..<300 { store.system[segmentPath]?[byte] = 0xA5 }
    store.expected.verdict = .repairable
    return store
  }

  static func makeTorn() throws -> ReleasedStore {
    var (store, starts, lists) = try journalBase()
    store.system[journalPath]?[starts[4] + 80] ^= 1
    store.expected.tornBytes = used(store.system) - starts[4]
    store.expected.documents[0] = .init(1, name("a"), Array(lists[0].dropLast(3)))
    return store
  }

  static func makeDamaged() throws -> ReleasedStore {
    var (store, starts, lists) = try journalBase()
    store.system[journalPath]?[starts[2] + 80] ^= 1
    store.expected.verdict = .damaged
    store.expected.journalDamages = [JournalDamage(journal: 1, offset: starts[2], lostBatches: 1)]
    let damage = HistoryDamage(after: 3, lostEntries: 3, unreachableEntries: 3, journal: 1)
    store.expected.historyDamages = [(1, damage)]
    store.expected.documents[0] = .init(1, name("a"), Array(lists[0].prefix(3)))
    return store
  }

  /// The file ends inside the footer, so the parity is gone too.
  static func makeFooterLost() throws -> ReleasedStore {
    var store = try sealedBase()
    let data = try segmentParts(of: store).data
    store.system[segmentPath] = Array(data.dropLast(40))
    store.expected.verdict = .damaged
    return store
  }

  static func makeNameBad() throws -> ReleasedStore {
    var store = try sealedBase()
    // Left from format 1.0, and damaged.
    store.system[folder + "/name"] = [UInt8](repeating: 0, count: 73)
    store.expected.verdict = .repairable
    return store
  }

  static func makeFormatBad() throws -> ReleasedStore {
    var (store, _, _) = try journalBase()
    store.system["/store/format"]?[5] ^= 1
    store.expected.verdict = .repairable
    return store
  }

  static func makeStoreNewer() throws -> ReleasedStore {
    var (store, _, _) = try journalBase()
    var format = try bytes("/store/format", store.system)
    for offset in [0, 4096] { setHeader(&format, at: offset) { $0[12] = 1 } }
    store.system["/store/format"] = format
    store.expected = Expectation(verdict: .newer)
    return store
  }

  static func makeSegmentNewer() throws -> ReleasedStore {
    var store = try sealedBase()
    let other = history(seed: 8, count: 6)
    let writer = try openReleaseWriter(store.system)
    _ = try writer.append([(name("b"), other)])
    try writer.close()
    var parts = try segmentParts(of: store)
    setHeader(&parts.header, at: 0) { $0[15] = 0x80 }
    store.system[segmentPath] = parts.file
    store.expected = Expectation(
      verdict: .newer, refused: [1], documents: [.init(2, name("b"), other)])
    return store
  }

  static func makeGrown() throws -> ReleasedStore {
    let store = try sealedBase()
    var parts = try segmentParts(of: store)
    grow(&parts.header)
    parts[1000] = Array("later".utf8)
    store.system[segmentPath] = parts.file
    var format = try bytes("/store/format", store.system)
    for offset in [0, 4096] { grow(&format, at: offset) }
    store.system["/store/format"] = format
    let journals = store.system.names(at: "/store/journal").map { "/store/journal/" + $0 }
    for path in journals {
      var file = try bytes(path, store.system)
      grow(&file)
      store.system[path] = file
    }
    return store
  }

  // MARK: Parts of files

  struct MissingFile: Error { var path: String }

  private static func segmentParts(of store: ReleasedStore) throws -> SegmentParts {
    guard let parts = SegmentParts(try bytes(segmentPath, store.system)) else {
      throw MissingFile(path: segmentPath)
    }
    return parts
  }

  private static func bytes(_ path: String, _ system: SimulatedFileSystem) throws -> [UInt8] {
    guard let bytes = system[path] else { throw MissingFile(path: path) }
    return bytes
  }

  /// A minor version and a flag of a time to come, that may be ignored.
  private static func grow(_ file: inout [UInt8], at offset: Int = 0) {
    setHeader(&file, at: offset) { header in
      header[10] = 7
      header[19] = 0x40
    }
  }

  /// Changes the header at `offset`, with the checksum that belongs to it.
  private static func setHeader(
    _ file: inout [UInt8], at offset: Int, _ change: (inout [UInt8]) -> Void
  ) {
    var header = Array(file[offset..<offset + 60])
    change(&header)
    file.replaceSubrange(offset..<offset + 64, with: withChecksum(header))
  }

  private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(bytes: bytes)
    writer.write(fixed: CRC32C.checksum(bytes))
    return writer.bytes
  }
}
