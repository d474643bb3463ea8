@testable import EditLog
@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

/// Sealed segments mend themselves: what one damaged unit of each stripe held is in the others.
@Suite struct ParityTests {
  private static let folder = "/store/documents/00000000000000000001"
  private static let path = folder + "/00000000000000000001.segment"
  private let document = name("a")

  /// A store whose one segment has about `size` bytes, and what it holds.
  private func store(size: Int) throws -> (SimulatedFileSystem, [HistoryEntry]) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system) {
      ($0.segmentSizeMax, $0.journalSizeMax) = (1 << 30, 1 << 30)
    }
    var source = EntrySource(seed: 5)
    var list = source.entries(of: document, count: 12)
    while list.count * 20 < size { list += source.entries(of: document, count: 200) }
    _ = try writer.append([(document, list)])
    try writer.sealAll()
    try writer.close()
    return (system, list)
  }

  private func readAll(_ system: SimulatedFileSystem) throws -> [HistoryEntry] {
    try entries(Store.open(at: "/store", fileSystem: system).history(of: document))
  }

  /// Whichever bit of a segment is flipped, readers get what was written, `verify` names it as
  /// repairable, and a repair gives the file's old bytes back.
  @Test(arguments: 0..<8)
  func `every bit of a segment is mended`(bit: Int) throws {
    let (system, expected) = try store(size: 1)
    let whole = try #require(system[Self.path])
    for offset in stride(from: bit, to: whole.count, by: 29) {
      let system = SimulatedFileSystem(system.snapshot)
      system[Self.path]?[offset] ^= 1 << UInt8(bit)
      #expect(try readAll(system) == expected, "bit \(bit) of byte \(offset)")
      guard offset % 5 == 0 else { continue }
      let report = try Store.open(at: "/store", fileSystem: system).verify()
      #expect(report.problems.count == 1, "bit \(bit) of byte \(offset)")
      #expect(report.problems.allSatisfy { $0.isRepairable }, "bit \(bit) of byte \(offset)")
      #expect(try openWriter(system, seed: 2).repair().count == 1)
      #expect(system[Self.path] == whole, "bit \(bit) of byte \(offset)")
      let mended = try Store.open(at: "/store", fileSystem: system).verify()
      #expect(mended.problems.isEmpty)
    }
  }

  /// A small segment takes one block of a file system, and loses no text with a sector of it.
  @Test func `a small segment fits into a block`() throws {
    let (system, expected) = try store(size: 1)
    let whole = try #require(system[Self.path])
    #expect(whole.count <= 4096)
    for sector in stride(from: 0, to: whole.count, by: 512) {
      let system = SimulatedFileSystem(system.snapshot)
      for byte in sector..<min(sector + 512, whole.count) { system[Self.path]?[byte] = 0 }
      #expect(try readAll(system) == expected, "sector at \(sector)")
      #expect(try openWriter(system, seed: 2).repair().count == 1)
      #expect(system[Self.path] == whole, "sector at \(sector)")
    }
  }

  /// Sizes around the largest data with small units; only those have them.
  @Test func `the size of a unit goes by that of the data`() {
    let sizes = [1, 511, 512, 513, 3071, 3072, 3073, 4096, 5000]
    for size in sizes {
      let layout = ParityLayout(dataSize: size)
      #expect((layout.unitSize == 512) == (size <= 3072))
      #expect((layout.fileSize <= 4096) == (size <= 3072), "\(size)")
      for unit in [0, 1, 512, 1024, 4096] {
        let read = ParityLayout(dataSize: size, unitSize: unit)
        #expect((read != nil) == (unit == 4096 || unit == 512 && size <= 3072))
      }
    }
    #expect(ParityLayout(dataSize: 0, unitSize: 4096) == nil)
  }

  /// Format 1.0 has no small units.
  @Test func `little data in large units is read and mended`() throws {
    let (system, expected) = try store(size: 1)
    let size = try SegmentFile(file(system)).dataSize
    let data = try #require(system[Self.path]).prefix(size)
    let old = SegmentParts.withParity(Array(data), unit: 4096)
    for damage in [nil, 0, 100, size - 1, 4096, old.count - 1] {
      system[Self.path] = old
      if let damage { system[Self.path]?[damage] ^= 1 }
      #expect(try readAll(system) == expected)
      let report = try Store.open(at: "/store", fileSystem: system).verify()
      #expect(report.problems.count == (damage == nil ? 0 : 1))
      #expect(report.problems.allSatisfy { $0.isRepairable })
      #expect(try openWriter(system, seed: 2).repair().count == report.problems.count)
      #expect(try readAll(system) == expected)
      #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    }
  }

  /// One unit in each stripe, the whole of it.
  @Test func `every unit of every stripe is mended`() throws {
    let (system, expected) = try store(size: 80_000)
    let whole = try #require(system[Self.path])
    let layout = ParityLayout(dataSize: try SegmentFile(file(system)).dataSize)
    #expect(layout.stripeCount > 1 && layout.fileSize == whole.count)
    for number in 0..<layout.unitCount {
      let system = SimulatedFileSystem(system.snapshot)
      // As many in a row as there are stripes.
      for offset in layout.unit(number)
        .lowerBound..<min(
          layout.unit(number).lowerBound + layout.stripeCount * layout.unitSize, layout.dataSize)
      { system[Self.path]?[offset] = 0xA5 }
      #expect(try readAll(system) == expected, "units from \(number) on")
      let plan = try Store.open(at: "/store", fileSystem: system).repairs()
      #expect(plan.count == 1)
      let writer = try openWriter(system, seed: 2)
      #expect(try writer.repair() == plan)
      #expect(try writer.repair().isEmpty)
      #expect(system[Self.path] == whole, "units from \(number) on")
      #expect(system.names(at: "/store/quarantine").count == 1)
    }
  }

  /// Two units of one stripe are more than its parity can give back: the edits in them are named,
  /// and all others are read.
  @Test func `two units of a stripe are told`() throws {
    let (system, expected) = try store(size: 80_000)
    let layout = ParityLayout(dataSize: try SegmentFile(file(system)).dataSize)
    for number in [1, 1 + layout.stripeCount] {
      for offset in layout.unit(number) { system[Self.path]?[offset] ^= 0x11 }
    }
    let history = try #require(
      try Store.open(at: "/store", fileSystem: system).history(of: document))
    let error = #expect(throws: LogError.self) { _ = try entries(history) }
    guard case .damaged(let file, _, let what) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(file.hasSuffix(".segment") && what.contains("edits "))
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.contains { !$0.isRepairable })
    let writer = try openWriter(system, seed: 2)
    #expect(try writer.repair().isEmpty)
    // The last edits lie elsewhere.
    let last = try #require(expected.last { $0.isEdit })
    #expect(try history.edit(at: last.place).map(HistoryEntry.edit) == last)
  }

  /// A segment cut anywhere after its blocks: the entries are read through the footer or, if that
  /// is gone, from the blocks alone.
  @Test func `a segment cut after its blocks is read`() throws {
    let (system, expected) = try store(size: 1)
    let whole = try #require(system[Self.path])
    let segment = try Segment(
      file(system), store: Store.open(at: "/store", fileSystem: system).id, document: 1, first: 1)
    for size in stride(from: segment.index.blocksEnd, to: whole.count, by: 23) {
      let system = SimulatedFileSystem(system.snapshot)
      system[Self.path] = Array(whole[..<size])
      let store = try Store.open(at: "/store", fileSystem: system)
      let history = try #require(try store.history(of: document))
      #expect(try entries(history) == expected, "cut at \(size)")
      #expect(try history.events() == expected.compactMap(\.event), "cut at \(size)")
      let problems = try store.verify().problems
      #expect(!problems.isEmpty, "cut at \(size)")
      // If the footer is lost, so are the salts of the chain: nothing can be appended.
      let isWritable = size >= segment.index.dataSize
      let writer = try openWriter(system, seed: 2)
      let isAppended = (try? writer.append([(document, [])])) != nil
      #expect(isAppended == isWritable, "cut at \(size)")
      #expect(try writer.repair().count == (isWritable ? 1 : 0), "cut at \(size)")
      #expect(system[Self.path] == (isWritable ? whole : Array(whole[..<size])))
    }
  }

  /// A repair that is stopped leaves the file it was or the file it makes.
  @Test func `a repair may stop at any point`() throws {
    let (system, expected) = try store(size: 1)
    let whole = try #require(system[Self.path])
    system[Self.path]?[100] ^= 4
    var (stops, isDone) = (0, false)
    while !isDone, stops < 10_000 {
      stops += 1
      let disk = SimulatedFileSystem(system.snapshot)
      let faulty = FaultyFileSystem(disk)
      let writer = try openWriter(faulty, seed: 2)
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.forEver) = (faulty.operationCount + stops, true)
      faulty.setPlan(plan)
      isDone = (try? writer.repair()) != nil
      for loss in [.all, .some(seed: UInt64(stops))] as [SimulatedFileSystem.Loss] {
        let after = SimulatedFileSystem.crash(disk.snapshot, loss)
        #expect(try readAll(after) == expected, "stopped at \(stops)")
        _ = try openWriter(after, seed: 3).repair()
        #expect(after[Self.path] == whole, "stopped at \(stops)")
      }
    }
    #expect(isDone && stops > 20)
  }

  /// A file with the document's name is left from format 1.0.
  @Test func `names and the format file are mended`() throws {
    let (system, expected) = try store(size: 1)
    let whole = system["/store/format"]
    system["/store/format"]?[5] ^= 1
    system[Self.folder + "/name"] = [UInt8](repeating: 1, count: 73)
    #expect(try readAll(system) == expected)
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.repairs().count == 2)
    #expect(try store.verify().problems.count == 2)
    #expect(try openWriter(system, seed: 2).repair().count == 2)
    #expect(system["/store/format"] == whole && system[Self.folder + "/name"] == nil)
  }

  private func file(_ system: SimulatedFileSystem) throws -> any File {
    try system.directory(at: Self.folder).open("00000000000000000001.segment", .read)
  }
}

extension HistoryEntry {
  fileprivate var event: HistoryEvent? {
    if case .event(let event) = self { event } else { nil }
  }
}
