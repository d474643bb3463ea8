import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// Where checkpoints are put, and that they change no answer.
@Suite struct CheckpointBuilderTests {
  private let system = SimulatedFileSystem()
  private let document = DocumentID("a")
  private let folder = "/store/documents/00000000000000000001"

  private func writer() throws -> StoreWriter {
    try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: 1))
  }

  /// Logs actions in pieces, each sealed, and builds checkpoints after each seal.
  private func log(
    _ actions: [EditAction], pieces: Int, spacing: Int, writer: StoreWriter
  ) throws {
    let document = try #require(document)
    let size = (actions.count + pieces - 1) / pieces
    for start in stride(from: 0, to: actions.count, by: size) {
      let entries = (start..<min(start + size, actions.count)).map { index in
        HistoryEntry.edit(
          Edit(
            sequence: SequenceNumber(index + 1), action: actions[index],
            time: Timestamp(nanoseconds: Int64(index))))
      }
      _ = try writer.append([(document, entries)])
      try writer.seal(document)
      let job = try #require(
        try writer.prepareCheckpoints(document) { sink throws(LogError) in
          try CheckpointBuilder.run(sink, spacing: spacing)
        })
      job.run()
      try writer.finish(job)
    }
  }

  /// Small edits at random places, and typing runs.
  private func edits(seed: UInt64, count: Int) -> [EditAction] {
    var random = SplitMix64(seed: seed)
    var (length, place) = (0, 0)
    return (0..<count).map { _ in
      if Int.random(in: 0..<4, using: &random) == 0 {
        place = Int.random(in: 0...length, using: &random)
      }
      let deleted = length > 200 && Int.random(in: 0..<6, using: &random) == 0 ? 5 : 0
      place = min(place, length - deleted)
      let action = EditAction(
        replacing: UTF16Range(place..<place + deleted),
        with: Int.random(in: 0..<30, using: &random) == 0 ? "\n" : "x")
      (length, place) = (length + 1 - deleted, place + 1)
      return action
    }
  }

  private func check(_ actions: [EditAction]) throws {
    let store = try Store.open(at: "/store", fileSystem: system)
    let document = try #require(document)
    let replay = Replay(try #require(try store.history(of: document)))
    var state = TextState()
    for (index, action) in actions.enumerated() {
      try state.apply(action)
      guard index % 251 == 0 || index == actions.count - 1 else { continue }
      let sequence = SequenceNumber(index + 1)
      if try replay.state(at: .sequence(sequence)) != state {
        Issue.record("version \(sequence) differs")
      }
    }
  }

  /// With all checkpoints and with any subset of them, each version is the same.
  @Test(arguments: UInt64(0)..<3)
  func checkpointsChangeNoVersion(seed: UInt64) throws {
    let actions = edits(seed: seed, count: 13_000)
    let writer = try writer()
    try log(actions, pieces: 3, spacing: 1, writer: writer)
    let sequences = try writer.checkpoints(of: #require(document))
    #expect(!sequences.isEmpty)
    for sequence in sequences { #expect(sequence % History.linkSize == 0) }
    try check(actions)
    var random = SplitMix64(seed: seed)
    for name in system.names(at: folder) where name.hasSuffix(".checkpoint") {
      guard Bool.random(using: &random) else { continue }
      try system.directory(at: folder).remove(name)
    }
    try check(actions)
  }

  /// Few edits that are heavy get one where the sealed part ends; few light ones get none.
  @Test func theSpacingIsByCost() throws {
    let heavy = UTF16Text(String(repeating: "line of text\n", count: 20_000))
    let actions = (0..<8).map { count in
      EditAction(replacing: UTF16Range(0..<(count == 0 ? 0 : heavy.count)), with: heavy)
    }
    let writer = try writer()
    try log(actions, pieces: 1, spacing: ReplayCost.spacing, writer: writer)
    #expect(try writer.checkpoints(of: #require(document)) == [8])
    try check(actions)
  }

  /// The texts of long edits are not read to find the places.
  @Test(arguments: [(1, []), (2, []), (4, [4])] as [(Int, [SequenceNumber])])
  func longEditsGetThemByCost(count: Int, places: [SequenceNumber]) throws {
    let long = UTF16Text(String(repeating: "line of text\n", count: 100_000))
    let actions = (0..<count).map { index in
      EditAction(replacing: UTF16Range(0..<(index == 0 ? 0 : long.count)), with: long)
    }
    let writer = try writer()
    try log(actions, pieces: 1, spacing: ReplayCost.spacing, writer: writer)
    #expect(try writer.checkpoints(of: #require(document)) == places)
    try check(actions)
  }

  @Test func lightEditsGetNone() throws {
    let actions = edits(seed: 4, count: 300)
    let writer = try writer()
    try log(actions, pieces: 2, spacing: ReplayCost.spacing, writer: writer)
    #expect(try writer.checkpoints(of: #require(document)).isEmpty)
  }

  /// A job that is asked to stop leaves the history as it is.
  @Test func aStoppedJobStoresNothing() throws {
    let actions = edits(seed: 5, count: 9_000)
    let writer = try writer()
    let document = try #require(document)
    try log(actions, pieces: 1, spacing: .max, writer: writer)
    let job = try #require(
      try writer.prepareCheckpoints(document) { sink throws(LogError) in
        try CheckpointBuilder.run(sink, spacing: 1)
      })
    job.cancel()
    job.run()
    try writer.finish(job)
    #expect(try writer.checkpoints(of: document).isEmpty)
    try check(actions)
  }
}
