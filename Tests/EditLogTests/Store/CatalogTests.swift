import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// What must be in a store is written down: what is missing is noticed by readers and writers
/// alike, stays known until it is accepted, and no number is given twice.
@Suite struct CatalogTests {
  /// A writer that gives each sealing a segment of its own.
  private func openSplitting(_ system: SimulatedFileSystem) throws -> StoreWriter {
    return try openWriter(system) { $0.segmentSizeMax = 1 }
  }

  /// A closed store with three documents of three segments each.
  private func store() throws -> (SimulatedFileSystem, [DocumentID: [HistoryEntry]]) {
    let system = SimulatedFileSystem()
    let writer = try openSplitting(system)
    var source = EntrySource(seed: 7)
    var lists: [DocumentID: [HistoryEntry]] = [:]
    for _ in 0..<3 {
      for letter in ["a", "b", "c"] {
        let new = source.entries(of: name(letter), count: 20)
        _ = try writer.append([(name(letter), new)])
        lists[name(letter), default: []] += new
      }
      try writer.sealAll()
    }
    try writer.close()
    return (system, lists)
  }

  private func segments(_ system: SimulatedFileSystem) -> [String] {
    system.filePaths.filter { $0.hasSuffix(".segment") }
  }

  /// Reads a document from its files, and as a writer has it.
  private func readings(
    _ document: DocumentID, _ system: SimulatedFileSystem
  ) -> [Result<[HistoryEntry], any Error>] {
    [
      Result { try entries(Store.open(at: "/store", fileSystem: system).history(of: document)) },
      Result {
        let copy = SimulatedFileSystem(system.snapshot)
        return try entries(openWriter(copy, seed: 2).history(of: document))
      },
    ]
  }

  /// A writer is killed after one job extended a segment and others added new ones, before it wrote
  /// the catalog. The next writer lists all segments with their present sizes.
  @Test func `a segment that grew before a kill is listed as it is`() throws {
    let system = SimulatedFileSystem()
    let document = name("a")
    var source = EntrySource(seed: 7)
    var list: [HistoryEntry] = []
    func append(_ count: Int, _ writer: StoreWriter) throws {
      let new = source.entries(of: document, count: count)
      let job = try writer.prepareAppend(new, to: document)
      job.run()
      try writer.finish(job)
      list += new
    }
    for (counts, isClosed) in [([5], true), ([60, 60, 60], false), ([60], true)] {
      let writer = try openWriter(system)
      for count in counts { try append(count, writer) }
      if isClosed { try writer.close() }
      for reading in readings(document, system) { #expect(try reading.get() == list) }
    }
    let listed = try Store.open(at: "/store", fileSystem: system).catalog.catalog?.documents[1]
    #expect(listed?.segments.map(\.size) == segments(system).map { system[$0]?.count ?? 0 })
    #expect(segments(system).count > 1)
  }

  /// A valid checksum over two records, of which the second is unknown.
  @Test func `an entry with a bad record changes nothing`() throws {
    let store = try Store.open(at: "/store", fileSystem: store().0).id
    let header = FileHeader.withCatalog(.catalog, store: store, number: 1)
    let start = CatalogCodec.start(header)
    var sound = ByteWriter()
    _ = CatalogCodec.write([.removed(7)], after: start, to: &sound)
    let body = sound.bytes.dropFirst(CatalogCodec.frontSize) + [0xFF]
    let size = withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) }
    let sum = start.withUnsafeBytes { CRC32C.checksum(Array($0) + size + body) }
    let forged = size + withUnsafeBytes(of: sum.littleEndian) { Array($0) } + body
    for (bytes, isSound) in [(sound.bytes, true), (forged, false)] {
      bytes.withUnsafeBytes { bytes in
        var (reader, hash, catalog) = (ByteReader(bytes), start, Catalog())
        #expect(CatalogCodec.read(&reader, after: &hash, into: &catalog) == isSound)
        #expect(catalog.newestDocument == (isSound ? 7 : 0))
        #expect((hash == start) == !isSound && reader.offset == (isSound ? bytes.count : 0))
      }
    }
  }

  /// A loss with a known key replaces the earlier one, in its place.
  @Test func `losses are found by their keys`() {
    var catalog = Catalog()
    func loss(_ key: Int, accepted: Int64? = nil) -> StoreLoss {
      StoreLoss(
        key: "\(key)", file: "file", what: "what", time: Timestamp(nanoseconds: 1),
        acceptedTime: accepted.map { Timestamp(nanoseconds: $0) })
    }
    let count = 100
    for key in 0..<count { catalog.apply(.loss(loss(key))) }
    catalog.apply(.loss(loss(5, accepted: 9)))
    #expect(catalog.losses.map(\.key) == (0..<count).map { "\($0)" })
    #expect(catalog.isAccepted("5") && !catalog.isAccepted("6") && !catalog.isAccepted("100"))
    #expect(catalog.loss("5") == loss(5, accepted: 9) && catalog.loss("100") == nil)
  }

  /// A header with a right checksum and the highest generation there can be.
  @Test func `a catalog out of reach of counting on is lost`() throws {
    let (system, lists) = try store()
    let store = try Store.open(at: "/store", fileSystem: system).id
    system["/store/catalog"] = FileHeader.withCatalog(.catalog, store: store, number: .max).bytes
    #expect(try Store.open(at: "/store", fileSystem: system).losses().count == 1)
    let writer = try openWriter(system, seed: 2)
    #expect(writer.losses.count == 1)
    #expect(try entries(writer.history(of: name("a"))) == lists[name("a")])
  }

  @Test func `a segment that is missing is damage that names it`() throws {
    let (sound, lists) = try store()
    #expect(segments(sound).count == 9)
    for path in segments(sound) {
      let system = SimulatedFileSystem(sound.snapshot)
      system[path] = nil
      let number = StoreLayout.number(of: path.split(separator: "/")[2]) ?? 0
      for document in lists.keys {
        let isHit = document == name(["a", "b", "c"][Int(number) - 1])
        for reading in readings(document, system) {
          guard isHit else {
            #expect(try reading.get() == lists[document])
            continue
          }
          #expect {
            _ = try reading.get()
          } throws: { error in
            guard case LogError.damaged(let file, _, let what) = error else { return false }
            return file == path && what.contains("is missing")
          }
        }
      }
      #expect(try !Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
      let writer = try openWriter(system, seed: 3)
      let document = name(["a", "b", "c"][Int(number) - 1])
      #expect(throws: LogError.self) { _ = try writer.append([(document, [])]) }
    }
  }

  /// Cut at any place: the whole text, or an error that names the file; never less of it.
  @Test func `a cut segment never shows less`() throws {
    let (sound, lists) = try store()
    let path = try #require(segments(sound).first { $0.contains("00000000000000000002/") })
    let bytes = try #require(sound[path])
    for size in stride(from: 0, to: bytes.count, by: 97) {
      let system = SimulatedFileSystem(sound.snapshot)
      system[path] = Array(bytes[..<size])
      for reading in readings(name("b"), system) {
        switch reading {
        case .success(let list): #expect(list == lists[name("b")], "cut at \(size)")
        case .failure(let error):
          guard case LogError.damaged(let file, _, _) = error else {
            Issue.record("cut at \(size): \(error)")
            continue
          }
          #expect(file == path, "cut at \(size)")
        }
      }
    }
  }

  /// An older copy of a segment, or of a whole folder, is no history.
  @Test func `an older copy is noticed`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 7)
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 20))])
    try writer.sealAll()
    let path = try #require(segments(system).first)
    let old = try #require(system[path])
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 20))])
    try writer.sealAll()
    try writer.close()
    system[path] = old
    for reading in readings(name("a"), system) {
      #expect {
        _ = try reading.get()
      } throws: { error in
        guard case LogError.damaged(let file, _, let what) = error else { return false }
        return file == path && what.contains("older copy")
      }
    }
  }

  @Test func `folders that are gone are damage and their numbers are not given again`() throws {
    let (system, lists) = try store()
    let documents = try system.directory(at: "/store/documents")
    for number in 1...3 {
      let folder = StoreLayout.name(of: UInt64(number))
      for file in system.names(at: "/store/documents/\(folder)") {
        system["/store/documents/\(folder)/\(file)"] = nil
      }
      try documents.rename(folder, to: "elsewhere\(number)", in: documents)
    }
    for document in lists.keys {
      for reading in readings(document, system) {
        #expect {
          _ = try reading.get()
        } throws: { error in
          guard case LogError.damaged(let file, _, let what) = error else { return false }
          return file.hasPrefix("documents/") && what.contains("files are missing")
        }
      }
    }
    let writer = try openWriter(system, seed: 2)
    var source = EntrySource(seed: 8)
    _ = try writer.append([(name("new"), source.entries(of: name("new"), count: 3))])
    #expect(writer.numbers[name("new")] == 4)
  }

  /// Journals that are gone after a kill: the loss is known after any number of starts, and until
  /// it is accepted.
  @Test func `a lost journal stays known until it is accepted`() throws {
    let system = SimulatedFileSystem()
    var source = EntrySource(seed: 9)
    do {
      let writer = try openWriter(system)
      _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 5))])
      try writer.confirm()
      _ = try writer.append([(name("b"), source.entries(of: name("b"), count: 5))])
    }
    for journal in system.names(at: "/store/journal") { system["/store/journal/\(journal)"] = nil }
    for seed in 2..<5 {
      #expect(try !Store.open(at: "/store", fileSystem: system).losses().isEmpty)
      let writer = try openWriter(system, seed: UInt64(seed))
      #expect(writer.losses.contains { $0.acceptedTime == nil })
      try writer.close()
    }
    let writer = try openWriter(system, seed: 5)
    #expect(try !writer.acceptLosses().isEmpty)
    #expect(writer.losses.allSatisfy { $0.acceptedTime != nil })
    // Both documents are gone, one of them without a trace; their numbers are not given again.
    _ = try writer.append([(name("new"), source.entries(of: name("new"), count: 3))])
    let number = try #require(writer.numbers[name("new")])
    #expect(number > 2)
    try writer.close()
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems.isEmpty && report.losses.allSatisfy { $0.acceptedTime != nil })
  }

  /// After the loss of a segment is accepted, the entries before it are left, the history records
  /// what it lacks, and the document can be written to.
  @Test(arguments: 0..<3)
  func `a document continues after its loss is accepted`(missing: Int) throws {
    let (system, lists) = try store()
    let list = try #require(lists[name("b")])
    let path = segments(system).filter { $0.contains("00000000000000000002/") }[missing]
    system[path] = nil
    let writer = try openWriter(system, seed: 2)
    #expect(try !writer.acceptLosses().isEmpty)
    let history = try #require(try writer.history(of: name("b")))
    let left = try entries(history)
    #expect(left == Array(list.prefix(20 * missing)))
    #expect(history.damage.map(\.lostEntries) == [UInt64(60 - 20 * missing)])
    #expect(history.damage.allSatisfy { $0.isAccepted })
    let report = try Store.open(at: "/store", fileSystem: system).verify()
    #expect(report.problems == [])
    var source = EntrySource(seed: 10)
    source.resume(from: [name("b"): left])
    let new = source.entries(of: name("b"), count: 4)
    _ = try writer.append([(name("b"), new)])
    try writer.close()
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try entries(store.history(of: name("b"))) == left + new)
    #expect(system.names(at: "/store/quarantine").count == 2 - missing)
  }

  /// A catalog that is missing, damaged, cut, or an older copy is rebuilt. The loss
  /// stays known until it is accepted.
  @Test func `a lost catalog is rebuilt from the rest of the store`() throws {
    let (sound, lists) = try store()
    let bytes = try #require(sound["/store/catalog"])
    var flipped = bytes
    flipped[bytes.count / 2] ^= 4
    let changes = [nil, [], Array(bytes[..<64]), Array(bytes.dropLast()), flipped]
    for change in changes {
      let system = SimulatedFileSystem(sound.snapshot)
      system["/store/catalog"] = change
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.losses().map(\.kind) == [.record])
      for (document, list) in lists { #expect(try entries(store.history(of: document)) == list) }
      let writer = try openWriter(system, seed: 2)
      #expect(writer.losses.map(\.kind) == [.record])
      #expect(writer.catalogFile?.catalog.documents.count == 3)
      _ = try writer.acceptLosses()
      try writer.close()
      let after = try Store.open(at: "/store", fileSystem: system)
      #expect(try after.losses().allSatisfy { $0.acceptedTime != nil })
      #expect(try after.verify().problems.isEmpty)
    }
  }

  /// The catalog is rewritten with the same content when it has grown long.
  @Test func `a long catalog is rewritten`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 11)
    var generations: Set<UInt64> = []
    for _ in 0..<900 {
      _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 1))])
      try writer.sealAll()
      generations.insert(try #require(writer.catalogFile?.place.generation))
    }
    #expect(generations.count > 1)
    let catalog = writer.catalogFile?.catalog
    try writer.close()
    #expect(try Store.open(at: "/store", fileSystem: system).catalog.catalog == catalog)
  }

  /// Whatever the load, the durable mark is at most 16 batches old.
  @Test func `the durable mark keeps up`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 12)
    for _ in 0..<200 {
      _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 1))])
      let root = try system.directory(at: "/store")
      let mark = try #require(try DurableMarkFile.read(in: root, store: writer.id).mark)
      #expect(writer.journal.place.number - mark.batch <= 16)
      #expect(mark.batch <= writer.journal.place.number)
    }
  }

  /// A lock, a journal's folder or a store's that is removed, moved or replaced: nothing is
  /// acknowledged after it.
  @Test(arguments: ["lock", "journal"], [true, false])
  func `a writer without its place ends`(file: String, isReplaced: Bool) throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 13)
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 1))])
    let root = try system.directory(at: "/store")
    try root.rename(file, to: "elsewhere", in: root)
    if isReplaced {
      if file == "lock" {
        _ = try root.open(file, .create)
      } else {
        _ = try root.createDirectory(file)
      }
    }
    let new = source.entries(of: name("a"), count: 1)
    #expect(throws: LogError.self) { _ = try writer.append([(name("a"), new)]) }
    #expect(!writer.isUsable)
  }

  /// A job gives nothing its place, and acknowledges nothing, once the lock is not the writer's.
  @Test(arguments: [true, false]) func `a job without the lock ends the writer`(isRun: Bool) throws
  {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 13)
    _ = try writer.append([(name("a"), source.entries(of: name("a"), count: 1))])
    try writer.confirm()
    let job = try writer.prepareAppend(source.entries(of: name("a"), count: 2), to: name("a"))
    if isRun { job.run() }
    let root = try system.directory(at: "/store")
    try root.remove("lock")
    _ = try root.open("lock", .create)
    if !isRun { job.run() }
    #expect(throws: LogError.self) { try writer.finish(job) }
    #expect(job.receipt == nil && !writer.isUsable)
    #expect(!system.filePaths.contains { $0.hasSuffix(".segment") })
  }
}
