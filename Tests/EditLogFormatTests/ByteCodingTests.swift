import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct ByteCodingTests {
  static let numbers: [UInt64] =
    [0, .max] + (0..<64).map { 1 << $0 } + (1..<64).map { (1 << $0) - 1 }

  @Test(arguments: numbers)
  func varintsComeBack(_ number: UInt64) throws {
    var writer = ByteWriter(capacity: 1)
    writer.write(varint: number)
    writer.write(zigzag: Int64(bitPattern: number))
    writer.write(fixed: number)
    #expect(
      writer.bytes.prefix { $0 >= 0x80 }.count == max(0, (63 - number.leadingZeroBitCount) / 7))
    try ByteReader.reading(writer.bytes) { (reader) throws(CodecError) in
      #expect(try reader.readVarint() == number)
      #expect(try reader.readZigzag() == Int64(bitPattern: number))
      #expect(try reader.read(UInt64.self) == number)
      try reader.expectEnd()
    }
  }

  @Test(arguments: [
    ("", CodecError.Problem.truncated, 0), ("80", .truncated, 1), ("ff ff", .truncated, 2),
    ("80 00", .overlong, 2), ("ff 80 00", .overlong, 3),
    ("ff ff ff ff ff ff ff ff ff 02", .tooLarge, 10),
    ("ff ff ff ff ff ff ff ff ff 81 00", .tooLarge, 10),
    ("80 80 80 80 80 80 80 80 80 80 01", .tooLarge, 10),
  ])
  func otherFormsOfVarintsAreRefused(bytes: String, problem: CodecError.Problem, offset: Int) {
    #expect(throws: CodecError(problem, at: offset)) {
      try ByteReader.reading(hex(bytes)) { (reader) throws(CodecError) in
        try reader.readVarint()
      }
    }
  }

  @Test func smallSignedNumbersAreShort() {
    for (number, byte) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (63, 126), (-64, 127)] {
      var writer = ByteWriter()
      writer.write(zigzag: Int64(number))
      #expect(writer.bytes == [UInt8(byte)])
    }
  }

  @Test func fixedNumbersAreLittleEndian() {
    var writer = ByteWriter()
    writer.write(fixed: UInt32(0x0102_0304))
    writer.write(fixed: Int16(-2))
    writer.overwrite(at: 1, fixed: UInt16(0xAABB))
    #expect(writer.bytes == hex("04 bb aa 01 fe ff"))
    writer.truncate(to: 1)
    #expect(writer.bytes == [4])
    writer.removeAll()
    #expect(writer.bytes == [])
  }

  @Test func stringsAreCheckedAndBounded() throws {
    var writer = ByteWriter()
    writer.write(string: "é\0")
    #expect(writer.bytes == hex("03 c3 a9 00"))
    let read = try ByteReader.reading(writer.bytes) { (reader) throws(CodecError) in
      try reader.readString(sizeMax: 3)
    }
    #expect(read == "é\0")
    let refused: [(String, CodecError)] = [
      ("04 61 61 61 61", CodecError(.tooLarge, at: 1)), ("02 61", CodecError(.truncated, at: 1)),
      ("01 ff", CodecError(.utf8, at: 1)), ("03 ed a0 80", CodecError(.utf8, at: 1)),
      ("02 c0 80", CodecError(.utf8, at: 1)),
    ]
    for (bytes, error) in refused {
      #expect(throws: error) {
        try ByteReader.reading(hex(bytes)) { (reader) throws(CodecError) in
          try reader.readString(sizeMax: 3)
        }
      }
    }
  }

  @Test func forgedCountsAreRefusedBeforeTheyAreUsed() {
    for count in [1, UInt64(Int32.max), 1 << 31, 1 << 32, 1 << 63, .max] {
      var writer = ByteWriter()
      writer.write(varint: count)
      #expect(throws: CodecError.self) {
        try ByteReader.reading(writer.bytes) { (reader) throws(CodecError) in
          let size = try reader.readCount(max: reader.remaining)
          return try reader.readBytes(size).count
        }
      }
      #expect(throws: CodecError.self) {
        try ByteReader.reading(writer.bytes) { (reader) throws(CodecError) in
          try reader.readString()
        }
      }
    }
  }

  @Test func slicesKeepOffsets() throws {
    try ByteReader.reading([1, 2, 3, 4]) { (reader) throws(CodecError) in
      _ = try reader.readByte()
      var slice = try reader.readSlice(2)
      #expect(reader.remaining == 1 && slice.remaining == 2)
      _ = try slice.readBytes(2)
      #expect(slice.error(.truncated) == CodecError(.truncated, at: 3))
      #expect(throws: CodecError(.truncated, at: 3)) { try slice.readByte() }
      #expect(throws: CodecError(.trailing, at: 3)) { try reader.expectEnd() }
    }
  }

  @Test func anEmptyBufferHasNoByte() {
    #expect(throws: CodecError(.truncated, at: 0)) {
      var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
      try reader.expectEnd()
      _ = try reader.readByte()
    }
  }
}
