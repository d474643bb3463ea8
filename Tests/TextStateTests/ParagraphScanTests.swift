import EditModel
import TestSupport
import Testing

@testable import TextState

/// The paragraphs of a text, compared with a reading unit by unit.
@Suite struct ParagraphScanTests {
  /// The rule, as it is said: LF, CR, CR LF and U+2029 end a paragraph.
  private func slow(_ units: [UInt16]) -> [ParagraphScan.Piece] {
    var (pieces, start, index): ([ParagraphScan.Piece], Int, Int) = ([], 0, 0)
    while index < units.count {
      let isPair = units[index] == 0x0D && index + 1 < units.count && units[index + 1] == 0x0A
      let next = index + (isPair ? 2 : 1)
      if [0x0A, 0x0D, 0x2029].contains(units[index]) {
        pieces.append(
          ParagraphScan.Piece(length: next - start, endsInLF: units[next - 1] == 0x0A))
        start = next
      }
      index = next
    }
    return pieces + [ParagraphScan.Piece(length: units.count - start, endsInLF: false)]
  }

  @Test(arguments: UInt64(0)..<200)
  func piecesOfRandomTexts(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let rare = Int.random(in: 1...60, using: &random)
    // Units whose low bytes are those of terminators are none.
    let likely: [UInt16] = [0x0A, 0x0D, 0x2029, 0x0B, 0x85, 0x2028, 0x0A0A, 0x290D, 0x8A]
    let units = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      Int.random(in: 0..<rare, using: &random) == 0
        ? likely.randomElement(using: &random) ?? 0x0A
        : UInt16.random(in: 0...0xFFFF, using: &random)
    }
    #expect(ParagraphScan.pieces(of: UTF16Text(units: units)) == slow(units), "seed \(seed)")
    let bytes = units.map { UInt8(truncatingIfNeeded: $0) }
    #expect(
      ParagraphScan.pieces(of: UTF16Text(latin1: bytes)) == slow(bytes.map { UInt16($0) }),
      "seed \(seed)")
  }
}
