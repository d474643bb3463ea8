import EditLogFormat
import EditModel

/// A block: its header and its payload. A compressed payload is taken as the columns it holds, so
/// that what changes are columns.
struct BlockFormat: Format {
  static let headerSize = 64
  private static let columnsMax = 1 << 20

  func split(_ bytes: [UInt8]) -> [Piece] {
    var rest = bytes
    let header = rest.take(Self.headerSize)
    return Self.opened(header, rest)
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    guard pieces.count == 2 else { return pieces.flatMap(\.bytes) }
    return Self.sealed(pieces[0].bytes, pieces[1].bytes).flatMap { $0 }
  }

  /// The two pieces of a block, its payload stored where it was compressed and stands alone.
  static func opened(_ header: [UInt8], _ payload: [UInt8]) -> [Piece] {
    var (header, payload) = (header, payload)
    if header.count == headerSize, header.number(at: 56, size: 4) == 0,
      let columns = try? withBytes(
        of: payload,
        { frame throws(CodecError) in
          try ZstdDecompressor().decompress(frame, sizeMax: columnsMax)
        })
    {
      header.put(UInt32(1), at: 56)
      payload = columns
    }
    return [Piece(role: .block, bytes: header), Piece(role: .payload, bytes: payload)]
  }

  /// Header and payload with the payload's size and checksums.
  static func sealed(_ header: [UInt8], _ payload: [UInt8]) -> [[UInt8]] {
    var header = header
    header.put(UInt64(payload.count), at: 40)
    header.put(Seal.checksum(payload), at: 52)
    if header.number(at: 56, size: 4) == 1 {
      header.put(UInt64(payload.count), at: 32)
      header.put(Seal.checksum(payload), at: 48)
    }
    header.seal(0..<60)
    return [header, payload]
  }
}
