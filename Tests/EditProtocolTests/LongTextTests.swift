import EditJSON
import EditModel
import TestSupport
import Testing

/// A long text in a JSON value is written in parts, and counts as the string that it holds.
@Suite struct LongTextTests {
  @Test(arguments: UInt64(0)..<24)
  func aLongTextIsWrittenAsShortOnes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let isLatin1 = seed % 3 == 0
    let kinds: [[UInt16]] =
      isLatin1
      ? [[0x61], [0x22], [0x0A], [0xE9], [0x85]]
      : [[0x61], [0x22], [0x0A], [0xD83D, 0xDE00], [0xD83D, 0x61], [0xDE00], [0x2028], [0x65E5]]
    let pieces = (0..<30_000).map { _ in
      UTF16Text(units: kinds[Int.random(in: 0..<kinds.count, using: &random)] + [0x62])
    }
    let units = pieces.flatMap(\.units)
    let long = JSON(UTF16Text(compacting: units))
    let short = pieces.map {
      String(decoding: JSON($0).serialized().dropFirst().dropLast(), as: UTF8.self)
    }
    #expect(long.description == "\"" + short.joined() + "\"", "seed \(seed)")

    let parsed = try JSON.parse(long.description)
    #expect(parsed == long && long == parsed && parsed.hashValue == long.hashValue)
    let text = try long.asText()
    #expect(text.units == units)
    #expect((try? long.asString()) == UTF16Text(units: units).validString)
    #expect(long != JSON(UTF16Text(units: units.dropLast() + [0x63])))
  }
}
