import EditModel

/// A segment parsed as the article FileFormat says, and written again with changed parts: lengths,
/// checksums and parity are right whatever is changed.
public struct SegmentParts: Sendable {
  /// The file's header, 64 bytes; its last four are recomputed.
  public var header: [UInt8]
  /// The blocks, each with the 64 bytes of its header, whose checksums are recomputed.
  public var blocks: [[UInt8]]
  /// The footer's sections. Section 2 is made from the blocks.
  public var sections: [(kind: UInt32, body: [UInt8])]

  private static let trailerMagic: [UInt8] = [0x89, 0x45, 0x4C, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let parityMagic: [UInt8] = [0x89, 0x45, 0x4C, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The parts of a segment as a writer made it, with parity or without; nil if it is not one.
  public init?(_ file: [UInt8]) {
    guard file.count > 160 else { return nil }
    var data = file[...]
    if file[(file.count - 64)...].starts(with: Self.parityMagic) {
      let size = file.number(at: file.count - 56, size: 8)
      guard size > 160, size <= file.count else { return nil }
      data = file[..<size]
    }
    let trailer = data.count - 32
    let start = file.number(at: trailer + 8, size: 8)
    guard data[trailer...].starts(with: Self.trailerMagic), start >= 64, start < trailer else {
      return nil
    }
    header = Array(file[..<64])
    blocks = []
    var offset = 64
    while offset < start {
      let size = 64 + file.number(at: offset + 40, size: 8)
      guard size >= 64, size <= start - offset else { return nil }
      blocks.append(Array(file[offset..<offset + size]))
      offset += size
    }
    sections = []
    offset = start + 4
    for _ in 0..<file.number(at: start, size: 4) {
      let size = file.number(at: offset + 4, size: 8)
      guard size >= 0, size <= trailer - offset - 12 else { return nil }
      let body = Array(file[offset + 12..<offset + 12 + size])
      sections.append((UInt32(file.number(at: offset, size: 4)), body))
      offset += 12 + size
    }
  }

  /// The body of a section.
  public subscript(kind: UInt32) -> [UInt8]? {
    get { sections.first { $0.kind == kind }?.body }
    set {
      let position = sections.firstIndex { $0.kind == kind }
      switch (position, newValue) {
      case (let position?, let body?): sections[position].body = body
      case (let position?, nil): sections.remove(at: position)
      case (nil, let body?): sections.append((kind, body))
      case (nil, nil): break
      }
    }
  }

  /// The file up to the end of the trailer.
  public var data: [UInt8] {
    var bytes = header
    bytes.seal(0..<60, at: 60)
    var headers: [UInt8] = []
    for block in blocks {
      var block = block
      block.seal(64..<block.count, at: 52)
      block.seal(0..<60, at: 60)
      headers += block[..<64]
      bytes += block
    }
    let start = bytes.count
    bytes.append(UInt64(sections.count), size: 4)
    for (kind, body) in sections {
      let body = kind == 2 ? [UInt8].varint(UInt64(blocks.count)) + headers : body
      bytes.append(UInt64(kind), size: 4)
      bytes.append(UInt64(body.count), size: 8)
      bytes += body
    }
    let end = bytes.count
    bytes += Self.trailerMagic
    bytes.append(UInt64(start), size: 8)
    bytes.append(UInt64(end - start), size: 8)
    bytes.append(UInt64(CRC32C.checksum(Array(bytes[start..<end]))), size: 4)
    bytes.append(UInt64(CRC32C.checksum(Array(bytes[end...]))), size: 4)
    return bytes
  }

  /// The whole file, with parity.
  public var file: [UInt8] { Self.withParity(data) }

  /// The data of a segment with its parity area, in units of the size that the format names or of
  /// `unit` bytes.
  public static func withParity(_ data: [UInt8], unit: Int? = nil) -> [UInt8] {
    let unit = unit ?? (data.count <= 3072 ? 512 : 4096)
    let units = stride(from: 0, to: data.count, by: unit).map {
      Array(data[$0..<min($0 + unit, data.count)])
    }
    let stripes = (units.count + 15) / 16
    var parity = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: min(unit, data.count)), count: stripes)
    for (number, bytes) in units.enumerated() {
      for (index, byte) in bytes.enumerated() { parity[number % stripes][index] ^= byte }
    }
    var table: [UInt8] = []
    for bytes in units + parity { table.append(UInt64(CRC32C.checksum(bytes)), size: 4) }
    var header = Self.parityMagic
    header.append(UInt64(data.count), size: 8)
    header.append(UInt64(unit), size: 4)
    header.append(16, size: 4)
    header.append(UInt64(CRC32C.checksum(table)), size: 4)
    header += [UInt8](repeating: 0, count: 32)
    header.append(UInt64(CRC32C.checksum(header)), size: 4)
    let gap = [UInt8](repeating: 0, count: units.count * unit - data.count)
    return data + gap + header + table + parity.joined() + header
  }
}

extension [UInt8] {
  /// The little-endian number in `size` bytes, or in those of them that exist.
  public func number(at offset: Int, size: Int) -> Int {
    (0..<size).reduce(0) { offset + $1 < count ? $0 | Int(self[offset + $1]) << ($1 * 8) : $0 }
  }

  /// Puts a little-endian number in place, cut to the bytes that exist.
  public mutating func put(_ value: UInt64, at offset: Int, size: Int) {
    for byte in 0..<size where offset + byte < count {
      self[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8))
    }
  }

  /// Adds a little-endian number.
  public mutating func append(_ value: UInt64, size: Int) {
    for byte in 0..<size { append(UInt8(truncatingIfNeeded: value >> UInt64(byte * 8))) }
  }

  /// Puts the CRC-32C of the bytes of `range`, continued from `start`, in place.
  public mutating func seal(_ range: Range<Int>, at offset: Int, from start: UInt32 = 0) {
    guard range.upperBound <= count, offset + 4 <= count else { return }
    put(UInt64(CRC32C.checksum(Array(self[range]), continuing: start)), at: offset, size: 4)
  }

  /// A number as the format writes it in few bytes.
  public static func varint(_ value: UInt64) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), value)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
