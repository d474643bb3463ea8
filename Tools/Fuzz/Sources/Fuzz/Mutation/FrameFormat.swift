/// A frame of the socket: headers, and a body whose size they say.
struct FrameFormat: Format {
  private static let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

  static func frame(_ body: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }

  func split(_ bytes: [UInt8]) -> [Piece] {
    guard
      let place = bytes.indices.first(where: { bytes[$0...].starts(with: Self.end) })
    else { return [Piece(role: .rest, bytes: bytes)] }
    return [Piece(role: .body, bytes: Array(bytes[(place + 4)...]))]
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    guard pieces.first?.role == .body else { return pieces.flatMap(\.bytes) }
    return pieces.flatMap { Self.frame($0.bytes) }
  }
}
