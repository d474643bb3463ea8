import EditLog
import EditModel
import TestSupport
import Testing

/// Segments rewritten with the same content.
@Suite struct CompactionTests {
  private let document = name("a")
  private let folder = "/store/documents/00000000000000000001"

  /// A writer whose document has sealed entries, and the list of them.
  private func make(
    on system: any FileSystem, seed: UInt64, rounds: Int = 6,
    _ each: (StoreWriter) throws -> Void = { _ in }
  ) throws -> (StoreWriter, EntrySource, [HistoryEntry]) {
    let writer = try openWriter(system)
    var source = EntrySource(seed: seed)
    var list: [HistoryEntry] = []
    for _ in 0..<rounds {
      let new = source.entries(of: document, count: 30)
      _ = try writer.append([(document, new)])
      list += new
      try writer.seal(document)
      try each(writer)
    }
    return (writer, source, list)
  }

  /// Compacts until there is no more to compact, and returns how many segments were.
  @discardableResult
  private func compact(_ writer: StoreWriter) throws -> Int {
    var count = 0
    while let job = try writer.prepareCompaction(document) {
      job.run()
      let producedFile = job.producedFile
      try writer.finish(job)
      guard producedFile else { return count }
      count += 1
    }
    return count
  }

  private func segments(_ system: SimulatedFileSystem) -> [String: [UInt8]] {
    var segments: [String: [UInt8]] = [:]
    for name in system.names(at: folder) where name.hasSuffix(".segment") {
      segments[name] = system["\(folder)/\(name)"]
    }
    return segments
  }

  /// The history is the same for readers that opened it before and after.
  @Test(arguments: UInt64(0)..<4)
  func theHistoryIsTheSame(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    var (writer, source, list) = try make(on: system, seed: seed)
    let early = try #require(try Store.open(at: "/store", fileSystem: system).history(of: document))
    let head = try writer.history(of: document)?.head
    #expect(try compact(writer) == segments(system).count)
    #expect(try compact(writer) == 0)
    #expect(segments(system).count > 1)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems.isEmpty)
    for history in [early, try writer.history(of: document), try store.history(of: document)] {
      #expect(try entries(history) == list)
      #expect(try history?.head == head)
    }
    // Appends continue from there, and compacted blocks are copied.
    for round in 0..<4 {
      let new = source.entries(of: document, count: 30)
      _ = try writer.append([(document, new)])
      list += new
      try writer.seal(document)
      if round % 2 == 0 { try compact(writer) }
      #expect(try entries(writer.history(of: document)) == list)
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try entries(store.history(of: document)) == list)
      #expect(try store.verify().problems.isEmpty)
    }
    let again = try openWriter(SimulatedFileSystem.crash(system.snapshot, .all))
    #expect(try entries(again.history(of: document)) == list)
  }

  /// Appended to and compacted all the time, a store writes a small multiple of what it holds.
  @Test func rewritingIsBounded() throws {
    let system = SimulatedFileSystem()
    var (written, known) = (0, [String: [UInt8]]())
    let (writer, _, _) = try make(on: system, seed: 7, rounds: 60) { writer in
      known = segments(system)
      try compact(writer)
      for (name, bytes) in segments(system) where bytes != known[name] { written += bytes.count }
    }
    try compact(writer)
    let size = segments(system).values.reduce(0) { $0 + $1.count }
    #expect(written < 6 * size, "\(written) bytes for \(size)")
    // A segment that is closed is compacted once, and then left alone.
    let closed = segments(system).sorted { $0.key < $1.key }.dropLast()
    #expect(closed.count > 3)
    try compact(writer)
    for (name, bytes) in closed { #expect(segments(system)[name] == bytes) }
  }

  /// Readers before each operation of a compaction see the whole history.
  @Test func readersSeeTheSame() throws {
    let system = SimulatedFileSystem()
    let expected = try make(on: system, seed: 9).2
    let watched = FaultyFileSystem(system) { operation in
      do {
        let store = try Store.open(at: "/store", fileSystem: system)
        #expect(try entries(store.history(of: name("a"))) == expected, "before \(operation)")
      } catch { Issue.record(error, "before \(operation)") }
    }
    #expect(try compact(openWriter(watched)) > 1)
  }

  /// A stopped compaction and one that fails change nothing.
  @Test func aCancelledCompactionChangesNothing() throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let (writer, _, list) = try make(on: faulty, seed: 12)
    let before = segments(system)
    let job = try #require(try writer.prepareCompaction(document))
    job.cancel()
    job.run()
    #expect(!job.producedFile)
    try writer.finish(job)
    #expect(segments(system) == before)

    let failing = try #require(try writer.prepareCompaction(document))
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (faulty.operationCount + 1, true, 28)
    plan.names = ["write"]
    faulty.setPlan(plan)
    failing.run()
    faulty.setPlan(FaultyFileSystem.Plan())
    #expect(throws: LogError.noSpace(path: "/store")) { try writer.finish(failing) }
    #expect(segments(system) == before)
    #expect(try compact(writer) == before.count)
    #expect(try entries(writer.history(of: document)) == list)
  }

  /// A block that its parity cannot mend is not rewritten: its segment stays as it is, for other
  /// ways to mend it.
  @Test func aDamagedSegmentIsLeftAlone() throws {
    let system = SimulatedFileSystem()
    let (writer, _, _) = try make(on: system, seed: 13)
    let name = try #require(segments(system).keys.sorted().first)
    // The parity, which starts at a multiple of 512, would mend it.
    let whole = try #require(system["\(folder)/\(name)"])
    let parity = try #require(
      stride(from: 512, to: whole.count, by: 512).first {
        whole[$0...].starts(with: [0x89, 0x45, 0x4C, 0x50])
      })
    for byte in parity..<whole.count { system["\(folder)/\(name)"]?[byte] = 0 }
    for byte in 140..<180 { system["\(folder)/\(name)"]?[byte] ^= 0x55 }
    let before = segments(system)[name]
    let job = try #require(try writer.prepareCompaction(document))
    job.run()
    let error = #expect(throws: LogError.self) { try writer.finish(job) }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let isLeft = segments(system)[name] == before
    #expect(isLeft)
  }

  /// A segment that lost its footer stays: what a new footer has to say is not known.
  @Test func aSegmentWithoutFooterIsLeftAlone() throws {
    let system = SimulatedFileSystem()
    let (writer, _, list) = try make(on: system, seed: 14)
    let name = try #require(segments(system).keys.sorted().first)
    let path = "\(folder)/\(name)"
    let bytes = try #require(system[path])
    let magic: [UInt8] = [0x89, 0x45, 0x4C, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
    let trailer = try #require(bytes.indices.last { bytes[$0...].starts(with: magic) })
    let footer = bytes[trailer + 8..<trailer + 16].reversed().reduce(0) { $0 << 8 | Int($1) }
    for offset in footer..<bytes.count { system[path]?[offset] ^= 0x55 }
    let before = system[path]
    #expect(try compact(writer) == segments(system).count - 1)
    let isLeft = system[path] == before
    #expect(isLeft)
    #expect(try entries(writer.history(of: document)) == list)
  }
}
