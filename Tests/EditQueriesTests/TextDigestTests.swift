import EditModel
import TestSupport
import Testing
import TextState

@testable import EditQueries

/// The digest of a long text, which is made in parts.
@Suite struct TextDigestTests {
  @Test(arguments: UInt64(0)..<12)
  func equalsThatOfTheWholeText(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let words = ["a", "\u{E9}", "\u{20AC}", "\u{1F600}"].map { Array($0.utf16) }
    // Lone surrogates, too.
    let pieces = words + [[0xD800], [0xDC00]]
    var units: [UInt16] = []
    let count = [0, 1, 65_535, 65_536, 65_537, 200_000][Int(seed % 6)]
    while units.count < count {
      units += pieces[Int.random(in: 0..<pieces.count, using: &random)]
    }
    let whole = SHA256.hash(Array(String(decoding: units, as: UTF16.self).utf8))
    #expect(UTF16Text(units: units).digest.bytes == whole, "seed \(seed)")
    var state = TextState()
    try state.apply(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units)))
    #expect(state.textDigest.bytes == whole, "seed \(seed)")
    let bytes = units.map { UInt8(truncatingIfNeeded: $0) }
    let narrow = UTF16Text(latin1: bytes)
    #expect(narrow.digest == UTF16Text(units: narrow.units).digest, "seed \(seed)")
  }
}
