/// A `format` file, which is a header twice, or a `name`, which is a header and a text.
struct SmallFileFormat: Format {
  /// True if the header's magic is that of a name.
  static func isName(_ bytes: [UInt8]) -> Bool { bytes.count > 3 && bytes[3] == 0x4E }

  func split(_ bytes: [UInt8]) -> [Piece] {
    var rest = bytes
    let header = Piece(role: .header, bytes: rest.take(64))
    let front = Piece(role: .front, bytes: rest.take(Self.isName(bytes) ? 8 : 4032))
    return [header, front, Piece(role: .body, bytes: rest)]
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    guard pieces.count == 3 else { return pieces.flatMap(\.bytes) }
    var (header, front, body) = (pieces[0].bytes, pieces[1].bytes, pieces[2].bytes)
    header.seal(0..<60)
    if Self.isName(header) {
      front.put(UInt32(truncatingIfNeeded: body.count), at: 0)
      front.put(Seal.checksum(body), at: 4)
    } else {
      body.seal(0..<60)
    }
    return header + front + body
  }
}
