import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// Checkpoints with right checksums and another text.
@Suite struct CheckpointComparisonTests {
  private let system = SimulatedFileSystem()
  private let document = DocumentID("a") ?? { preconditionFailure("a name") }()
  private let folder = "/store/documents/00000000000000000001"
  private let forgedText = "forged"

  private func open() throws -> StoreWriter {
    try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 1))
  }

  private func action(_ number: Int, _ text: UTF16Text = "x") -> EditAction {
    EditAction(replacing: UTF16Range(number - 1..<number - 1), with: text)
  }

  /// Sixty edits, sealed, with checkpoints after 20, 40 and 60: the second of another text.
  private func make() throws {
    let writer = try open()
    let entries = (1...60).map { HistoryEntry.edit(Edit(sequence: UInt64($0), action: action($0))) }
    _ = try writer.append([(document, entries)])
    try writer.seal(document)
    var state = TextState()
    for number in 1...60 {
      try state.apply(action(number))
      guard number % 20 == 0 else { continue }
      var stored = state
      if number == 40 {
        stored = TextState()
        for forged in 1...40 { try stored.apply(action(forged, forged == 7 ? "f" : "x")) }
      }
      try writer.writeCheckpoint(
        document, at: SequenceNumber(number), CheckpointCodec.encode(stored))
    }
    try writer.close()
  }

  private func store() throws -> Store { try Store.open(at: "/store", fileSystem: system) }

  private func text(at sequence: SequenceNumber, isVerified: Bool) throws -> String {
    let history = try #require(try store().history(of: document))
    return String(try Replay(history, isVerified: isVerified).state(at: .sequence(sequence)).text)
  }

  @Test func `plain reading trusts checksums, and verified reading does not`() throws {
    try make()
    let sound = String(repeating: "x", count: 45)
    #expect(try text(at: 45, isVerified: false) != sound)
    #expect(try text(at: 45, isVerified: true) == sound)
  }

  @Test func `a check names it, and a repair removes it`() throws {
    try make()
    #expect(try store().verify().badCheckpoints.isEmpty)
    let report = try store().verify(CheckpointComparison())
    #expect(report.problems.isEmpty)
    let file = "documents/00000000000000000001/00000000000000000040.checkpoint"
    // The last one refers to it.
    let files = [file, file.replacing("040.", with: "060.")]
    #expect(report.badCheckpoints.count == 2)
    let bad = try #require(report.badCheckpoints.first)
    #expect(bad.isRepairable && bad.edits == 40...40)
    #expect("\(bad.error)".hasPrefix(file), "\(bad.error)")
    #expect(try store().repairs(CheckpointComparison()).map(\.file) == files)
    let writer = try open()
    #expect(try writer.repair(CheckpointComparison()).map(\.file) == files)
    try writer.close()
    #expect(try store().verify(CheckpointComparison()).badCheckpoints.isEmpty)
    #expect(try text(at: 45, isVerified: false) == String(repeating: "x", count: 45))
  }

  /// A writer builds on what it wrote itself, and on what was compared since it was opened.
  @Test func `a writer uses no checkpoint that is not checked`() throws {
    try make()
    let writer = try open()
    func checkpoint() throws -> SequenceNumber? {
      try writer.history(of: document)?.checkpoint(atOrBefore: 50)?.sequence
    }
    #expect(try checkpoint() == nil)
    #expect(writer.checkedCount == 0)
    let stopped = try #require(try writer.prepareCheck(document, CheckpointComparison()))
    stopped.cancel()
    stopped.run()
    try writer.finish(stopped)
    #expect(stopped.check == nil && writer.checkedCount == 0)
    let job = try #require(try writer.prepareCheck(document, CheckpointComparison()))
    job.run()
    try writer.finish(job)
    let check = try #require(job.check)
    #expect(check.failure == nil && check.removed.count == 2)
    #expect(check.removed.first?.contains("00000000000000000040.checkpoint") == true)
    #expect(try checkpoint() == 20)
    #expect(writer.checkedCount == 1)
    #expect(try writer.prepareCheck(document, CheckpointComparison()) == nil)
    // What takes its place while the writer runs has another digest.
    let bytes = try #require(system["\(folder)/00000000000000000020.checkpoint"])
    try make(otherAt: 20)
    #expect(system["\(folder)/00000000000000000020.checkpoint"] != bytes)
    #expect(try checkpoint() == nil)
  }

  /// Puts a checkpoint of another text there, as another program would.
  private func make(otherAt sequence: SequenceNumber) throws {
    let other = SimulatedFileSystem(system.snapshot)
    let writer = try StoreWriter(
      at: "/store", fileSystem: other, clock: FixedClock(), random: SeededBytes(seed: 2))
    try writer.writeCheckpoint(document, at: sequence, CheckpointCodec.encode(TextState()))
    try writer.close()
    let path = "\(folder)/00000000000000000020.checkpoint"
    system[path] = other[path]
  }

  /// Edits that do not fit the text before them are found, with or without checkpoints.
  @Test func `edits that do not fit are damage`() throws {
    let writer = try open()
    let entries = [action(1), action(9)].enumerated().map {
      HistoryEntry.edit(Edit(sequence: UInt64($0 + 1), action: $1))
    }
    _ = try writer.append([(document, entries)])
    try writer.sealAll()
    try writer.close()
    #expect(try store().verify().problems.isEmpty)
    #expect(try store().verify(CheckpointComparison()).problems.count == 1)
  }
}
