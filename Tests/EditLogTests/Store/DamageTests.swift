import EditLog
import EditModel
import TestSupport
import Testing

/// Bytes that change after they were written. What is lost is told; nothing wrong is given.
@Suite struct DamageTests {
  private static let journal = "/store/journal/00000000000000000001.journal"

  /// A store with two small batches of two documents, confirmed or not.
  private func small(confirmed: Bool) throws -> (SimulatedFileSystem, Oracle) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 7)
    var oracle = Oracle()
    for documents in [[name("a"), name("b")], [name("a")]] {
      let new = documents.map { ($0, source.entries(of: $0, count: 2)) }
      for (document, entries) in new { oracle.histories[document, default: []] += entries }
      _ = try writer.append(new)
    }
    if confirmed { try writer.close() }
    return (system, oracle)
  }

  /// Bytes of the journal that are not reserved zeros.
  private func used(_ system: SimulatedFileSystem) -> Int {
    (system[Self.journal]?.lastIndex { $0 != 0 } ?? 0) + 1
  }

  /// Every bit of the journal flipped in turn: what the confirmed batches held is whole, or its
  /// loss is told; no entry is other than what was written, and none is out of order.
  @Test(arguments: 0..<8)
  func everyBitFlipOfAJournalIsSeen(bit: Int) throws {
    let (system, oracle) = try small(confirmed: true)
    let snapshot = system.snapshot
    for offset in 0..<used(system) {
      let system = SimulatedFileSystem(snapshot)
      system[Self.journal]?[offset] ^= 1 << UInt8(bit)
      let before = try Store.open(at: "/store", fileSystem: system)
      try check(before, oracle, "bit \(bit) of byte \(offset)")
      // Recovery takes longer; one bit of each byte will do.
      if offset % 8 == bit { try recover(system, before, oracle, "byte \(offset)") }
    }
  }

  private func check(_ store: Store, _ oracle: Oracle, _ comment: Comment) throws {
    for (document, expected) in oracle.histories {
      let found = try entries(store.history(of: document))
      if !isSubsequence(found, of: expected) { Issue.record("wrong entries \(comment)") }
      if found.count < expected.count, store.damages.isEmpty {
        Issue.record("silently shorter \(comment)")
      }
    }
  }

  private func recover(
    _ system: SimulatedFileSystem, _ before: Store, _ oracle: Oracle, _ comment: Comment
  ) throws {
    let writer = try openWriter(system, seed: 3)
    if writer.recovery.damages != before.damages { Issue.record("reports differ \(comment)") }
    for document in oracle.histories.keys {
      let found = try entries(writer.history(of: document))
      if try entries(before.history(of: document)) != found {
        Issue.record("reader and writer differ \(comment)")
      }
    }
    if !writer.recovery.damages.isEmpty {
      let name = "00000000000000000001.journal"
      // A bad header of the file takes nothing with it.
      let isKept = writer.recovery.damages.contains { $0.offset > 0 || $0.lostBatches > 0 }
      if system.names(at: "/store/quarantine").contains(name) != isKept {
        Issue.record("kept: \(!isKept) \(comment)")
      }
      if system.names(at: "/store/journal").contains(name) { Issue.record("in place \(comment)") }
    }
    // What was told once is not told again as something new, and nothing more is lost.
    let store = try Store.open(at: "/store", fileSystem: system)
    if !store.damages.isEmpty { Issue.record("damaged again \(comment)") }
    for document in oracle.histories.keys {
      let (left, right) = (try store.history(of: document), try writer.history(of: document))
      if try entries(left) != entries(right) || left?.damage != right?.damage {
        Issue.record("changed after recovery \(comment)")
      }
    }
  }

  /// True if `part` is `whole` with some entries left out: edits only at the end.
  private func isSubsequence(_ part: [HistoryEntry], of whole: [HistoryEntry]) -> Bool {
    var rest = whole[...]
    for entry in part {
      guard let place = rest.firstIndex(of: entry) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }

  /// A header that changes while the writer works is written again by its repair.
  @Test func `a writer rewrites the header of its journal`() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    _ = try writer.append([(name("a"), [source.edit(of: name("a"))])])
    let path = "/store/journal/00000000000000000001.journal"
    let whole = try #require(system[path])
    system[path]?[20] ^= 1
    #expect(try !Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    #expect(try writer.repair().map(\.file) == ["journal/00000000000000000001.journal"])
    #expect(system[path] == whole)
    #expect(try writer.repair().isEmpty)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
  }

  /// What follows the last batch, and the verdict.
  @Test func tornIsNotDamaged() throws {
    let (system, oracle) = try small(confirmed: false)
    let end = used(system)
    let whole = system.snapshot
    let reader = try Store.open(at: "/store", fileSystem: system)
    let batch = Array((system[Self.journal] ?? [])[64..<end])
    let tails: [(String, [UInt8], torn: Bool)] = [
      ("nothing", [], false), ("zeros", [0, 0, 0], false), ("a byte", [0x89], true),
      ("text", Array("half of something".utf8), true),
      ("an old batch again", batch, true),
      ("the front of a batch", Array(batch.prefix(70)), true),
    ]
    #expect(reader.damages.isEmpty)
    for (what, tail, torn) in tails {
      let system = SimulatedFileSystem(whole)
      system[Self.journal]? += [UInt8](repeating: 0, count: 2048)
      system[Self.journal]?.replaceSubrange(end..<end + tail.count, with: tail)
      #expect(try Store.open(at: "/store", fileSystem: system).damages.isEmpty, "\(what)")
      let writer = try openWriter(system, seed: 3)
      #expect(writer.recovery.isSound, "\(what)")
      #expect((writer.recovery.tornBytes > 0) == torn, "\(what)")
      #expect(system.names(at: "/store/quarantine").isEmpty != torn, "\(what)")
      for (document, expected) in oracle.histories {
        #expect(try entries(writer.history(of: document)) == expected, "\(what)")
      }
    }
  }

  /// Every cut and every zeroed end of the last batch is torn; the batches before stay.
  @Test func everyCutOfTheLastBatchIsTorn() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let document = name("a")
    var source = EntrySource(seed: 9)
    let before = source.entries(of: document, count: 2)
    _ = try writer.append([(document, before)])
    let start = used(system)
    _ = try writer.append([(document, source.entries(of: document, count: 2))])
    let (whole, end) = (system.snapshot, used(system))
    for cut in start..<end {
      for zeros in [true, false] {
        let system = SimulatedFileSystem(whole)
        if zeros {
          for offset in cut..<end { system[Self.journal]?[offset] = 0 }
        } else {
          system[Self.journal]?.removeLast((system[Self.journal]?.count ?? 0) - cut)
        }
        let writer = try openWriter(system, seed: 3)
        #expect(writer.recovery.isSound, "cut at \(cut)")
        #expect(try entries(writer.history(of: document)) == before, "cut at \(cut)")
      }
    }
  }

  /// A missing segment is an error for readers of its entries, and for no other reader.
  @Test func aMissingSegmentIsTold() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let document = name("a")
    var source = EntrySource(seed: 5)
    var list: [HistoryEntry] = []
    while list.count < 400 {
      let new = (0..<40).map { _ in source.edit(of: document) }
      _ = try writer.append([(document, new)])
      try writer.seal(document)
      list += new
    }
    try writer.close()
    let paths = system.filePaths.filter { $0.hasSuffix(".segment") }
    try #require(paths.count > 2)
    for path in paths.dropLast() {
      let system = system.copy()
      system[path] = nil
      for history in [
        try Store.open(at: "/store", fileSystem: system).history(of: document),
        try openWriter(system, seed: 2).history(of: document),
      ] {
        let error = #expect(throws: LogError.self, "\(path)") { _ = try entries(history) }
        guard case .damaged = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        var found: [HistoryEntry] = []
        try history?.forEachEntry(after: 399) { found.append($0) }
        #expect(found == Array(list[399...]), "\(path)")
      }
    }
  }

  /// A document whose middle is lost keeps what comes before; all other documents continue.
  @Test func aLostBatchStopsItsDocumentAlone() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 1)
    let (a, b) = (name("a"), name("b"))
    var lists: [DocumentID: [[HistoryEntry]]] = [:]
    var places: [Int] = []
    for document in [a, b, a, b, a] {
      let new = (0..<3).map { _ in source.edit(of: document) }
      lists[document, default: []].append(new)
      places.append(used(system))
      _ = try writer.append([(document, new)])
    }
    // The second batch of `a`.
    system[Self.journal]?[places[2] + 80] ^= 1
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(store.damages == [JournalDamage(journal: 1, offset: places[2], lostBatches: 1)])
    let damage = HistoryDamage(after: 3, lostEntries: 3, unreachableEntries: 3, journal: 1)
    #expect(try store.history(of: a)?.damage == [damage])
    let next = try openWriter(system.copy(), seed: 2)
    #expect(next.recovery.documents == [a: [damage]])
    #expect(next.recovery.quarantined == ["00000000000000000001.journal"])
    for history in [try store.history(of: b), try next.history(of: b)] {
      #expect(try entries(history) == lists[b]?.flatMap(\.self))
      #expect(history?.damage == [])
    }
    let edit = source.edit(of: a, after: 3)
    _ = try next.append([(a, [edit])])
    #expect(try entries(next.history(of: a)) == (lists[a]?[0] ?? []) + [edit])
    #expect(try next.history(of: a)?.damage == [damage])
  }
}

extension SimulatedFileSystem {
  /// The same disk on a machine that runs on, for another process.
  func copy() -> SimulatedFileSystem { SimulatedFileSystem(snapshot) }
}

extension EntrySource {
  mutating func edit(of document: DocumentID, after last: SequenceNumber? = nil) -> HistoryEntry {
    while true {
      guard case .edit(var edit) = entry(of: document) else { continue }
      if let last { (edit.sequence, edit.transaction) = (last + 1, last + 1) }
      return .edit(edit)
    }
  }
}
