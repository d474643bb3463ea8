import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// Projections that are stored and resumed, beside those that never stop.
@Suite struct StoredProjectionTests {
  /// Histories of both generators: with transactions, undo and events, and with edits in runs.
  private func entries(_ seed: UInt64) -> [HistoryEntry] {
    if seed.isMultiple(of: 2) { return MixedHistory(seed: seed, editCount: 120).entries }
    var generator = EntryGenerator(seed: seed)
    return generator.history(count: 150)
  }

  private func bytes(_ runner: ProjectionRunner) -> [[UInt8]] {
    runner.projections.compactMap { ($0 as? any StoredProjection)?.storedBytes }
  }

  private func restored(_ projection: any Projection) throws -> any Projection {
    func restore<P: StoredProjection>(_ projection: P) throws -> any Projection {
      let stored = try P(storedBytes: projection.storedBytes)
      #expect(projection.matches(settingsOf: stored))
      return stored
    }
    let storable = try #require(projection as? any StoredProjection)
    return try restore(storable)
  }

  /// Stored after random edits and read again, a projection goes on as if it had not been stored.
  @Test(arguments: seeds(24))
  func aStoredProjectionGoesOn(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var whole = ProjectionRunner([ParagraphModels(), UndoHistory()])
    var stored = whole
    for entry in entries(seed) {
      try whole.apply(entry)
      try stored.apply(entry)
      guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
      stored = try ProjectionRunner(from: stored.state, stored.projections.map(restored))
      #expect(bytes(stored) == bytes(whole))
    }
    #expect(bytes(stored) == bytes(whole))
    let (models, expected) = (stored[ParagraphModels.self], whole[ParagraphModels.self])
    #expect(models?.dead == expected?.dead)
    #expect(models?.living(in: stored.state) == expected?.living(in: whole.state))
    #expect(stored[UndoHistory.self]?.tree.steps == whole[UndoHistory.self]?.tree.steps)
    #expect(stored[UndoHistory.self]?.tree.undoable == whole[UndoHistory.self]?.tree.undoable)
    #expect(stored[UndoHistory.self]?.tree.redoable == whole[UndoHistory.self]?.tree.redoable)
  }

  /// Changed bytes are refused, or are a projection that can go on without a trap.
  @Test(arguments: seeds(16))
  func changedBytesDoNoHarm(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let entries = entries(seed)
    var runner = ProjectionRunner([ParagraphModels(), UndoHistory()])
    // Inside an undo, the history holds edits that are not in the tree yet.
    let half = entries.count / 2
    let cut = entries[half...].firstIndex { entry in
      guard case .edit(let edit) = entry else { return false }
      return edit.origin == .undo || edit.origin == .redo
    }
    let rest = entries.suffix(from: cut.map { $0 + 1 } ?? half)
    for entry in entries[..<rest.startIndex] { try runner.apply(entry) }

    func tryToGoOn<P: StoredProjection>(_ projection: P) throws {
      let bytes = projection.storedBytes
      for _ in 0..<60 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          changed[Int.random(in: changed.indices, using: &random)] = random.pick([
            0, 1, 2, 0x7F, 0x80, 0xFF, UInt8(truncatingIfNeeded: random.next()),
          ])
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
          changed.removeLast(Int.random(in: 1...changed.count, using: &random))
        }
        guard let read = try? P(storedBytes: changed), read.fits(runner.state) else { continue }
        var forged = ProjectionRunner(from: runner.state, [read])
        for entry in rest { try forged.apply(entry) }
        _ = (forged[ParagraphModels.self]?.dead, forged[UndoHistory.self]?.tree.redoable)
      }
    }
    try tryToGoOn(#require(runner[ParagraphModels.self]))
    try tryToGoOn(#require(runner[UndoHistory.self]))
  }

  /// What was stored by another rule is not resumed.
  @Test func settingsAreCompared() throws {
    var grouping = UndoGrouping()
    grouping.pauseNanoseconds = 1
    #expect(!UndoHistory().matches(settingsOf: UndoHistory(grouping: grouping)))
    #expect(UndoHistory(grouping: grouping).matches(settingsOf: UndoHistory(grouping: grouping)))
    var rule = ParagraphMoveRule()
    rule.removedCountMax = 0
    #expect(!ParagraphModels().matches(settingsOf: ParagraphModels(moves: rule)))
  }
}
