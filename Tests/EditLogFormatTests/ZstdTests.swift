import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct ZstdTests {
  private let decompressor = ZstdDecompressor()

  private func compress(_ bytes: [UInt8], level: Int = 3, prefix: [UInt8]? = nil) -> [UInt8] {
    let compressor = ZstdCompressor()
    return bytes.withUnsafeBytes { content in
      guard let prefix else { return compressor.compress(content, level: level) }
      return prefix.withUnsafeBytes {
        compressor.compress(content, level: level, prefix: $0)
      }
    }
  }

  private func decompress(
    _ frame: [UInt8], sizeMax: Int = 1 << 20, prefix: [UInt8]? = nil
  ) throws(CodecError) -> [UInt8] {
    try frame.withUnsafeBufferPointer { (frame) throws(CodecError) in
      let frame = UnsafeRawBufferPointer(frame)
      guard let prefix else { return try decompressor.decompress(frame, sizeMax: sizeMax) }
      return try prefix.withUnsafeBufferPointer { (prefix) throws(CodecError) in
        try decompressor.decompress(
          frame, sizeMax: sizeMax, prefix: UnsafeRawBufferPointer(prefix))
      }
    }
  }

  private func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test(arguments: [-5, 1, 3, 9, 19, 99], [0, 1, 100, 70_000])
  func contentComesBack(level: Int, count: Int) throws {
    for content in [noise(count, seed: 1), [UInt8](repeating: 7, count: count)] {
      let frame = compress(content, level: level)
      #expect(try decompress(frame) == content)
      #expect(compress(content, level: level) == frame)
    }
  }

  @Test func piecesAreOneFrame() throws {
    let compressor = ZstdCompressor()
    for sizes in [[0], [], [5], [0, 5, 0], [70_000, 3, 200_000], [1, 1, 1]] {
      let pieces = sizes.enumerated().map { noise($1, seed: UInt64($0)) }
      let joined = pieces.flatMap { $0 }
      var start = 0
      let frame = joined.withUnsafeBytes { bytes in
        compressor.compress(
          pieces: pieces.map { piece in
            defer { start += piece.count }
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + piece.count])
          }, level: 3)
      }
      #expect(try decompress(frame) == joined)
    }
  }

  @Test func prefixesMakeFramesSmallAndAreNeeded() throws {
    let prefix = noise(50_000, seed: 2)
    let content = prefix[1000...] + [1, 2, 3]
    let frame = compress(Array(content), prefix: prefix)
    #expect(frame.count < 200)
    #expect(try decompress(frame, prefix: prefix) == Array(content))
    #expect(throws: CodecError.self) { try decompress(frame) }
    #expect(throws: CodecError.self) {
      try decompress(frame, prefix: noise(50_000, seed: 3))
    }
    // The prefix is for one frame only.
    #expect(try decompress(compress([1])) == [1])
  }

  @Test func longPrefixesStayInReach() throws {
    let prefix = noise(1 << 20, seed: 4)
    let content = [1] + prefix
    for level in [1, 3, 9] {
      let frame = compress(content, level: level, prefix: prefix)
      #expect(frame.count < 1000)
      #expect(try decompress(frame, sizeMax: 2 << 20, prefix: prefix) == content)
    }
  }

  /// A few bits of a frame mean nothing; all others are seen.
  @Test func flippedBitsAndCutsAreSeen() throws {
    let content = noise(40, seed: 5) + [UInt8](repeating: 1, count: 400)
    let frame = compress(content)
    for damaged in frame.flips {
      if let decoded = try? decompress(damaged) { #expect(decoded == content) }
    }
    for cut in frame.cuts { #expect(throws: CodecError.self) { try decompress(cut) } }
  }

  // MARK: Frames that this format does not allow

  /// A frame of `count` blocks of 128 KiB of zeros each, four bytes a block.
  private func bomb(blocks count: Int, claiming size: UInt64) -> [UInt8] {
    let header = hex("28 b5 2f fd c4 88") + withUnsafeBytes(of: size.littleEndian) { Array($0) }
    let block: [UInt8] = [0x02, 0x00, 0x10, 0x00]
    let last: [UInt8] = [0x03, 0x00, 0x10, 0x00]
    return header + (1..<count).flatMap { _ in block } + last + [0, 0, 0, 0]
  }

  @Test func bombsAreRefused() {
    let gibibyte = bomb(blocks: 8192, claiming: 1 << 30)
    #expect(gibibyte.count < 33_006)
    #expect(throws: CodecError(.tooLarge, at: 14)) {
      try decompress(gibibyte, sizeMax: 64 << 20)
    }
    for size in [UInt64(1) << 31, 1 << 60, 1 << 63, .max] {
      #expect(throws: CodecError(.tooLarge, at: 14)) {
        try decompress(bomb(blocks: 2, claiming: size), sizeMax: 64 << 20)
      }
    }
    // It claims little and holds much, or claims much and holds little.
    #expect(throws: CodecError(.frame, at: 0)) {
      try decompress(bomb(blocks: 8192, claiming: 1 << 10), sizeMax: 64 << 20)
    }
    #expect(throws: CodecError(.frame, at: 0)) {
      try decompress(bomb(blocks: 1, claiming: 64 << 20), sizeMax: 64 << 20)
    }
  }

  @Test func onlyOneFrameIsAllowed() {
    let frame = compress([1, 2, 3])
    let empty = compress([])
    let skippable = hex("50 2a 4d 18 04 00 00 00 61 61 61 61")
    let many = [[UInt8]](repeating: empty, count: 5000).flatMap { $0 }
    for bytes in [frame + [0], frame + frame, frame + skippable, many] {
      #expect(throws: CodecError.self) { try decompress(bytes) }
    }
    #expect(throws: CodecError(.trailing, at: frame.count)) { try decompress(frame + frame) }
    for bytes in [skippable, skippable + frame, [], hex("28 b5 2f fd"), hex("27 b5 2f fd 00")] {
      #expect(throws: CodecError.self) { try decompress(bytes) }
    }
  }

  /// Raw frames of one byte, made by hand; only the first is as this format wants them.
  @Test(arguments: [
    ("24 01 | 09 00 00 61", "a checksum that is wrong"),
    ("20 01 | 09 00 00 61", "no checksum"),
    ("00 58 | 09 00 00 61", "no size"),
    ("04 58 | 09 00 00 61", "no size, with a checksum"),
    ("25 07 01 | 09 00 00 61", "a dictionary"),
    ("2c 01 | 09 00 00 61", "a reserved bit"),
    ("34 01 | 09 00 00 61", "an unused bit"),
    ("84 ff 01 00 00 00 | 09 00 00 61", "a window of terabytes"),
  ])
  func otherFramesAreRefused(frame: String, what: String) {
    let bytes = hex("28 b5 2f fd" + frame) + [0, 0, 0, 0]
    #expect(throws: CodecError.self, "\(what)") { try decompress(bytes) }
  }

  @Test func theBoundIsExact() throws {
    let frame = compress([1, 2, 3])
    #expect(try decompress(frame, sizeMax: 3) == [1, 2, 3])
    #expect(throws: CodecError.self) { try decompress(frame, sizeMax: 2) }
    #expect(throws: CodecError.self) { try decompress(frame, sizeMax: -1) }
  }
}
