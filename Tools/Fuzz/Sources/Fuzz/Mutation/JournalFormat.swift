/// A journal: its header, its batches, and the bytes after them.
struct JournalFormat: Format {
  private static let magic: [UInt8] = [0x89, 0x45, 0x42, 0x0A]

  func split(_ bytes: [UInt8]) -> [Piece] {
    var rest = bytes
    var pieces = [Piece(role: .header, bytes: rest.take(64))]
    while rest.count >= 64, rest.starts(with: Self.magic) {
      let size = rest.number(at: 16, size: 4)
      guard size <= rest.count - 64 else { break }
      pieces.append(Piece(role: .batch, bytes: rest.take(64)))
      pieces.append(Piece(role: .body, bytes: rest.take(size)))
    }
    return pieces + [Piece(role: .rest, bytes: rest)]
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    var (output, start, last) = ([UInt8](), UInt32(0), [UInt8]())
    for (index, piece) in pieces.enumerated() {
      var bytes = piece.bytes
      if piece.role == .header {
        bytes.seal(0..<60)
        if bytes.count >= 40 { start = Seal.checksum(bytes[24..<40]) }
      }
      if piece.role == .batch, bytes.count == 64, index + 1 < pieces.count {
        let body = pieces[index + 1].bytes
        bytes.put(UInt32(truncatingIfNeeded: body.count), at: 16)
        bytes.put(Seal.checksum(body), at: 56)
        // The first batch continues another journal.
        if !last.isEmpty { bytes.replaceSubrange(24..<56, with: Seal.hash(last)) }
        bytes.seal(0..<60, after: start)
        last = bytes + body
      }
      output += bytes
    }
    return output
  }
}
