import EditModel

/// What the bytes of a file say about it: the kind of its content, and of a picture the size. The file's name
/// does not count.
public struct MediaFormat: Hashable, Sendable {
  /// The kind, such as `image/png`; nil if the bytes do not say it.
  public let type: String?
  /// The size of a picture in pixels; nil if the bytes do not say it.
  public let pixels: Pixels?

  /// The size of a picture: 1 or more pixels in both directions.
  public struct Pixels: Hashable, Sendable {
    /// Pixels of a row.
    public let width: Int
    /// Rows of pixels.
    public let height: Int

    init?(_ width: Int?, _ height: Int?) {
      guard let width, let height, width > 0, height > 0 else { return nil }
      (self.width, self.height) = (width, height)
    }
  }

  /// The maximum size of a picture on a grid, in cells. A larger one keeps its proportions.
  public static let (columnsMax, rowsMax) = (80, 40)

  /// What the bytes say. Of text, all of them are read; of others, the beginning.
  public init(of content: [UInt8]) {
    let reader = MediaReader(content)
    let picture = reader.picture
    type = picture?.type ?? reader.otherType
    pixels = picture?.pixels
  }

  /// The cells that the picture takes on a grid if a cell has the size that it has in SVG; nil for others.
  public var cells: (columns: Int, rows: Int)? {
    guard let pixels else { return nil }
    let (cellWidth, cellHeight) = (Double(SVGRenderer.cellWidth), Double(SVGRenderer.cellHeight))
    let (columns, rows) = (Double(pixels.width) / cellWidth, Double(pixels.height) / cellHeight)
    let scale = min(1, Double(Self.columnsMax) / columns, Double(Self.rowsMax) / rows)
    func count(_ cells: Double, _ max: Int) -> Int {
      min(Swift.max(Int((cells * scale).rounded(.up)), 1), max)
    }
    return (count(columns, Self.columnsMax), count(rows, Self.rowsMax))
  }
}

/// Reads the first bytes of a file.
private struct MediaReader {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private func begins(_ text: String, at offset: Int = 0) -> Bool {
    bytes.dropFirst(offset).starts(with: text.utf8)
  }

  /// The number in `count` bytes, the least significant one first or last; nil after the end.
  private func number(_ offset: Int, _ count: Int, isLittle: Bool = false) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let part = bytes[offset..<offset + count]
    return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: Pictures

  /// The type and the size of a picture; nil if the bytes are none.
  var picture: (type: String, pixels: MediaFormat.Pixels?)? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      return ("image/png", MediaFormat.Pixels(number(16, 4), number(20, 4)))
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return ("image/jpeg", jpegSize) }
    if begins("GIF87a") || begins("GIF89a") {
      return (
        "image/gif", MediaFormat.Pixels(number(6, 2, isLittle: true), number(8, 2, isLittle: true))
      )
    }
    if begins("RIFF"), begins("WEBP", at: 8) { return ("image/webp", webPSize) }
    return nil
  }

  /// The size in the first frame header of a JPEG. (ITU T.81, B.2.2.)
  private var jpegSize: MediaFormat.Pixels? {
    var place = 2
    while let mark = number(place, 2), mark >> 8 == 0xFF {
      let kind = mark & 0xFF
      // Fill bytes, and marks without a segment.
      if kind == 0xFF { place += 1; continue }
      if kind == 0x01 || (0xD0...0xD7).contains(kind) { place += 2; continue }
      // Frames; C4, C8 and CC are tables and an extension.
      if (0xC0...0xCF).contains(kind), ![0xC4, 0xC8, 0xCC].contains(kind) {
        return MediaFormat.Pixels(number(place + 7, 2), number(place + 5, 2))
      }
      guard kind != 0xDA, let length = number(place + 2, 2), length >= 2 else { return nil }
      place += 2 + length
    }
    return nil
  }

  /// The size in the first chunk of a WebP. (RFC 9649, 2.5 to 2.7; RFC 6386, 9.1.)
  private var webPSize: MediaFormat.Pixels? {
    if begins("VP8X", at: 12) {
      return MediaFormat.Pixels(
        number(24, 3, isLittle: true).map { $0 + 1 }, number(27, 3, isLittle: true).map { $0 + 1 })
    }
    if begins("VP8L", at: 12), bytes.count > 20, bytes[20] == 0x2F,
      let bits = number(21, 4, isLittle: true)
    {
      return MediaFormat.Pixels(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard begins("VP8 ", at: 12) else { return nil }
    return MediaFormat.Pixels(
      number(26, 2, isLittle: true).map { $0 & 0x3FFF },
      number(28, 2, isLittle: true).map { $0 & 0x3FFF })
  }

  // MARK: Others

  /// Kinds by their first bytes. (The magic numbers of the registrations of the kinds at IANA.)
  private static let signatures: [(bytes: [UInt8], type: String)] = [
    (Array("%PDF-".utf8), "application/pdf"), (Array("PK\u{3}\u{4}".utf8), "application/zip"),
    ([0x1F, 0x8B], "application/gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "application/zstd"),
    (Array("OggS".utf8), "application/ogg"), (Array("fLaC".utf8), "audio/flac"),
    (Array("ID3".utf8), "audio/mpeg"), (Array("MThd".utf8), "audio/midi"),
    ([0x1A, 0x45, 0xDF, 0xA3], "video/matroska"), (Array("BM".utf8), "image/bmp"),
    ([0x49, 0x49, 0x2A, 0x00], "image/tiff"), ([0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
    (Array("wOFF".utf8), "font/woff"), (Array("wOF2".utf8), "font/woff2"),
  ]

  /// The kind of bytes that are no picture with a known size; nil if they do not say it.
  var otherType: String? {
    if begins("RIFF"), begins("WAVE", at: 8) { return "audio/wav" }
    if begins("ftyp", at: 4) {
      if begins("avif", at: 8) { return "image/avif" }
      if begins("heic", at: 8) { return "image/heic" }
      return begins("M4A", at: 8) ? "audio/mp4" : "video/mp4"
    }
    // Text may begin with the letters of a signature.
    if let text { return text }
    return Self.signatures.first { bytes.starts(with: $0.bytes) }?.type
  }

  /// The kind of text: UTF-8 without control characters other than those of lines and tabs. Nil if the bytes
  /// are none.
  private var text: String? {
    guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 && !(0x09...0x0D).contains($0) }),
      String(validating: bytes, as: UTF8.self) != nil, !begins("%PDF-")
    else { return nil }
    let isSVG = begins("<svg") || begins("<?xml") && bytes.prefix(1_024).contains("<svg".utf8)
    return isSVG ? "image/svg+xml" : "text/plain"
  }
}
