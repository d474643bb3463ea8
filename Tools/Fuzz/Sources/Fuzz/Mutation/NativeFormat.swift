/// Frames of the native dialect. A part is a frame's kind and its body.
struct NativeFormat: Format {
  private static let (magic, headerSize): (UInt8, Int) = (0x89, 12)

  func split(_ bytes: [UInt8]) -> [Piece] {
    var (pieces, rest) = ([Piece](), bytes)
    while rest.count >= Self.headerSize, rest[0] == Self.magic {
      let (kind, size) = (rest[1], rest.number(at: 4, size: 4))
      rest.removeFirst(Self.headerSize)
      pieces.append(Piece(role: .body, bytes: [kind] + rest.take(size)))
    }
    if !rest.isEmpty { pieces.append(Piece(role: .rest, bytes: rest)) }
    return pieces
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    pieces.flatMap { $0.role == .body ? Self.frame($0.bytes) : $0.bytes }
  }

  private static func frame(_ piece: [UInt8]) -> [UInt8] {
    guard let kind = piece.first else { return [] }
    let body = Array(piece.dropFirst())
    var header = [magic, kind] + [UInt8](repeating: 0, count: headerSize - 2)
    header.put(UInt32(body.count), at: 4)
    header.put(Seal.checksum(body, after: Seal.checksum(header[..<8])), at: 8)
    return header + body
  }
}
