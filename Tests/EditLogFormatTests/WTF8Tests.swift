import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct WTF8Tests {
  private func encode(_ units: [UInt16]) -> [UInt8] {
    var writer = ByteWriter()
    units.withUnsafeBufferPointer { WTF8.encode($0, to: &writer) }
    return writer.bytes
  }

  private func decode(_ count: Int, _ bytes: [UInt8]) throws(CodecError) -> [UInt16] {
    try ByteReader.reading(bytes) { (reader) throws(CodecError) in
      let units = try WTF8.decode(count, from: &reader)
      try reader.expectEnd()
      return units
    }
  }

  @Test func everyUnitComesBack() throws {
    for unit in UInt16.min...UInt16.max {
      #expect(try decode(1, encode([unit])) == [unit])
    }
  }

  /// Every order of the kinds of unit, at every place in a word of eight.
  @Test func everyTripleComesBack() throws {
    let kinds: [UInt16] = [0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xFFFF]
    for a in kinds {
      for b in kinds {
        for c in kinds {
          let units = [a, b, c, 0x62, 0x62, 0x62, 0x62, 0x62, 0x62, 0x62, a, b, c]
          let bytes = encode(units)
          #expect(try decode(units.count, bytes) == units)
          #expect(units.withUnsafeBufferPointer { WTF8.size(of: $0) } == bytes.count)
        }
      }
    }
  }

  @Test(arguments: UInt64(0)..<50)
  func textsComeBackAndAreUTF8WhereTheyCanBe(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    for _ in 0..<20 {
      let units = generator.units(max: 100)
      #expect(try decode(units.count, encode(units)) == units)
      let repaired = String(decoding: units, as: UTF16.self)
      #expect(encode(Array(repaired.utf16)) == Array(repaired.utf8))
    }
  }

  @Test func longTextsAreNotCutInsideAPair() throws {
    var units: [UInt16] = [0x41]
    for _ in 0..<100_000 { units += [0xD83D, 0xDE00] }
    let bytes = encode(units)
    #expect(bytes.count == 400_001)
    #expect(try decode(units.count, bytes) == units)
  }

  @Test(arguments: [
    (1, ""), (2, "41"), (1, "80"), (1, "bf"), (1, "c0 80"), (1, "c1 bf"), (1, "c2"),
    (1, "c2 41"), (1, "c2 c2"), (1, "e0 80 80"), (1, "e0 9f bf"), (1, "e1 80"), (1, "e1 80 41"),
    (2, "f0 80 80 80"), (2, "f0 8f bf bf"), (2, "f4 90 80 80"), (2, "f5 80 80 80"),
    (2, "f0 90 80"), (1, "ff"), (1, "f8 88 80 80 80"),
    // A pair as two threes; a pair that one unit has no room for.
    (2, "ed a0 80 ed b0 80"), (2, "ed af bf ed bf bf"), (1, "f0 9f 98 80"),
    (9, "61 61 61 61 61 61 61 61 f0 9f 98 80"),
  ])
  func whatIsNotTheOneEncodingIsRefused(count: Int, bytes: String) {
    #expect(throws: CodecError.self) { try decode(count, hex(bytes)) }
  }

  @Test func errorsNameThePlace() {
    #expect(throws: CodecError(.wtf8, at: 9)) {
      try decode(10, [UInt8](repeating: 0x61, count: 9) + [0xFF])
    }
    #expect(throws: CodecError(.truncated, at: 0)) { try decode(.max, [0x61]) }
    #expect(throws: CodecError(.truncated, at: 0)) { try decode(-1, [0x61]) }
  }
}
