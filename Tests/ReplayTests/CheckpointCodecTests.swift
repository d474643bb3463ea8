import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// A stored state comes back as it was, or not at all.
@Suite struct CheckpointCodecTests {
  private func state(seed: UInt64, editCount: Int) throws -> TextState {
    try #require(TextState(folding: MixedHistory(seed: seed, editCount: editCount).edits))
  }

  @Test(arguments: UInt64(0)..<20)
  func roundTrip(seed: UInt64) throws {
    for editCount in [0, 1, 7, 60] {
      let state = try state(seed: seed, editCount: editCount)
      let bytes = CheckpointCodec.encode(state)
      let decoded = try CheckpointCodec.decode(bytes)
      #expect(StateValue(decoded) == StateValue(state))
      #expect(decoded.invariantViolation() == nil)
      #expect(CheckpointCodec.encode(decoded) == bytes)
    }
  }

  /// What was stored goes on as the original does: same text, same identities.
  @Test(arguments: UInt64(0)..<8)
  func goesOnAlike(seed: UInt64) throws {
    var state = try state(seed: seed, editCount: 40)
    var decoded = try CheckpointCodec.decode(CheckpointCodec.encode(state))
    var generator = EditGenerator(seed: seed &+ 100)
    for _ in 0..<60 {
      let action = generator.action(length: state.length)
      guard action.range.upperBound <= state.length else { continue }
      let (left, right) = (try state.apply(action), try decoded.apply(action))
      #expect(left == right)
    }
    #expect(StateValue(decoded) == StateValue(state))
  }

  @Test(arguments: UInt64(0)..<4)
  func everyTruncationIsRefused(seed: UInt64) throws {
    let bytes = CheckpointCodec.encode(try state(seed: seed, editCount: 40))
    for count in 0..<bytes.count where (try? CheckpointCodec.decode(Array(bytes[..<count]))) != nil
    {
      Issue.record("\(count) of \(bytes.count) bytes were taken")
    }
    #expect(throws: CodecError.self) { try CheckpointCodec.decode(bytes + [0]) }
  }

  /// The store has checksums; here it matters that nothing traps, and that what is taken is a
  /// state.
  @Test(arguments: UInt64(0)..<4)
  func everyBitFlipIsRefusedOrAState(seed: UInt64) throws {
    let bytes = CheckpointCodec.encode(try state(seed: seed, editCount: 30))
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      check(flipped, "bit \(bit)")
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func forgedBytesAreRefusedOrAState(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bytes = CheckpointCodec.encode(try state(seed: seed, editCount: 30))
    for round in 0..<400 {
      var forged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<forged.count, using: &random)
        // Long varints: numbers beyond every bound.
        let long = [UInt8](repeating: 0xFF, count: Int.random(in: 1...9, using: &random)) + [1]
        forged.replaceSubrange(place..<min(forged.count, place + 1), with: long)
      }
      check(forged, "round \(round)")
    }
  }

  private func check(_ bytes: [UInt8], _ comment: Comment) {
    guard let decoded = try? CheckpointCodec.decode(bytes) else { return }
    if let violation = decoded.invariantViolation() { Issue.record("\(comment): \(violation)") }
  }
}
