import EditLogFormat
import EditModel

/// A checkpoint's file: header, front, and the state in its frame; or a state alone.
struct CheckpointFormat: Format {
  /// How such a file begins; a state does not.
  static let magic: [UInt8] = [0x89, 0x45, 0x4C, 0x43]
  private static let frontSize = 140

  func split(_ bytes: [UInt8]) -> [Piece] {
    guard bytes.starts(with: Self.magic), bytes.count > Self.frontSize else {
      return [Piece(role: .rest, bytes: bytes)]
    }
    let frame = Array(bytes[Self.frontSize...])
    let state = try? withBytes(of: frame) { frame throws(CodecError) in
      try ZstdDecompressor().decompress(frame, sizeMax: 1 << 20)
    }
    return [
      Piece(role: .header, bytes: Array(bytes[..<64])),
      Piece(role: .front, bytes: Array(bytes[64..<Self.frontSize])),
      state.map { Piece(role: .body, bytes: $0) } ?? Piece(role: .payload, bytes: frame),
    ]
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    guard pieces.count == 3 else { return pieces.flatMap(\.bytes) }
    var (header, front, payload) = (pieces[0].bytes, pieces[1].bytes, pieces[2].bytes)
    if pieces[2].role == .body {
      front.put(UInt64(payload.count), at: 32)
      front.put(Seal.checksum(payload), at: 64)
      payload = payload.withUnsafeBytes { ZstdCompressor().compress($0, level: 1) }
    }
    header.seal(0..<60)
    front.put(UInt64(payload.count), at: 40)
    front.put(Seal.checksum(payload), at: 68)
    front.seal(0..<72)
    return header + front + payload
  }
}
