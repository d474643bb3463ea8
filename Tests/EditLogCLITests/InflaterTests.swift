import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct InflaterTests {
  private func unpack(
    _ bytes: [UInt8], pieceSize: Int = 7, sizeMax: Int = 1 << 24
  ) throws(InflateError) -> [UInt8] {
    var inflater = try Inflater(sizeMax: sizeMax)
    var (output, rest) = ([UInt8](), bytes[...])
    while !rest.isEmpty {
      try inflater.unpack(Array(rest.prefix(pieceSize)), into: &output)
      rest = rest.dropFirst(pieceSize)
    }
    try inflater.finish()
    return output
  }

  @Test(arguments: UInt64(0)..<8)
  func roundTrips(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let size = [0, 1, 100, 5_000, 65_535, 65_536, 65_537, 140_000][Int(seed)]
    let bytes = (0..<size).map { _ in UInt8(random.next() % 3) }
    for pieceSize in [1000, 65_536, 1 << 20] {
      #expect(try unpack(gzip(bytes), pieceSize: pieceSize) == bytes)
    }
  }

  @Test func membersFollowOneAnother() throws {
    let (one, two) = (Array("one ".utf8), Array("two".utf8))
    for pieceSize in [1, 5, 1000] {
      #expect(try unpack(gzip(one) + gzip([]) + gzip(two), pieceSize: pieceSize) == one + two)
    }
  }

  @Test func everyCutIsNoticed() throws {
    let packed = gzip(Array("some text, some text, some text".utf8))
    for end in 0..<packed.count {
      #expect(throws: InflateError.truncated) { try unpack(Array(packed.prefix(end))) }
    }
    let two = packed + packed
    for end in packed.count + 1..<two.count {
      #expect(throws: InflateError.truncated) { try unpack(Array(two.prefix(end))) }
    }
  }

  @Test func changedBytesAreNoticed() throws {
    let text = Array("some text, some text, some text".utf8)
    let packed = gzip(text)
    // Bytes 4 to 9 hold a time and other things that do not matter.
    for index in packed.indices where !(4...9).contains(index) {
      var changed = packed
      changed[index] ^= 0x20
      // Bits that fill up the last byte of the packed data mean nothing; all others do.
      let unpacked = try? unpack(changed)
      #expect(unpacked == nil || unpacked == text && index == packed.count - 9, "byte \(index)")
    }
  }

  @Test func trailingBytesAreNoticed() throws {
    let packed = gzip([1, 2, 3])
    #expect(throws: InflateError.trailingBytes(offset: packed.count)) {
      try unpack(packed + [0x20])
    }
    #expect(throws: InflateError.self) { try unpack(packed + [0x1F, 0x20, 0x20]) }
  }

  @Test func aBombIsRefused() throws {
    let packed = gzip([UInt8](repeating: 0, count: 1_000_000))
    #expect(throws: InflateError.tooLong(sizeMax: 999_999)) {
      try unpack(packed, pieceSize: 1000, sizeMax: 999_999)
    }
    #expect(try unpack(packed, pieceSize: 1000, sizeMax: 1_000_000).count == 1_000_000)
  }

  @Test func filesAreUnpackedWhateverTheirName() async throws {
    let text = Array("plain".utf8)
    try await withTemporaryFile(gzip(text)) { path in
      let unpacked = try InputFile.read(path)
      #expect(unpacked == text)
    }
    try await withTemporaryFile(text) { path in
      let plain = try InputFile.read(path)
      #expect(plain == text)
      let long = #expect(throws: CommandError.self) { try InputFile.read(path, sizeMax: 4) }
      #expect(long?.exitCode == 65)
    }
    try await withTemporaryFile(Array(gzip(text).dropLast())) { path in
      let cut = #expect(throws: CommandError.self) { try InputFile.read(path) }
      #expect(cut?.message.contains("cut short") == true)
    }
    let missing = #expect(throws: CommandError.self) { try InputFile.read("/nope/x") }
    #expect(missing?.exitCode == 66)
  }
}
