/// A part of a file, by what its bytes are for.
struct Piece {
  enum Role: Hashable {
    case header, batch, body, block, payload, section, trailer, front, rest
  }
  var role: Role
  var bytes: [UInt8]
}

/// How a kind of file is taken apart, and put together with sizes and checksums that agree.
protocol Format: Sendable {
  /// The parts of a file. Any bytes have some.
  func split(_ bytes: [UInt8]) -> [Piece]
  /// The file of these parts: sizes and checksums are those of what is there.
  func join(_ pieces: [Piece]) -> [UInt8]
}

extension Format {
  /// One part changed, left out, doubled or moved, and the file sealed; or bytes changed anywhere.
  func mutate(_ bytes: [UInt8], with mutation: inout Mutation) -> [UInt8] {
    var pieces = split(bytes)
    guard !pieces.isEmpty, mutation.below(10) > 0 else { return mutation.bytes(bytes) }
    let place = mutation.below(pieces.count)
    // A header and what it is the header of move together.
    let isPair = [.batch, .block].contains(pieces[place].role) && place + 1 < pieces.count
    let unit = Array(pieces[place..<place + (isPair ? 2 : 1)])
    switch mutation.below(32) {
    case 0 where pieces.count > 2: pieces.removeSubrange(place..<place + unit.count)
    case 1: pieces.insert(contentsOf: unit, at: place)
    case 2 where isPair && place + 3 < pieces.count:
      pieces.removeSubrange(place..<place + 2)
      pieces.insert(contentsOf: unit, at: place + 2)
    default:
      let piece = pieces[place].bytes
      pieces[place].bytes = mutation.bytes(piece, others: bytes.count - piece.count)
    }
    return join(pieces)
  }
}
