import EditJSON
import EditModel
import NIOCore
import TestSupport
import Testing

@testable import EditProtocol

/// Long strings that stay in their frames are the ones that were written there.
@Suite struct RawStringTests {
  private static let pieces = [
    "plain ascii text of some length ", "ä", "日本", "😀", #"\n"#, #"\""#, #"\\"#, #"\u00e9"#,
    #"\ud83d\ude00"#, #"\ud83d"#, #"\ude00"#, #"\/"#, #"\t"#,
  ]

  private func text(_ count: Int, from random: inout SplitMix64) -> String {
    (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
  }

  /// Read with a frame and without, a text is the same.
  @Test(arguments: UInt64(0)..<40)
  func aLongStringReadsAsAShortOne(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let texts = (0..<4).map { _ in
      text([0, 3, 900, 3_000].randomElement(using: &random) ?? 0, from: &random)
    }
    let body = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    let plain = try JSON.parse(body)
    let raw = try JSON(body: ByteBuffer(string: body))
    #expect(raw == plain)
    #expect(raw.hashValue == plain.hashValue)
    #expect(raw.serialized() == plain.serialized())
    guard case .array(let a) = plain, case .array(let b) = raw else {
      Issue.record("not two lists")
      return
    }
    for (a, b) in zip(a, b) {
      #expect(try a.asText() == b.asText())
      #expect((try? a.asString()) == (try? b.asString()))
    }
  }

  /// In parts, a text reads the same; its long strings are not copied.
  @Test(arguments: UInt64(0)..<40)
  func partsReadAsTheWhole(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let texts = (0..<4).map { _ in
      text([0, 3, 900, 3_000, 30_000].randomElement(using: &random) ?? 0, from: &random)
    }
    let body = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + ",7]"
    let frame = ByteBuffer(string: body)
    let plain = try JSON.parse(body)
    for json in [plain, try JSON(body: frame)] {
      let parts = ByteParts(json)
      #expect(parts.size == parts.bytes.count)
      #expect(try JSON.parse(parts.bytes) == plain)
    }
    let raw = ByteParts(try JSON(body: frame))
    let long = texts.filter { $0.utf8.count >= RawStringTests.sizeMin }.map { "\"\($0)\"" }
    let slices = raw.first.filter { $0.storageCapacity == frame.storageCapacity }
    #expect(slices.map { String(buffer: $0) } == long)
  }

  private static let sizeMin = 16 << 10

  /// A long text is kept as bytes, unless it has a unit above 0xFF.
  @Test(arguments: [nil, "ā", #"\u0100"#, "😀", #"\ud83d"#])
  func longLatinTextIsKeptAsBytes(other: String?) throws {
    let ascii = String(repeating: #"some \"text\"\n\u0041\/äÿ\u00ff "#, count: 2_000)
    for text in other.map({ [$0 + ascii, ascii + $0, ascii + $0 + ascii] }) ?? [ascii] {
      let raw = try JSON(body: ByteBuffer(string: "[\"\(text)\"]")).asArray()[0].asText()
      #expect((raw.latin1 != nil) == (other == nil))
      #expect(try raw == JSON.parse("[\"\(text)\"]").asArray()[0].asText())
      #expect(raw.units.starts(with: Array((other == nil ? "some \"text\"\nA/äÿÿ " : "").utf16)))
    }
  }

  /// Both ways to read a string report a fault at the same place.
  @Test(arguments: UInt64(0)..<40)
  func faultsAreTheSame(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var bytes = Array("[\"\(text(3_000, from: &random))\",7]".utf8)
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let bad: [UInt8] = [0x22, 0x5C, 0x00, 0x0A, 0xFF, 0xC0, 0x80, 0xED]
    bytes[place] = bad.randomElement(using: &random) ?? 0
    func problem(_ body: () throws -> JSON) -> String {
      do { return "\(try body())" } catch { return "\(error)" }
    }
    let plain = problem { try JSON.parse(bytes) }
    let raw = problem { try JSON(body: ByteBuffer(bytes: bytes)) }
    #expect(raw == plain, "seed \(seed), byte \(place)")
  }
}
