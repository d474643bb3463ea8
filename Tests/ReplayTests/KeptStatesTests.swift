import EditLog
import EditLogFormat
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// Versions at random, by states that are kept.
@Suite struct KeptStatesTests {
  @Test(arguments: seeds(2), [0, 6_000, 60_000, 16 << 20])
  func everyVersionIsThatOfTheHistory(seed: UInt64, sizeMax: Int) throws {
    let history = try SteppedHistory(seed: seed, editCount: 600)
    let replay = try history.replay()
    let kept = KeptStates(sizeMax: sizeMax, spacing: 8)
    var random = SplitMix64(seed: seed)
    for _ in 0..<120 {
      let sequence = Int.random(in: history.states.indices, using: &random)
      let state = try kept.state(at: SequenceNumber(sequence), replay)
      #expect(state == history.states[sequence], "seed \(seed): \(sequence)")
      #expect(kept.usage.size <= sizeMax)
    }
    #expect(sizeMax < 60_000 || kept.usage.count > 1)
    // Those with much room are kept at every multiple of 8 that was passed.
    if sizeMax == 16 << 20 { #expect(kept.usage.count > 30) }
    kept.drop()
    #expect(kept.usage == (0, 0))
    #expect(try kept.state(at: replay.history.lastSequence, replay) == history.states.last)
  }

  /// Nothing is kept for a history that is asked for one version, and nothing of a verified one.
  @Test func theFirstVersionIsNotKept() throws {
    let replay = try SteppedHistory(seed: 1, editCount: 100).replay()
    let kept = KeptStates(spacing: 8)
    _ = try kept.state(at: 90, replay)
    #expect(kept.usage.count == 0)
    _ = try kept.state(at: 90, Replay(replay.history, isVerified: true))
    #expect(kept.usage.count == 0)
    _ = try kept.state(at: 90, replay)
    #expect(kept.usage.count > 0)
  }

  /// A state that a caller changes is not the kept one, and edits that are logged later are seen.
  @Test(arguments: seeds(4))
  func keptStatesStayAsTheyAre(seed: UInt64) throws {
    let history = try SteppedHistory(seed: seed, editCount: 200)
    let kept = KeptStates(spacing: 4)
    let early = try history.replay()
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let sequence = Int.random(in: history.states.indices, using: &random)
      var state = try kept.state(at: SequenceNumber(sequence), early)
      try state.apply(EditAction(replacing: UTF16Range(0..<state.length), with: UTF16Text("x\n")))
    }
    let document = try #require(SteppedHistory.document)
    let writer = try history.writer()
    let last = early.history.lastSequence
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text("later"))
    let edit = Edit(
      sequence: last + 1, action: action, origin: .paste, transaction: last + 1,
      time: try #require(history.entries.last).time)
    _ = try writer.append([(document, [.edit(edit)])])
    try writer.close()
    var expected = try #require(history.states.last)
    try expected.apply(action)
    #expect(try kept.state(at: last + 1, history.replay()) == expected)
    // The history from before serves as well.
    for sequence in history.states.indices {
      #expect(try kept.state(at: UInt64(sequence), early) == history.states[sequence])
    }
  }

  @Test func threadsShareThem() async throws {
    let history = try SteppedHistory(seed: 3, editCount: 400)
    let (replay, states) = (try history.replay(), history.states)
    let kept = KeptStates(sizeMax: 40_000, spacing: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in UInt64(0)..<4 {
        group.addTask {
          var random = SplitMix64(seed: seed)
          for _ in 0..<200 {
            let sequence = Int.random(in: states.indices, using: &random)
            let state = try kept.state(at: UInt64(sequence), replay)
            #expect(state == states[sequence])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
