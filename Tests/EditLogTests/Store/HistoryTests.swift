import EditLog
import EditModel
import TestSupport
import Testing

/// What a history answers, beside a plain list of its entries.
@Suite struct HistoryTests {
  /// A document partly sealed, in several segments and blocks, partly in the journal.
  private func make(seed: UInt64, count: Int = 150) throws -> (
    StoreWriter, DocumentID, [HistoryEntry]
  ) {
    let writer = try openWriter(SimulatedFileSystem())
    var source = EntrySource(seed: seed)
    let document = name("a")
    var list: [HistoryEntry] = []
    while list.count < count {
      let new = source.entries(of: document, count: 10)
      _ = try writer.append([(document, new)])
      list += new
      if list.count % 40 == 0 { try writer.seal(document) }
    }
    return (writer, document, list)
  }

  @Test(arguments: UInt64(0)..<3)
  func agreesWithAList(seed: UInt64) throws {
    let (writer, document, list) = try make(seed: seed)
    let history = try #require(try writer.history(of: document))
    let edits = list.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
    #expect(history.lastSequence == UInt64(edits.count))
    for edit in edits {
      #expect(try history.time(ofEdit: edit.sequence) == edit.time)
      #expect(try history.edit(at: edit.sequence) == edit)
    }
    for sequence in [0, history.lastSequence + 1, .max] {
      #expect(try history.edit(at: sequence) == nil)
      #expect(try history.time(ofEdit: sequence) == nil)
    }

    for time in edits[0].time.nanoseconds - 1...edits[edits.count - 1].time.nanoseconds + 1 {
      let time = Timestamp(nanoseconds: time)
      let newest = edits.last { $0.time <= time }?.sequence ?? 0
      #expect(try history.sequence(at: time) == newest, "\(time)")
    }
  }

  @Test(arguments: UInt64(3)..<5)
  func rangesAgreeWithAList(seed: UInt64) throws {
    let (writer, document, list) = try make(seed: seed)
    let history = try #require(try writer.history(of: document))
    for after in stride(from: 0, through: history.lastSequence + 2, by: 7) {
      for last in stride(from: 0, through: history.lastSequence + 2, by: 5) {
        var found: [HistoryEntry] = []
        try history.forEachEntry(after: after, through: last) { found.append($0) }
        let expected = list.filter { entry in
          switch entry {
          case .edit(let edit): edit.sequence > after && edit.sequence <= last
          case .event(let event):
            (event.after > after || after == 0 && event.after == 0) && event.after <= last
          }
        }
        #expect(found == expected, "after \(after) through \(last)")
        var actions: [EditAction] = []
        try history.forEachSpan(after: after, through: last) { span in
          for index in 0..<span.count { actions.append(span[index]) }
        }
        #expect(
          actions
            == expected.compactMap { if case .edit(let edit) = $0 { edit.action } else { nil } },
          "after \(after) through \(last)")
      }
    }
    try history.forEachEntry(after: .max, through: .max) { _ in Issue.record("an entry") }
  }

  @Test(arguments: UInt64(5)..<7)
  func indexesAgreeWithAList(seed: UInt64) throws {
    let (writer, document, list) = try make(seed: seed)
    let history = try #require(try writer.history(of: document))
    var marks: [(String, SequenceNumber)] = []
    var sessions: [SessionID: SessionMark] = [:]
    for entry in list {
      switch entry {
      case .edit(let edit):
        guard let session = edit.session else { continue }
        sessions[session] = SessionMark(counter: edit.counter, sequence: edit.sequence)
      case .event(let event):
        if case .mark(let label, let at) = event.kind {
          marks.removeAll { $0.0 == label }
          marks.append((label, at))
        }
        guard let session = event.session else { continue }
        sessions[session] = SessionMark(counter: event.counter, sequence: event.after)
      }
    }
    #expect(try history.marks().map(\.label) == marks.map(\.0))
    #expect(try history.marks().map(\.sequence) == marks.map(\.1))
    #expect(try writer.sessions(of: document) == sessions)
    let events = list.compactMap { if case .event(let event) = $0 { event } else { nil } }
    for sequence in 0...history.lastSequence {
      #expect(
        try history.events(after: sequence) == events.filter { $0.after == sequence },
        "after \(sequence)")
    }
  }

  /// The head of each acknowledgement is confirmed for ever, and that of another history never.
  @Test func headsAreConfirmed() throws {
    let system = SimulatedFileSystem()
    let document = name("a")
    var source = EntrySource(seed: 8)
    var receipts: [AppendReceipt] = []
    do {
      let writer = try openWriter(system)
      for count in [1, 2, 700, 330, 5, 900, 200] {
        receipts += try writer.append([(document, source.entries(of: document, count: count))])
        if count == 5 { try writer.seal(document) }
      }
    }
    let writer = try openWriter(system)
    receipts += try writer.append([(document, source.entries(of: document, count: 60))])
    let early = try openWriterAgain(from: system)
    for _ in 0..<2 {
      let history = try #require(try writer.history(of: document))
      for receipt in receipts {
        #expect(try history.confirms(receipt.head, at: receipt.lastSequence))
        #expect(try history.confirms(receipt.head, at: receipt.lastSequence + 1) == false)
      }
      #expect(try history.head == receipts.last?.head)
      try writer.sealAll()
    }
    // An older copy of the store does not confirm what came after it.
    receipts += try writer.append([(document, source.entries(of: document, count: 1))])
    let last = try #require(receipts.last)
    #expect(try early.history(of: document)?.confirms(last.head, at: last.lastSequence) == false)
  }

  private func openWriterAgain(from system: SimulatedFileSystem) throws -> StoreWriter {
    try openWriter(SimulatedFileSystem(system.snapshot), seed: 9)
  }

  @Test func checkpointsAreACache() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let (document, other) = (name("a"), name("b"))
    var source = EntrySource(seed: 2)
    for document in [document, other] {
      _ = try writer.append([(document, (0..<60).map { _ in source.edit(of: document) })])
    }
    let states = [UInt64(5), 20, 41].map { ($0, Array("state after \($0)".utf8)) }
    for (sequence, state) in states { try writer.writeCheckpoint(document, at: sequence, state) }
    try writer.writeCheckpoint(other, at: 30, Array("the other's".utf8))
    #expect(throws: LogError.self) { try writer.writeCheckpoint(document, at: 61, []) }
    for sealed in [false, true] {
      if sealed { try writer.sealAll() }
      let store = try Store.open(at: "/store", fileSystem: system)
      for history in [try writer.history(of: document), try store.history(of: document)] {
        for sequence in UInt64(0)...62 {
          let expected = states.last { $0.0 <= sequence }
          let found = try history?.checkpoint(atOrBefore: sequence)
          #expect(found?.sequence == expected?.0)
          #expect(found?.bytes == expected?.1)
        }
      }
    }
    #expect(try writer.checkpoints(of: document) == [5, 20, 41])
    // A damaged one, and one of another document, are passed over and then removed.
    let directory = "/store/documents/00000000000000000001/"
    let foreign = system["/store/documents/00000000000000000002/00000000000000000030.checkpoint"]
    system[directory + "00000000000000000041.checkpoint"] = foreign
    system[directory + "00000000000000000020.checkpoint"]?[125] ^= 1
    #expect(try writer.history(of: document)?.checkpoint(atOrBefore: 60)?.sequence == 5)
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    _ = try writer.append([(document, [source.edit(of: document)])])
    try writer.seal(document)
    #expect(try writer.checkpoints(of: document).contains(41) == false)
  }

  /// A small file is never decoded into very much memory.
  @Test func checkpointsThatShrinkTooMuchAreNotStored() throws {
    let writer = try openWriter(SimulatedFileSystem())
    let document = name("a")
    var source = EntrySource(seed: 2)
    _ = try writer.append([(document, (0..<3).map { _ in source.edit(of: document) })])
    try writer.writeCheckpoint(document, at: 1, [UInt8](repeating: 0, count: (1 << 26) + 1))
    try writer.writeCheckpoint(document, at: 2, [UInt8](repeating: 0, count: 1 << 26))
    #expect(try writer.checkpoints(of: document) == [2])
  }

  /// Sealed documents exchange names, and none, one or both are sealed again. Readers, and a writer
  /// after a crash, use the new names.
  @Test(arguments: [false, true], [[], ["a"], ["b"], ["a", "b"]])
  func `sealed documents may swap their names`(isLone: Bool, sealed: [String]) throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system, seed: isLone ? 2 : 1)
    let (a, b) = (name("a"), name("b"))
    var lists: [DocumentID: [HistoryEntry]] = [:]
    for (seed, document) in [a, b].enumerated() {
      var source = EntrySource(seed: UInt64(seed))
      lists[document] = source.entries(of: document, count: 5)
      _ = try writer.append([(document, lists[document] ?? [])])
    }
    try writer.sealAll()
    try writer.markDurable()
    for old in [a, b] {
      let event = HistoryEvent(
        kind: .renamed(from: old), after: try writer.lastSequence(of: old) ?? 0,
        time: Timestamp(nanoseconds: 1 << 40))
      lists[old]?.append(.event(event))
    }
    (lists[a], lists[b]) = (lists[b], lists[a])
    _ = try writer.append(
      [a, b].map { ($0, Array((lists[$0] ?? []).suffix(1))) },
      renaming: [DocumentRename(a, to: b), DocumentRename(b, to: a)])
    for letter in sealed { try writer.seal(name(letter)) }
    if sealed.count == 1 { try writer.markDurable() }
    func check(_ system: SimulatedFileSystem) throws {
      let store = try Store.open(at: "/store", fileSystem: system)
      for (document, list) in lists {
        #expect(try entries(store.history(of: document)) == list, "\(document)")
      }
      #expect(try store.documents().map(\.document).sorted { $0.name < $1.name } == [a, b])
      let report = try store.verify()
      #expect(report.problems.isEmpty, "\(report.problems)")
    }
    let crashed = SimulatedFileSystem(system.snapshot)
    try check(crashed)
    let next = try openWriter(crashed, seed: isLone ? 2 : 1)
    for (document, list) in lists { #expect(try entries(next.history(of: document)) == list) }
    try next.close()
    try check(crashed)
    try writer.close()
    try check(system)
  }

  /// One batch renames several documents and appends to others. A new name that is taken, an unknown
  /// old name, and an append to an old name are refused, and then nothing is written.
  @Test func documentsAreRenamedInOneBatch() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    var source = EntrySource(seed: 4)
    let (a, b, c, d) = (name("a"), name("b"), name("c"), name("d"))
    let lists = [a: source.entries(of: a, count: 3), b: source.entries(of: b, count: 3)]
    _ = try writer.append(lists.sorted { $0.key.name < $1.key.name }.map { ($0.key, $0.value) })
    let last = [a: try writer.lastSequence(of: a), b: try writer.lastSequence(of: b)]
      .compactMapValues { $0 }
    func renamed(_ old: DocumentID) -> [HistoryEntry] {
      [
        .event(
          HistoryEvent(
            kind: .renamed(from: old), after: last[old] ?? 0,
            time: Timestamp(nanoseconds: 1 << 40)))
      ]
    }
    let refused: [[DocumentRename]] = [
      [DocumentRename(a, to: b)], [DocumentRename(c, to: d)],
      [DocumentRename(a, to: c), DocumentRename(b, to: c)],
      [DocumentRename(a, to: c), DocumentRename(a, to: d)],
    ]
    let before = system.filePaths.map { system[$0] }
    for renames in refused {
      #expect(throws: LogError.self) { try writer.append([], renaming: renames) }
    }
    #expect(throws: LogError.self) {
      try writer.append([(a, renamed(a))], renaming: [DocumentRename(a, to: c)])
    }
    #expect(system.filePaths.map { system[$0] } == before)
    let others = source.entries(of: name("e"), count: 2)
    let receipts = try writer.append(
      [(name("e"), others), (d, renamed(b)), (c, renamed(a))],
      renaming: [DocumentRename(a, to: c), DocumentRename(b, to: d)])
    #expect(receipts.map(\.document) == [name("e"), d, c])
    let expected = [
      d: (lists[a] ?? []) + renamed(a), c: (lists[b] ?? []) + renamed(b), name("e"): others,
    ]
    // Two documents exchange names.
    _ = try writer.append([], renaming: [DocumentRename(c, to: d), DocumentRename(d, to: c)])
    // The old names are free in the next batch.
    var other = EntrySource(seed: 9)
    let new = other.entries(of: a, count: 1)
    _ = try writer.append([(a, new)])
    for isClosed in [false, true] {
      if isClosed { try writer.close() }
      let store = try Store.open(at: "/store", fileSystem: SimulatedFileSystem(system.snapshot))
      for (document, list) in expected { #expect(try entries(store.history(of: document)) == list) }
      #expect(try entries(store.history(of: a)) == new)
      #expect(try store.history(of: b) == nil)
      #expect(try store.verify().problems.isEmpty)
    }
  }

  @Test func renamedDocumentsKeepTheirHistory() throws {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let (old, new) = (name("a"), name("b"))
    var source = EntrySource(seed: 2)
    var list = source.entries(of: old, count: 20)
    _ = try writer.append([(old, list)])
    let last = try writer.lastSequence(of: old) ?? 0
    let event = HistoryEvent(
      kind: .renamed(from: old), after: last, time: Timestamp(nanoseconds: 1 << 40))
    _ = try writer.append([(new, [.event(event)])], renaming: [DocumentRename(old, to: new)])
    list.append(.event(event))
    for sealed in [false, true] {
      if sealed { try writer.sealAll() }
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.history(of: old) == nil)
      #expect(try entries(store.history(of: new)) == list)
      let again = try openWriterAgain(from: system)
      #expect(try again.lastSequence(of: old) == nil)
      #expect(try entries(again.history(of: new)) == list)
    }
  }
}
