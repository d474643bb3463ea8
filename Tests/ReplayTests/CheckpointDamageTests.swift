import EditLog
import EditLogFormat
import EditModel
import Replay
import TestSupport
import Testing
import TextState

/// Bytes that are no stored state are refused, and never trap.
@Suite struct CheckpointDamageTests {
  private func state(seed: UInt64, editCount: Int) throws -> TextState {
    try #require(TextState(folding: MixedHistory(seed: seed, editCount: editCount).edits))
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
