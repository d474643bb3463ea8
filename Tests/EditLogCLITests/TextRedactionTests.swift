import EditModel
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct TextRedactionTests {
  /// The letters and numbers of a redacted text.
  static let allowed = Set("Xx0ХхƻאẌẍꓫ०٠あア가ꀀＸｘ０一ｱ\u{FFA1}\u{1100}\u{1161}\u{11A8}𝐱𠀱".unicodeScalars)

  /// True if a scalar tells of the content: a letter or a number. Combining marks are kept.
  static func isContent(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  @Test func `each character becomes one of the same kind and width`() {
    // Beyond, there are no letters, so a sample is enough.
    for value in Array(UInt32(0)..<0x33480) + stride(from: 0x33480, through: 0x10FFFF, by: 97) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let units = Array(String(scalar).utf16)
      let redacted = TextRedaction.redacted(units)
      guard redacted != units else {
        if Self.isContent(scalar), !Self.allowed.contains(scalar) {
          Issue.record("U+\(String(value, radix: 16)) is kept")
        }
        continue
      }
      let text = String(decoding: redacted, as: UTF16.self)
      let first = text.unicodeScalars.first ?? " "
      if redacted.count != units.count || text.utf8.count != String(scalar).utf8.count
        || !Self.allowed.contains(first) || TextRedaction.redacted(redacted) != redacted
      {
        Issue.record("U+\(String(value, radix: 16)) becomes \(text)")
      }
      guard value < 0x10000 else { continue }
      let (before, after) = (scalar.properties, first.properties)
      if Character(scalar).displayWidth != Character(first).displayWidth {
        Issue.record("U+\(String(value, radix: 16)) has another width than \(text)")
      }
      let isCased = [.lowercaseLetter, .uppercaseLetter].contains(before.generalCategory)
      if isCased, before.generalCategory != after.generalCategory {
        Issue.record("U+\(String(value, radix: 16)) becomes \(text)")
      }
    }
  }

  @Test func example() {
    #expect(
      TextRedaction.redacted("Ann’s 12 Äpfel, Жук: 漢字 かな カナ 한글 ＡＢ１ 👩‍🚀 e\u{301} שלום\r\n𝒜")
        == "Xxx’x 00 Хxxxx, Ххх: 一一 ああ アア 가가 ＸＸ０ 👩‍🚀 x\u{301} אאאא\r\n𝐱")
  }

  /// Edits are redacted one by one, so the parts of a text must fit, even if a pair is cut.
  @Test(arguments: seeds(300)) func partsFitTogether(seed: UInt64) {
    var generator = EntryGenerator(seed: seed)
    let units = generator.units(max: 60)
    let cut = Int.random(in: 0...units.count, using: &generator.random)
    let parts =
      TextRedaction.redacted(Array(units[..<cut])) + TextRedaction.redacted(Array(units[cut...]))
    #expect(parts.count == units.count)
    for (old, new) in zip(units, parts) {
      #expect((old & 0xFC00 == 0xD800) == (new & 0xFC00 == 0xD800))
      #expect((old & 0xFC00 == 0xDC00) == (new & 0xFC00 == 0xDC00))
    }
    #expect(
      String(decoding: parts, as: UTF16.self).utf8.count
        == String(decoding: units, as: UTF16.self).utf8.count)
    let breaks: Set<UInt16> = [0x0A, 0x0D, 0x85, 0x2028, 0x2029, 0x20, 0x09]
    #expect(
      units.map { breaks.contains($0) ? $0 : 0 } == parts.map { breaks.contains($0) ? $0 : 0 })
  }
}
