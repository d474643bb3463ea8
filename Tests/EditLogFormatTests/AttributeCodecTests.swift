import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct AttributeCodecTests {
  private func encode(_ value: AttributeValue) -> [UInt8] {
    var writer = ByteWriter()
    AttributeCodec.encode(value, to: &writer)
    return writer.bytes
  }

  private func decode(_ bytes: [UInt8]) throws(CodecError) -> AttributeValue {
    try ByteReader.reading(bytes) { (reader) throws(CodecError) in
      let value = try AttributeCodec.decodeValue(&reader)
      try reader.expectEnd()
      return value
    }
  }

  private func nested(_ depth: Int, in wrap: (AttributeValue) -> AttributeValue) -> AttributeValue {
    (0..<depth).reduce(.integer(1)) { value, _ in wrap(value) }
  }

  @Test(
    arguments: [
      (.bool(false), "00"), (.bool(true), "01"), (.integer(-2), "02 03"),
      (.double(1), "03 000000000000f03f"), (.double(-.nan), "03 000000000000f87f"),
      (.string("é"), "04 02 c3a9"), (.bytes([9]), "05 01 09"),
      (.list([.bool(true), .list([])]), "06 02 01 06 00"),
      (.map(["b": .bool(true), "a": .integer(0)]), "07 02 01 61 02 00 01 62 01"),
      // One character in two spellings: two names.
      (.map(["é": .bool(true), "e\u{301}": .bool(false)]), "07 02 03 65cc81 00 02 c3a9 01"),
    ] as [(AttributeValue, String)])
  func layout(value: AttributeValue, bytes: String) throws {
    #expect(encode(value) == hex(bytes))
    #expect(try decode(hex(bytes)) == value)
  }

  @Test(arguments: UInt64(0)..<100)
  func valuesComeBack(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    for _ in 0..<20 {
      let value = generator.attributeValue(depth: 4)
      let bytes = encode(value)
      #expect(try decode(bytes) == value)
      #expect(encode(try decode(bytes)) == bytes)
    }
  }

  /// Equal values have equal encodings, whatever made them.
  @Test(arguments: [
    Double.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false),
    Double(nan: 7, signaling: true),
  ])
  func everyNaNIsWrittenAlike(nan: Double) throws {
    for wrap in [{ $0 }, { .list([$0]) }, { .map(["k": $0]) }]
      as [(AttributeValue) -> AttributeValue]
    {
      let bytes = encode(wrap(.double(nan)))
      #expect(bytes == encode(wrap(.double(.nan))))
      #expect(encode(try decode(bytes)) == bytes)
    }
  }

  @Test func nestingHasALimit() throws {
    for wrap in [{ .list([$0]) }, { .map(["k": $0]) }] as [(AttributeValue) -> AttributeValue] {
      let deepest = nested(AttributeValue.depthMax, in: wrap)
      #expect(try decode(encode(deepest)) == deepest)
      var bytes = encode(deepest)
      bytes.insert(contentsOf: [6, 1], at: 0)
      #expect(throws: CodecError(.tooDeep, at: bytes.count - (encode(wrap(.integer(1))).count))) {
        try decode(bytes)
      }
    }
    let million = [UInt8]((0..<1_000_000).flatMap { _ in [6, 1] as [UInt8] })
    #expect(throws: CodecError(.tooDeep, at: 64)) { try decode(million) }
  }

  @Test(arguments: [
    ("08", CodecError.Problem.unknown), ("ff", .unknown), ("", .truncated),
    ("02", .truncated), ("03 00", .truncated), ("04 01 ff", .utf8), ("04 02 61", .truncated),
    ("03 010000000000f87f", .overlong), ("03 000000000000f8ff", .overlong),
    ("03 010000000000f07f", .overlong),
    ("05 ffffffff0f", .tooLarge), ("06 ffffffff0f", .tooLarge), ("07 ffffffff0f", .tooLarge),
    ("06 02 00", .truncated), ("06 03 00", .tooLarge), ("07 02 01 62 00 01 61 00", .unsorted),
    ("07 02 01 61 00 01 61 00", .unsorted), ("07 01 01 61", .truncated),
    ("07 02 02 c3a9 00 03 65cc81 00", .unsorted), ("00 00", .trailing),
  ])
  func otherBytesAreRefused(bytes: String, problem: CodecError.Problem) {
    let error = #expect(throws: CodecError.self) { try decode(hex(bytes)) }
    #expect(error?.problem == problem)
  }
}
