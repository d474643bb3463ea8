import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// The net difference of two versions of a history.
@Suite struct ReplayChangesTests {
  @Test(arguments: UInt64(0)..<20)
  func changesAreThoseOfTheStates(seed: UInt64) throws {
    let system = SimulatedFileSystem()
    let writer = try StoreWriter(
      at: "/store", fileSystem: system, clock: FixedClock(), random: SeededBytes(seed: seed))
    let document = try #require(DocumentID("d"))
    let mixed = MixedHistory(seed: seed, editCount: 80)
    _ = try writer.append([(document, mixed.entries)])
    try writer.seal(document)
    var states = [TextState()]
    for edit in mixed.edits {
      var state = states[states.count - 1]
      try state.apply(edit.action)
      states.append(state)
    }
    let replay = Replay(
      try #require(try Store.open(at: "/store", fileSystem: system).history(of: document)))
    var random = SplitMix64(seed: seed)
    for _ in 0..<30 {
      let from = Int.random(in: states.indices, using: &random)
      let to = Int.random(in: states.indices, using: &random)
      let changes = try replay.changes(
        from: .sequence(SequenceNumber(from)), to: .sequence(SequenceNumber(to)))
      let expected = states[to].difference(from: states[from])
      #expect(changes.paragraphEvents == expected.paragraphEvents, "seed \(seed)")
      // The differences of the texts may be cut in other ways; what they make is the same.
      var state = states[from]
      for action in changes.actions { try state.apply(action) }
      #expect(state.text == states[to].text, "seed \(seed): \(from) to \(to)")
      #expect(state.attributeRuns == states[to].attributeRuns, "seed \(seed): \(from) to \(to)")
    }
  }
}
