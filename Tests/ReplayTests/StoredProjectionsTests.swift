import EditLog
import EditLogFormat
import EditModel
import Projections
import Replay
import TestSupport
import Testing
import TextState

/// States of projections beside a history: where they are stored, resumed and checked.
@Suite struct StoredProjectionsTests {
  private let system = SimulatedFileSystem()
  private let document = DocumentID("a") ?? { preconditionFailure("a name") }()
  private let folder = "/store/documents/00000000000000000001"

  private func open() throws -> StoreWriter {
    // Enough for all of them.
    var options = StoreWriter.Options()
    options.checkpointSizeMin = 1 << 30
    return try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 1),
      options: options)
  }

  private func history() throws -> History {
    try #require(try Store.open(at: "/store", fileSystem: system).history(of: document))
  }

  /// Edits in runs, at some places, of some lines; events after some of them, and after each edit at
  /// which states may be stored.
  private func entries(_ count: Int, seed: UInt64) -> [HistoryEntry] {
    var random = SplitMix64(seed: seed)
    var (entries, length, place): ([HistoryEntry], Int, Int) = ([], 0, 0)
    for sequence in 1...UInt64(count) {
      if Int.random(in: 0..<20, using: &random) == 0 {
        place = Int.random(in: 0...length, using: &random)
      }
      let removed = min(length - place, Int.random(in: 0..<30, using: &random) == 0 ? 40 : 0)
      let text: UTF16Text = Int.random(in: 0..<9, using: &random) == 0 ? "\n" : "x"
      entries.append(
        .edit(
          Edit(
            sequence: sequence,
            action: EditAction(replacing: UTF16Range(place..<place + removed), with: text),
            time: Timestamp(nanoseconds: Int64(sequence) * 1_000_000))))
      (length, place) = (length + 1 - removed, place + 1)
      guard sequence % 97 == 0 || sequence % History.linkSize == 0 else { continue }
      entries.append(
        .event(
          HistoryEvent(
            kind: .mark(label: "m", at: sequence), after: sequence,
            time: Timestamp(nanoseconds: Int64(sequence) * 1_000_000))))
    }
    return entries
  }

  /// Seals a history, and stores the projections along it.
  private func make(_ entries: [HistoryEntry], in writer: StoreWriter) throws {
    _ = try writer.append([(document, entries)])
    try writer.seal(document)
    try build(in: writer)
  }

  private func build(
    _ projections: [any StoredProjection] = ProjectionBuilder.builtIn, in writer: StoreWriter
  ) throws {
    let job = try #require(
      try writer.prepareCheckpoints(document, of: .projections) { sink throws(LogError) in
        try ProjectionBuilder.run(sink, projections, spacing: 1, bytesPerEdit: .max)
      })
    job.run()
    try writer.finish(job)
  }

  private func slow(_ history: History, through last: SequenceNumber) throws -> ProjectionRunner {
    var runner = ProjectionRunner([ParagraphModels(), UndoHistory()])
    try history.forEachEntry(through: last) { try runner.apply($0) }
    return runner
  }

  private func bytes(_ runner: ProjectionRunner) -> [[UInt8]] {
    runner.projections.compactMap { ($0 as? any StoredProjection)?.storedBytes }
  }

  /// A fold that resumes equals one from the start, at any version, events included.
  @Test func aResumedFoldIsTheSame() throws {
    let entries = self.entries(9_000, seed: 1)
    let writer = try open()
    try make(entries, in: writer)
    #expect(try writer.checkpoints(of: document, .projections) == [4_096, 8_192])
    #expect(try writer.checkpoints(of: document).isEmpty)
    let history = try history()
    let replay = Replay(history)
    for last in [4_096, 8_191, 8_193, 9_000] as [SequenceNumber] {
      let runner = try replay.project([ParagraphModels(), UndoHistory()], through: last)
      #expect(bytes(runner) == bytes(try slow(history, through: last)), "version \(last)")
      #expect(runner.state == (try replay.state(at: .sequence(last))))
    }
    try writer.close()
  }

  /// Counts the entries that it was given since it was made or read.
  private struct Counter: StoredProjection {
    static let name = "counter"
    static let version: UInt32 = 1
    var (seen, isResumed) = (0, false)

    init() {}
    mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) { seen += 1 }
    func encode(to encoder: inout ValueEncoder) { true.encode(to: &encoder) }
    init(from decoder: inout ValueDecoder) throws(StoredValueError) {
      isResumed = try Bool(from: &decoder)
    }
  }

  /// Edits before the stored states are not read again; with checked links, all are.
  @Test func aFoldResumes() throws {
    let writer = try open()
    try make(entries(9_000, seed: 2), in: writer)
    try build([Counter(), UndoHistory()], in: writer)
    let plain = try Replay(history()).project([Counter()])[Counter.self]
    #expect(plain?.seen == 9_000 - 8_192 && plain?.isResumed == true)
    let verified = try Replay(history(), isVerified: true).project([Counter()])[Counter.self]
    #expect(verified?.seen == 9_000 && verified?.isResumed == false)
    // Another projection that is not stored beside it.
    let both = try Replay(history()).project([Counter(), ParagraphModels()])[Counter.self]
    #expect(both?.seen == 9_000)
    try writer.close()
  }

  /// As `Counter`, of a later version.
  private struct NewCounter: StoredProjection {
    static let name = "counter"
    static let version: UInt32 = 2
    var seen = 0

    init() {}
    mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) { seen += 1 }
    func encode(to encoder: inout ValueEncoder) { seen.encode(to: &encoder) }
    init(from decoder: inout ValueDecoder) throws(StoredValueError) {
      seen = try decoder.decodeCount()
    }
  }

  /// States of another version are not used, and a build replaces them.
  @Test func anotherVersionIsBuiltAnew() throws {
    let writer = try open()
    try make(entries(9_000, seed: 3), in: writer)
    try build([Counter()], in: writer)
    #expect(try Replay(history()).project([NewCounter()])[NewCounter.self]?.seen == 9_000)
    try build([NewCounter()], in: writer)
    #expect(try writer.checkpoints(of: document, .projections) == [4_096, 8_192])
    let resumed = try #require(try Replay(history()).project([NewCounter()])[NewCounter.self])
    #expect(resumed.seen == 9_000)
    #expect(try Replay(history()).project([Counter()])[Counter.self]?.isResumed == false)
    try writer.close()
  }

  /// What another program wrote, with right checksums, is found, and a repair removes it.
  @Test func forgedStatesAreFound() throws {
    let entries = self.entries(9_000, seed: 4)
    var writer = try open()
    try make(entries, in: writer)
    let forged = ProjectionCodec.encode([ParagraphModels(), UndoHistory()], at: 8_192)
    let job = try #require(
      try writer.prepareCheckpoints(document, of: .projections) { sink throws(LogError) in
        try sink.store(forged, at: 8_192)
      })
    job.run()
    try writer.finish(job)
    try writer.close()

    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().badCheckpoints.isEmpty)
    let bad = try store.verify(CheckpointComparison()).badCheckpoints
    #expect(bad.map(\.edits) == [8_192...8_192])
    #expect("\(try #require(bad.first).error)".contains("00000000000000008192.projections"))

    // A writer that was just opened uses none before they are compared.
    writer = try open()
    let unchecked = try #require(try writer.history(of: document))
    #expect(try unchecked.checkpoint(atOrBefore: .max, of: .projections) == nil)
    let check = try #require(try writer.prepareCheck(document, CheckpointComparison()))
    check.run()
    try writer.finish(check)
    #expect(check.check?.removed.count == 1)
    let checked = try #require(try writer.history(of: document))
    #expect(try checked.checkpoint(atOrBefore: .max, of: .projections)?.sequence == 4_096)
    #expect(
      bytes(try Replay(checked).project([ParagraphModels(), UndoHistory()]))
        == bytes(try slow(checked, through: 9_000)))
    // The next build stores it again.
    try build(in: writer)
    #expect(try writer.checkpoints(of: document, .projections) == [4_096, 8_192])
    try writer.close()
    #expect(
      try Store.open(at: "/store", fileSystem: system).verify(CheckpointComparison())
        .badCheckpoints.isEmpty)
  }

  /// Damaged files are skipped, and counted as what they are.
  @Test(arguments: seeds(2))
  func damagedFilesAreSkipped(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let writer = try open()
    try make(entries(8_300, seed: seed), in: writer)
    try writer.close()
    let path = "\(folder)/00000000000000008192.projections"
    var damaged = try #require(system[path])
    damaged[Int.random(in: damaged.indices, using: &random)] ^=
      1 << UInt8.random(in: 0..<8, using: &random)
    system[path] = damaged
    let history = try history()
    #expect(
      bytes(try Replay(history).project([ParagraphModels(), UndoHistory()]))
        == bytes(try slow(history, through: 8_300)))
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify(CheckpointComparison()).badCheckpoints.count == 1)
    let usage = try #require(try store.usage().documents.first)
    #expect(usage.checkpointSize > damaged.count && usage.otherSize == 0)
  }

  /// Steps that are not in the order of their edits are refused, so that no look-up before them traps.
  @Test func forgedUndoStepsAreRefused() throws {
    var runner = ProjectionRunner([UndoHistory()])
    for entry in entries(40, seed: 6) { try runner.apply(entry) }
    let bytes = try #require(runner[UndoHistory.self]).storedBytes
    var forged = 0
    for index in bytes.indices where bytes[index] != 0 {
      var changed = bytes
      changed[index] = 0
      guard let history = try? UndoHistory(storedBytes: changed) else { continue }
      forged += 1
      #expect(history.tree.steps.allSatisfy { $0.sequences.lowerBound > 0 })
    }
    #expect(forged > 0)
  }

  /// Of a second run, the size of what is stored counts too.
  @Test func largeStatesAreStoredLessOften() throws {
    let writer = try open()
    let all = entries(17_000, seed: 7)
    let half = try #require(all.firstIndex { $0.isEdit && $0.place == 8_300 })
    try make(Array(all[..<half]), in: writer)
    let before = try writer.checkpoints(of: document, .projections)
    _ = try writer.append([(document, Array(all[half...]))])
    try writer.seal(document)
    let job = try #require(
      try writer.prepareCheckpoints(document, of: .projections) { sink throws(LogError) in
        try ProjectionBuilder.run(sink, spacing: 1, bytesPerEdit: 1)
      })
    job.run()
    try writer.finish(job)
    #expect(try writer.checkpoints(of: document, .projections) == before)
    try writer.close()
  }

  /// A short history has none: folding it is as fast.
  @Test func aShortHistoryHasNone() throws {
    let writer = try open()
    try make(entries(4_000, seed: 5), in: writer)
    #expect(try writer.checkpoints(of: document, .projections).isEmpty)
    try writer.close()
  }
}
