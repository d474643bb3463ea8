import EditLog
import EditModel
import Replay
import TestSupport
import Testing
import TextState

@Suite struct CheckpointCodecTests {
  @Test(arguments: UInt64(0)..<50) func comesBackAsItWas(seed: UInt64) throws {
    var generator = EditGenerator(seed: seed)
    var state = TextState()
    for _ in 0..<60 { _ = try? state.apply(generator.action(length: state.length)) }
    let bytes = CheckpointCodec.encode(state)
    var stored = try CheckpointCodec.decode(bytes)
    #expect(stored == state && CheckpointCodec.encode(stored) == bytes)
    // Both continue in the same way.
    for _ in 0..<20 {
      let action = generator.action(length: state.length)
      #expect((try? stored.apply(action)) == (try? state.apply(action)))
    }
    #expect(CheckpointCodec.encode(stored) == CheckpointCodec.encode(state))
  }

  /// Texts whose size in bytes is not their length.
  @Test(arguments: [
    "", "ascii", UTF16Text(String(repeating: "a long text\r\n", count: 5_000)),
    UTF16Text(String(repeating: "a long text \u{E9}\n", count: 5_000)),
    UTF16Text(String(repeating: "a long text\n", count: 5_000) + "\u{1F600}"), "é", "日本語\n", "👩‍🚀",
    UTF16Text(units: [0xD83D, 0x0A, 0xDE00]),
  ])
  func textsComeBack(text: UTF16Text) throws {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text))
    #expect(try CheckpointCodec.decode(CheckpointCodec.encode(state)) == state)
  }

  private func styled(_ sets: [AttributeSet]) throws -> TextState {
    var state = TextState()
    for set in sets {
      try state.apply(
        EditAction(
          range: UTF16Range(state.length..<state.length), replacement: "x",
          attributes: .set([AttributeRun(length: 1, attributes: set)])))
    }
    return state
  }

  /// One character in two spellings: two names, two sets, whichever came first.
  @Test func namesComeBackByteForByte() throws {
    let sets: [AttributeSet] = [
      ["é": .bool(true)], ["e\u{301}": .bool(true)],
      ["é": .bool(true), "e\u{301}": .bool(true)],
      ["m": .map(["é": .bool(true)])], ["m": .map(["e\u{301}": .bool(true)])],
    ]
    for sets in [sets, sets.reversed()] {
      let state = try styled(sets)
      let bytes = CheckpointCodec.encode(state)
      let stored = try CheckpointCodec.decode(bytes)
      #expect(stored.attributeRuns.map(\.attributes) == sets)
      #expect(
        stored.attributeRuns.map { $0.attributes.map { Array($0.name.utf8) } }
          == sets.map { $0.map { Array($0.name.utf8) } })
      #expect(CheckpointCodec.encode(stored) == bytes)
    }
  }

  /// Equal states have equal encodings.
  @Test func everyNaNIsWrittenAlike() throws {
    let nans = [Double.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false)]
    let states = try nans.map { try styled([["size": .double($0)], ["size": .double(.nan)]]) }
    let encodings = Set(states.map(CheckpointCodec.encode))
    #expect(encodings.count == 1)
    for bytes in encodings {
      #expect(CheckpointCodec.encode(try CheckpointCodec.decode(bytes)) == bytes)
    }
  }
}
