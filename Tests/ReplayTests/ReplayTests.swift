import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// A store on a simulated disk with one history in it, partly sealed.
private struct Shelf {
  static let document = "file:///note.md"
  let system = SimulatedFileSystem()
  let mixed: MixedHistory
  /// `states[n]` is the version n.
  let states: [TextState]

  /// Seals after each of `seals` entries; stores what `checkpoint` gives for a version there.
  init(
    seed: UInt64, editCount: Int = 120, seals: [Int] = [30, 70, 110],
    checkpoint: (TextState) -> [UInt8]? = { _ in nil }
  ) throws {
    mixed = MixedHistory(seed: seed, editCount: editCount)
    var state = TextState()
    var states = [state]
    let writer = try Self.writer(system, seed: seed)
    let document = try #require(DocumentID(Self.document))
    for (count, entry) in mixed.entries.enumerated() {
      if case .edit(let edit) = entry {
        try state.apply(edit.action)
        states.append(state)
      }
      _ = try writer.append([(document, [entry])])
      guard seals.contains(count + 1) else { continue }
      try writer.seal(document)
      if let bytes = checkpoint(state) {
        try writer.writeCheckpoint(document, at: state.sequence, bytes)
      }
    }
    try writer.close()
    self.states = states
  }

  /// Opens the store for writing; what rolls, rolls often.
  static func writer(_ system: SimulatedFileSystem, seed: UInt64) throws -> StoreWriter {
    var options = StoreWriter.Options()
    options.blockEditCountMax = 16
    options.segmentSizeMax = 1_000
    (options.journalSizeMax, options.journalReserveStep) = (8_000, 4_096)
    (options.compactedBlockEditCountMax, options.compactionSizeMin) = (64, 1)
    return try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: seed),
      options: options)
  }

  func replay() throws -> Replay {
    let document = try #require(DocumentID(Self.document))
    let store = try Store.open(at: "/store", fileSystem: system)
    return Replay(try #require(try store.history(of: document)))
  }

  /// Every version by replay is the one by folding.
  func check() throws {
    let replay = try replay()
    for (sequence, expected) in states.enumerated() {
      let state = try replay.state(at: .sequence(SequenceNumber(sequence)))
      if state != expected { Issue.record("version \(sequence) differs") }
      if let violation = state.invariantViolation() { Issue.record("\(sequence): \(violation)") }
    }
    #expect(try replay.state(at: .latest) == states.last)
  }
}

@Suite struct ReplayTests {
  @Test(arguments: UInt64(0)..<4)
  func everyVersionWithoutCheckpoints(seed: UInt64) throws {
    try Shelf(seed: seed).check()
    try Shelf(seed: seed, seals: []).check()
  }

  @Test(arguments: UInt64(0)..<4)
  func everyVersionWithCheckpoints(seed: UInt64) throws {
    let shelf = try Shelf(seed: seed) { CheckpointCodec.encode($0) }
    let replay = try shelf.replay()
    let sequences = Set(
      try shelf.states.indices.compactMap { sequence in
        try replay.history.checkpoint(atOrBefore: SequenceNumber(sequence)).map { stored in
          let state = try CheckpointCodec.decode(stored.bytes)
          #expect(state == shelf.states[Int(stored.sequence)])
          return stored.sequence
        }
      })
    #expect(sequences.count == 3)
    try shelf.check()
  }

  /// A checkpoint is a cache: nothing depends on one that is garbage, that is the state of
  /// another version, or whose file is damaged or cut.
  @Test(arguments: UInt64(0)..<4)
  func everyVersionWithBadCheckpoints(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try Shelf(seed: seed) { _ in
      (0..<60).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }.check()
    try Shelf(seed: seed) { _ in CheckpointCodec.encode(TextState()) }.check()
    try Shelf(seed: seed) { _ in [] }.check()

    let shelf = try Shelf(seed: seed) { CheckpointCodec.encode($0) }
    let folder = "/store/documents/00000000000000000001"
    for (count, name) in shelf.system.names(at: folder).enumerated()
    where name.hasSuffix(".checkpoint") {
      let path = "\(folder)/\(name)"
      let size = try #require(shelf.system[path]?.count)
      if count % 2 == 0 {
        shelf.system[path]?[Int.random(in: 0..<size, using: &random)] ^= 0x10
      } else {
        shelf.system[path]?.removeLast(Int.random(in: 1..<size, using: &random))
      }
    }
    try shelf.check()
  }

  /// Rolled; with segments that are mended as they are read; repaired; compacted; sealed wholly.
  @Test(arguments: seeds(2))
  func everyVersionWhateverTheFilesWentThrough(seed: UInt64) throws {
    let shelf = try Shelf(seed: seed, editCount: 160, seals: [50, 100, 140])
    try shelf.check()
    let folder = "/store/documents/00000000000000000001"
    let segments = shelf.system.names(at: folder).filter { $0.hasSuffix(".segment") }
    #expect(!segments.isEmpty)
    for name in segments { shelf.system["\(folder)/\(name)"]?[100] ^= 1 }
    try shelf.check()

    let writer = try Shelf.writer(shelf.system, seed: seed + 100)
    #expect(try writer.repair().count == segments.count)
    try shelf.check()
    let document = try #require(DocumentID(Shelf.document))
    while let job = try writer.prepareCompaction(document) {
      job.run()
      try writer.finish(job)
      try shelf.check()
      if !job.producedFile { break }
    }
    try writer.sealAll()
    try shelf.check()
    try writer.close()
  }

  @Test(arguments: UInt64(0)..<4)
  func timesNameTheNewestEditNotLater(seed: UInt64) throws {
    let shelf = try Shelf(seed: seed)
    let replay = try shelf.replay()
    let times = shelf.mixed.entries.map { entry in
      switch entry {
      case .edit(let edit): edit.time.nanoseconds
      case .event(let event): event.time.nanoseconds
      }
    }
    for time in Set(times.flatMap { [$0 - 1, $0, $0 + 1] } + [.min, 0, .max]) {
      let time = Timestamp(nanoseconds: time)
      let expected = shelf.mixed.edits.last { $0.time <= time }?.sequence ?? 0
      if try replay.sequence(of: .time(time)) != expected { Issue.record("\(time)") }
    }
    let last = try #require(shelf.mixed.edits.last)
    #expect(try replay.state(at: .time(last.time)) == shelf.states.last)
  }

  @Test(arguments: UInt64(0)..<6)
  func theLastMarkOfALabelCounts(seed: UInt64) throws {
    let shelf = try Shelf(seed: seed)
    let replay = try shelf.replay()
    for label in ["draft", "sent", "é", "e\u{301}"] {
      let expected = shelf.mixed.events.reduce(nil) { found, event -> SequenceNumber? in
        guard case .mark(let other, let at) = event.kind, other.utf8.elementsEqual(label.utf8)
        else { return found }
        return at
      }
      guard let expected else {
        #expect(throws: ReplayError.self) { try replay.sequence(of: .mark(label)) }
        continue
      }
      #expect(try replay.sequence(of: .mark(label)) == expected, "\(Array(label.utf8))")
      #expect(try replay.state(at: .mark(label)) == shelf.states[Int(expected)])
    }
  }

  @Test func anUnknownMarkListsTheKnown() throws {
    let shelf = try Shelf(seed: 1)
    let replay = try shelf.replay()
    let known = try replay.history.marks().map(\.label)
    #expect(!known.isEmpty)
    #expect(throws: ReplayError.unknownMark(label: "no such", known: known)) {
      try replay.state(at: .mark("no such"))
    }
  }

  @Test func beyondTheHistoryIsNoVersion() throws {
    let replay = try Shelf(seed: 2).replay()
    let last = replay.history.lastSequence
    for sequence in [last + 1, .max] {
      #expect(throws: ReplayError.beyondHistory(sequence: sequence, last: last)) {
        try replay.state(at: .sequence(sequence))
      }
    }
  }

  @Test func aHistoryOfEventsAloneIsTheEmptyDocument() throws {
    let system = SimulatedFileSystem()
    let writer = try StoreWriter(at: "/store", fileSystem: system, random: SeededBytes(seed: 1))
    let document = try #require(DocumentID("a"))
    let event = HistoryEvent(
      kind: .mark(label: "empty", at: 0), after: 0, time: Timestamp(nanoseconds: 5))
    _ = try writer.append([(document, [.event(event)])])
    for isSealed in [false, true] {
      if isSealed { try writer.seal(document) }
      let replay = Replay(try #require(try writer.history(of: document)))
      for point in [.latest, .sequence(0), .mark("empty"), .time(event.time)] as [Point] {
        #expect(try replay.state(at: point) == TextState())
      }
    }
  }

  /// An edit that does not fit is told as damage of the log, with its number.
  @Test func anUnfitEditIsNamed() throws {
    let system = SimulatedFileSystem()
    let writer = try StoreWriter(at: "/store", fileSystem: system, random: SeededBytes(seed: 1))
    let document = try #require(DocumentID("a"))
    let edits = [0..<0, 5..<9].enumerated().map { index, range in
      HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(index + 1),
          action: EditAction(replacing: UTF16Range(range), with: "abc")))
    }
    _ = try writer.append([(document, edits)])
    let replay = Replay(try #require(try writer.history(of: document)))
    #expect(String(try replay.state(at: .sequence(1)).text) == "abc")
    #expect(
      throws: ReplayError.unfitEdit(
        sequence: 2,
        reason: .rangeOutsideText(range: UTF16Range(5..<9), textLength: 3))
    ) { try replay.state(at: .latest) }
  }
}
