/// A segment: header, blocks, the sections of its footer, trailer. The parity is recomputed, since
/// the old one would undo the change.
struct SegmentFormat: Format {
  func split(_ bytes: [UInt8]) -> [Piece] {
    let end = bytes.count >= 64 ? bytes.number(at: bytes.count - 56, size: 8) : 0
    let data = end > 96 && end <= bytes.count ? Array(bytes[..<end]) : bytes
    guard data.count > 96 else { return [Piece(role: .rest, bytes: bytes)] }
    let footer = data.number(at: data.count - 24, size: 8)
    guard (64...data.count - 32).contains(footer) else { return [Piece(role: .rest, bytes: bytes)] }
    var rest = Array(data[64..<footer])
    var pieces = [Piece(role: .header, bytes: Array(data[..<64]))]
    while rest.count >= 64, rest.number(at: 40, size: 8) <= rest.count - 64 {
      let header = rest.take(64)
      pieces += BlockFormat.opened(header, rest.take(header.number(at: 40, size: 8)))
    }
    var sections = Array(data[min(footer + 4, data.count - 32)..<data.count - 32])
    while sections.count >= 12, sections.number(at: 4, size: 8) <= sections.count - 12 {
      let size = sections.number(at: 4, size: 8)
      pieces.append(Piece(role: .section, bytes: sections.take(12 + size)))
    }
    return pieces + [Piece(role: .trailer, bytes: Array(data[(data.count - 32)...]))]
  }

  func join(_ pieces: [Piece]) -> [UInt8] {
    guard pieces.count > 1 else { return pieces.flatMap(\.bytes) }
    var (data, headers) = ([UInt8](), [[UInt8]]())
    for (index, piece) in pieces.enumerated() {
      if piece.role == .header {
        data += piece.bytes
        data.seal(0..<60)
      }
      if piece.role == .block, index + 1 < pieces.count {
        let block = BlockFormat.sealed(piece.bytes, pieces[index + 1].bytes)
        headers.append(block[0])
        data += block[0] + block[1]
      }
    }
    let start = data.count
    data += footer(pieces.filter { $0.role == .section }.map(\.bytes), headers)
    var trailer = pieces.last { $0.role == .trailer }?.bytes ?? []
    trailer.put(UInt64(start), at: 8)
    trailer.put(UInt64(data.count - start), at: 16)
    trailer.put(Seal.checksum(data[start...]), at: 24)
    trailer.seal(0..<28)
    return Parity.appended(to: data + trailer)
  }

  /// The sections, with their sizes; the one with the blocks' headers has those that are there.
  private func footer(_ sections: [[UInt8]], _ headers: [[UInt8]]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 4)
    output.put(UInt32(sections.count), at: 0)
    for section in sections {
      var section = section
      if section.number(at: 0, size: 4) == 2, section.count >= 12 {
        // A count below 128 is one byte as a varint.
        let count = UInt8(truncatingIfNeeded: min(headers.count, 127))
        section = section.prefix(12) + [count] + headers.joined()
      }
      section.put(UInt64(max(section.count - 12, 0)), at: 4)
      output += section
    }
    return output
  }
}
