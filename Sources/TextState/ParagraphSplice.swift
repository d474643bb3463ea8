import EditModel

/// What a replacement of characters does to paragraphs: old paragraphs i...j become the pieces
/// of P + s + S, where P is what stays of i before the edit, s the new units, and S what stays
/// of j behind the edit.
///
/// Planned against the state before the edit, which it never changes. Looks at s and at the
/// joints only, never through P or S, since these hold no terminator but the one at S's end.
struct ParagraphSplice {
  /// The replaced units.
  let range: Range<Int>
  /// s.
  let new: [UInt16]
  /// Where paragraph i is.
  private(set) var first: ParagraphPlace
  /// Where paragraph j is.
  let last: ParagraphPlace
  /// Units in P.
  let head: Int
  /// Units in S.
  let tail: Int
  /// The pieces of P + s + S.
  private(set) var pieces: [Piece] = []
  /// Whether S holds anything besides its terminator.
  let tailHasContent: Bool

  /// A new paragraph's text.
  struct Piece {
    var length: Int
    var endsInLF: Bool
  }

  /// A splice that replaces `range` by `new`.
  init(_ state: StateCore, replacing range: Range<Int>, with new: [UInt16]) {
    (self.range, self.new) = (range, new)
    first = state.paragraphPlace(at: range.lowerBound)
    let firstEnd = first.start + state.paragraphRecords[first.index].length
    last = range.upperBound < firstEnd ? first : state.paragraphPlace(at: range.upperBound)

    let record = state.paragraphRecords[last.index]
    let end = last.start + record.length
    tail = end - range.upperBound
    let isLastOfText = last.index == state.paragraphCount - 1
    tailHasContent = tail > (isLastOfText ? 0 : state.terminatorLength(before: end))

    let followedByLF = tail > 0 && state.units[range.upperBound] == .lineFeed
    let startsWithLF = new.first.map { $0 == .lineFeed } ?? followedByLF
    let afterCR = range.lowerBound > 0 && state.units[range.lowerBound - 1] == .carriageReturn
    // An LF that comes to stand behind the CR of the paragraph before completes its terminator.
    if afterCR, startsWithLF, range.lowerBound == first.start { state.stepBack(&first) }
    head = range.lowerBound - first.start

    split(
      headEnds: head > 0 && afterCR && !startsWithLF, followedByLF: followedByLF,
      tailEndsInLF: record.endsInLF)
  }

  /// Finds the pieces of P + s + S.
  private mutating func split(headEnds: Bool, followedByLF: Bool, tailEndsInLF: Bool) {
    var length = head
    if headEnds {
      pieces.append(Piece(length: length, endsInLF: false))
      length = 0
    }
    for (index, unit) in new.enumerated() {
      length += 1
      guard unit.endsParagraph else { continue }
      if unit == .carriageReturn {
        let next = index + 1
        if next < new.count ? new[next] == .lineFeed : followedByLF { continue }
      }
      pieces.append(Piece(length: length, endsInLF: unit == .lineFeed))
      length = 0
    }
    pieces.append(Piece(length: length + tail, endsInLF: tailEndsInLF))
  }
}

extension ParagraphSplice {
  /// i...j.
  var oldIndices: Range<Int> { first.index..<last.index + 1 }

  /// The old paragraph, counted from i, whose identity the piece keeps; nil for a new one.
  func oldParagraph(ofPiece piece: Int) -> Int? {
    let (old, new) = (oldIndices.count, pieces.count)
    if old == 1 {
      // A split: the blank line that Return makes before a paragraph is the new one.
      let keeper = head == 0 && tailHasContent ? new - 1 : 0
      return piece == keeper ? 0 : nil
    }
    if new == 1 {
      // A merge: the paragraph above keeps, unless only text of the one below stays.
      return head > 0 || tail == 0 ? 0 : old - 1
    }
    if piece == new - 1 { return old - 1 }
    return piece < min(old, new) - 1 ? piece : nil
  }

  /// The old paragraphs that lose their identity, as indices of the state before the edit: they
  /// always follow one another.
  var removedIndices: Range<Int> {
    let (old, new) = (oldIndices.count, pieces.count)
    if old == 1 { return oldIndices.upperBound..<oldIndices.upperBound }
    if new > 1 { return first.index + min(old, new) - 1..<last.index }
    return oldParagraph(ofPiece: 0) == 0
      ? first.index + 1..<last.index + 1 : first.index..<last.index
  }

  /// Whether the last of the removed paragraphs leaves text behind, in the one new piece.
  var removedLeavesText: Bool { pieces.count == 1 && head > 0 && tail > 0 }
}

extension StateCore {
  /// Units of the paragraph terminator that ends at `end`.
  fileprivate func terminatorLength(before end: Int) -> Int {
    let isCRLF = end > 1 && units[end - 1] == .lineFeed && units[end - 2] == .carriageReturn
    return isCRLF ? 2 : 1
  }
}
