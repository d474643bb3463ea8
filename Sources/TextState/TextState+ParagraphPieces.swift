public import EditModel

/// The treatment of the empty piece after a range that ends with a terminator.
///
/// A range is widened to whole paragraphs and cut into pieces. If the widened range ends with a
/// terminator, an empty piece comes after it, at the start of the next paragraph. These are the three
/// treatments of the reference storage.
public enum EmptyLastPiece: String, CaseIterable, Hashable, Sendable {
  /// The empty piece stays: "exact".
  case keep
  /// It is left out, but not at the text's end, where it is a paragraph: "drop the last empty".
  case drop
  /// The next paragraph's whole range replaces it: "include the last empty".
  case merge
}

extension TextState {
  /// The paragraphs that touch `range`, as pieces; see `EmptyLastPiece`. The range of an empty piece is
  /// empty; its identifier is that of the paragraph that begins there. O(log n + paragraphs).
  ///
  /// - Throws: `PlaceError.range` if the range is not inside the text.
  public func paragraphPieces(
    of range: UTF16Range, emptyLast: EmptyLastPiece
  ) throws(PlaceError) -> [(index: Int, descriptor: ParagraphDescriptor)] {
    let touched = try findParagraphs(in: range)
    var pieces = zip(touched.indices, touched.map { $0 }).map { (index: $0, descriptor: $1) }
    let next = touched.endIndex
    guard next < paragraphCount else { return pieces }
    let following = paragraph(at: next)
    let isLast = following.range.isEmpty
    switch emptyLast {
    case .drop where !isLast: break
    case .merge: pieces.append((next, following))
    case .keep, .drop:
      let start = following.range.location
      let empty = ParagraphDescriptor(id: following.id, range: UTF16Range(start..<start))
      pieces.append((next, empty))
    }
    return pieces
  }
}
