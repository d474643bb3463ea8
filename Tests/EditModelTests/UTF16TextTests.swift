import EditModel
import TestSupport
import Testing

/// A text is the same whether it is kept as units or as bytes.
@Suite struct UTF16TextTests {
  private let words: [UTF16Text] = [
    "", "a", "b", "ab", "a\n", "\u{7F}", "é", "a\u{301}", UTF16Text(units: [0xD83D]),
  ]

  private func asBytes(_ text: UTF16Text) -> UTF16Text? {
    text.units.allSatisfy { $0 < 0x100 } ? UTF16Text(latin1: text.units.map { UInt8($0) }) : nil
  }

  @Test func `both forms are equal`() throws {
    for text in words {
      guard let bytes = asBytes(text) else { continue }
      #expect(text == bytes && bytes == text && bytes == bytes)
      #expect(Set([text, bytes]).count == 1)
      #expect(bytes.units == text.units && bytes.count == text.count)
      #expect(bytes.isEmpty == text.isEmpty && String(bytes) == String(text))
      for offset in 0..<text.count { #expect(bytes[offset] == text[offset]) }
      for other in words where other != text { #expect(bytes != other && other != bytes) }
    }
  }

  @Test func `both forms are appended to each other`() throws {
    for left in words {
      for right in words {
        let expected = left.units + right.units
        for a in [left, asBytes(left)].compactMap(\.self) {
          for b in [right, asBytes(right)].compactMap(\.self) {
            var text = a
            text.append(b)
            #expect(text.units == expected)
            text = a
            text.append(contentsOf: right.units)
            #expect(text.units == expected)
          }
        }
      }
    }
  }

  /// A text of some characters that are not ASCII is the string that the library makes of it.
  @Test(arguments: UInt64(0)..<40) func `strings are decoded in pieces`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let others: [[UInt16]] = [
      [0xE9], [0x20AC], [0xD83D, 0xDE00], [0xD83D], [0xDE00], [0xDE00, 0xD83D], [0xFFFD],
    ]
    var units: [UInt16] = []
    for _ in 0..<random.next() % 6 {
      units += Array(repeating: 0x61, count: 4_090 + Int(random.next() % 8))
      let kinds = seed % 2 == 0 ? 3 : UInt64(others.count)
      units += others[Int(random.next() % kinds)]
    }
    let text = UTF16Text(units: units)
    #expect(text.description == String(decoding: units, as: UTF16.self))
    #expect(text.validString == String(validating: units, as: UTF16.self))
  }

  @Test(arguments: [0, 1]) func `a long Latin string is kept as bytes`(surplus: Int) {
    let count = UTF16Text.latin1CountMin - 1 + surplus
    let string = String(repeating: "x", count: count)
    #expect((UTF16Text(string).latin1 != nil) == (surplus > 0))
    #expect(UTF16Text(string) == UTF16Text(units: Array(string.utf16)))
    #expect(UTF16Text((string + "é").dropLast()) == UTF16Text(string))
    for other in ["é", "\u{FF}", "\u{100}", "日", "😀"] {
      let both = string + other + string
      #expect(UTF16Text(both).units == Array(both.utf16))
      #expect((UTF16Text(both).latin1 != nil) == (other <= "\u{FF}"))
      #expect(String(UTF16Text(both)) == both)
    }
  }
}
