import EditModel
import EditProtocol

/// A piece of a text that may come in several answers.
protocol JoinablePiece {
  /// Both as one piece, if `next` is the rest of this one.
  func joined(with next: Self) -> Self?
}

/// Joins pieces that were split between two answers.
struct PieceJoiner<Piece: JoinablePiece> {
  private var open: Piece?

  /// Adds the pieces of an answer. Returns those that are whole.
  mutating func append(_ pieces: [Piece]) -> [Piece] {
    var whole: [Piece] = []
    for piece in pieces {
      if let joined = open?.joined(with: piece) {
        open = joined
      } else {
        if let open { whole.append(open) }
        open = piece
      }
    }
    return whole
  }

  /// The last piece, if there is one.
  mutating func finish() -> [Piece] { open.take().map { [$0] } ?? [] }
}

extension ShownBlamePiece: JoinablePiece {
  func joined(with next: ShownBlamePiece) -> ShownBlamePiece? {
    guard next.stamp.sequence == stamp.sequence, next.range.location == range.upperBound else {
      return nil
    }
    var joined = self
    joined.range = UTF16Range(range.location..<next.range.upperBound)
    joined.text.append(next.text)
    return joined
  }
}

extension ShownPieceFate: JoinablePiece {
  func joined(with next: ShownPieceFate) -> ShownPieceFate? {
    guard next.vanished?.sequence == vanished?.sequence, next.range.location == range.upperBound,
      next.now == now.map({ $0 + range.length })
    else { return nil }
    var joined = self
    joined.range = UTF16Range(range.location..<next.range.upperBound)
    joined.text.append(next.text)
    return joined
  }
}
