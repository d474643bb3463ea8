import Rendering
import TestSupport
import Testing

/// Row 34 of the features: what the bytes of attachments say about them.
@Suite struct MediaFormatTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
  /// An application segment with another frame mark inside, fill bytes, then a progressive frame.
  private static let jpeg: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 0xFF, 0xC0, 9, 9, 0xFF, 0xFF, 0xC2, 0, 17, 8, 0, 40, 1, 0,
  ]
  private static func webP(_ chunk: String, _ rest: [UInt8]) -> [UInt8] {
    Array("RIFF    WEBP".utf8) + Array(chunk.utf8) + [0, 0, 0, 0] + rest
  }

  @Test(
    arguments: [
      (png + [0, 0, 1, 44, 0, 0, 0, 200], "image/png", [300, 200]),
      (png + [0, 0, 1, 44], "image/png", nil),
      (png + [UInt8](repeating: 0, count: 8), "image/png", nil),
      (jpeg, "image/jpeg", [256, 40]), ([0xFF, 0xD8, 0xFF, 0xE0, 0, 0], "image/jpeg", nil),
      ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF], "image/jpeg", nil),
      (Array("GIF87a".utf8) + [1, 1, 2, 0], "image/gif", [257, 2]),
      (webP("VP8X", [0, 0, 0, 0, 99, 0, 0, 49, 1, 0]), "image/webp", [100, 306]),
      (webP("VP8L", [0x2F, 0x63, 0x40, 0x0C, 0x00]), "image/webp", [100, 50]),
      (
        webP("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xF0, 0x40]), "image/webp", [320, 240]
      ),
      (webP("VP8X", []), "image/webp", nil),
      (Array("%PDF-1.7\n".utf8), "application/pdf", nil),
      (Array("PK\u{3}\u{4}".utf8), "application/zip", nil),
      ([0, 0, 0, 24] + Array("ftypavif".utf8), "image/avif", nil),
      (Array("BM, as she was called\n".utf8), "text/plain", nil),
      (Array("<svg xmlns=\"x\"/>".utf8), "image/svg+xml", nil),
      (Array("<?xml version=\"1.0\"?>\n<svg/>".utf8), "image/svg+xml", nil),
      (Array("Größe\r\n".utf8), "text/plain", nil), ([0xC3, 0x28], nil, nil),
      ([1, 2, 3], nil, nil),
      ([], nil, nil),
    ] as [([UInt8], String?, [Int]?)])
  func bytesSayWhatTheyAre(content: [UInt8], type: String?, pixels: [Int]?) {
    let format = MediaFormat(of: content)
    #expect(format.type == type)
    #expect(format.pixels.map { [$0.width, $0.height] } == pixels)
  }

  @Test func picturesKeepTheirProportions() throws {
    func cells(_ width: UInt16, _ height: UInt16) throws -> [Int] {
      let bytes = [width, height].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      let cells = try #require(MediaFormat(of: Array("GIF89a".utf8) + bytes).cells)
      return [cells.columns, cells.rows]
    }
    #expect(try cells(1, 1) == [1, 1])
    #expect(try cells(91, 21) == [11, 2])
    #expect(try cells(1_440, 400) == [80, 10])
    #expect(try cells(720, 1_600) == [40, 40])
    #expect(try cells(65_535, 1) == [80, 1])
    #expect(MediaFormat(of: Array("text".utf8)).cells == nil)
  }

  /// Any bytes, also parts of pictures, are read without a trap.
  @Test(arguments: seeds(200)) func anyBytesAreRead(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let starts = [
      Self.png, Self.jpeg, Array("GIF89a".utf8), Self.webP("VP8L", [0x2F]), Self.webP("VP8X", []),
      [],
    ]
    var bytes = starts[Int.random(in: starts.indices, using: &random)]
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      bytes.append(Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random))
    }
    let format = MediaFormat(of: bytes)
    if let cells = format.cells {
      #expect((1...MediaFormat.columnsMax).contains(cells.columns), "seed \(seed)")
      #expect((1...MediaFormat.rowsMax).contains(cells.rows), "seed \(seed)")
    }
  }
}
