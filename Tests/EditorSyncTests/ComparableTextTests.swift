import EditModel
import TestSupport
import Testing
import TextState

@testable import EditorSync

/// The comparison of texts without the details that editors disagree about, in parts.
@Suite struct ComparableTextTests {
  /// The comparable units, made of the whole text at once.
  private func oracle(_ units: [UInt16]) -> [UInt16] {
    var kept: [UInt16] = []
    for (index, unit) in units.enumerated() where !(index == 0 && unit == 0xFEFF) {
      if unit == 0x0A, kept.last == 0x0D { kept.removeLast() }
      kept.append(unit)
    }
    if kept.last == 0x0A { kept.removeLast() }
    return kept
  }

  private func state(_ text: UTF16Text) throws -> TextState {
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: text))
    return state
  }

  /// Texts of few kinds of units, with line ends at the places where parts end.
  @Test(arguments: UInt64(0)..<40) func comparesAsAWhole(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let units: [UInt16] = [0x0D, 0x0A, 0xFEFF, 0x61]
    func text(_ count: Int) -> [UInt16] {
      (0..<count).map { _ in units[Int.random(in: 0..<units.count, using: &random)] }
    }
    let count = seed % 4 == 0 ? 65_530 : 0
    let start = [UInt16](repeating: 0x61, count: count)
    // Long texts take long, so there are few pairs of them.
    let texts = (0..<(count == 0 ? 12 : 5)).map { _ in
      start + text(Int.random(in: 0...9, using: &random))
    }
    let expected = texts.map(oracle)
    for (left, ownOracle) in zip(texts, expected) {
      let a = UTF16Text(units: left)
      let version = try state(a)
      let (own, ownState) = (ComparableText(a), ComparableText(version))
      for (right, otherOracle) in zip(texts, expected) {
        let isEqual = ownOracle == otherOracle
        let b = UTF16Text(compacting: right)
        let other = ComparableText(b)
        #expect((own == other) == isEqual, "seed \(seed)")
        #expect((ownState == other) == isEqual, "seed \(seed)")
        if isEqual { #expect(own.hashValue == other.hashValue) }
        #expect(version.hasText(b) == (left == right), "seed \(seed)")
      }
    }
  }

  @Test(arguments: ["", "a", "\u{E9}", "\u{20AC}", "\u{1F600}"])
  func readsTheBytesOfAFile(character: String) throws {
    for count in [0, 1, 16_383, 16_384, 65_533, 65_534, 65_535, 65_536, 200_000] {
      let string =
        String(repeating: "x", count: count) + String(repeating: character, count: 70_000)
      let text = try #require(UTF16Text(utf8: Array(string.utf8)))
      #expect(text == UTF16Text(string))
    }
  }

  @Test(arguments: [[0xFF], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98]] as [[UInt8]])
  func refusesBytesThatAreNotUTF8(bytes: [UInt8]) {
    for count in [0, 65_533, 65_534, 65_535, 65_536] {
      let start = [UInt8](repeating: 0x61, count: count)
      #expect(UTF16Text(utf8: start + bytes) == nil)
      #expect(UTF16Text(utf8: start + bytes + [0x61]) == nil)
    }
    #expect(UTF16Text(utf8: [UInt8](repeating: 0x80, count: 70_000)) == nil)
  }
}
