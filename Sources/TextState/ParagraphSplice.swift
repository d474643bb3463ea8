import EditModel

/// The change of paragraphs by a replacement of characters. Old paragraphs i...j become the pieces
/// of P + s + S, where P is the part of i before the edit, s the new units, and S the part of j
/// after the edit.
///
/// Planned against the state before the edit, which it never changes. Looks at s and at the
/// joints only, never through P or S, since these hold no terminator but the one at S's end.
struct ParagraphSplice {
  /// The replaced units.
  let range: Range<Int>
  /// Units in s.
  let newCount: Int
  /// Where paragraph i is.
  private(set) var first: ParagraphPlace
  /// Where paragraph j is.
  let last: ParagraphPlace
  /// Units in P.
  let head: Int
  /// Units in S.
  let tail: Int
  /// Whether S holds anything besides its terminator.
  let tailHasContent: Bool
  /// The number of the pieces of P + s + S.
  private(set) var pieceCount = 0
  /// Whether P is a piece of its own, since it ends with a CR that no LF follows.
  private let headEnds: Bool
  /// True if an LF comes after s.
  private let followedByLF: Bool
  /// Whether S ends in LF.
  private let tailEndsInLF: Bool

  /// The text of a new paragraph.
  struct Piece {
    let number: Int
    let length: Int
    let endsInLF: Bool
  }

  /// A splice that replaces `range` by `new`, which is s here and in all that follows.
  init(
    _ state: StateCore, replacing range: Range<Int>, with new: some InsertedUnits
  ) {
    (self.range, newCount) = (range, new.count)
    first = state.paragraphPlace(at: range.lowerBound)
    let firstEnd = first.start + state.paragraphRecords[first.index].length
    last = range.upperBound < firstEnd ? first : state.paragraphPlace(at: range.upperBound)

    let record = state.paragraphRecords[last.index]
    let end = last.start + record.length
    tail = end - range.upperBound
    let isLastOfText = last.index == state.paragraphCount - 1
    // No terminator has more than two units, so that the text usually need not be read.
    tailHasContent = tail > 2 || tail > (isLastOfText ? 0 : state.terminatorLength(before: end))

    followedByLF = tail > 0 && state.units[range.upperBound] == .lineFeed
    let startsWithLF = new.count > 0 ? new[0] == .lineFeed : followedByLF
    let afterCR = range.lowerBound > 0 && state.units[range.lowerBound - 1] == .carriageReturn
    // An LF that comes after the CR of the paragraph before completes its terminator.
    if afterCR, startsWithLF, range.lowerBound == first.start { state.stepBack(&first) }
    head = range.lowerBound - first.start

    headEnds = head > 0 && afterCR && !startsWithLF
    tailEndsInLF = record.endsInLF
    pieceCount = countPieces(new)
  }

  /// Calls `body` with the pieces of P + s + S, in order. O(s).
  @inline(__always)
  func forEachPiece(_ new: some InsertedUnits, _ body: (Piece) -> Void) {
    var reader = PieceReader()
    while let piece = next(&reader, new) { body(piece) }
  }

  /// Where a walk over the pieces is.
  struct PieceReader {
    fileprivate var (number, start) = (0, 0)
    fileprivate var isDone = false
  }

  /// The next piece of P + s + S; nil after the last.
  @inline(__always)
  func next(_ reader: inout PieceReader, _ new: some InsertedUnits) -> Piece? {
    if reader.isDone { return nil }
    defer { reader.number += 1 }
    var length = reader.number == 0 ? head : 0
    if headEnds, reader.number == 0 {
      return Piece(number: 0, length: length, endsInLF: false)
    }
    while let index = new.firstTerminator(from: reader.start) {
      length += index + 1 - reader.start
      reader.start = index + 1
      if isHalfOfCRLF(index, new) { continue }
      return Piece(number: reader.number, length: length, endsInLF: new[index] == .lineFeed)
    }
    length += new.count - reader.start
    reader.isDone = true
    return Piece(number: reader.number, length: length + tail, endsInLF: tailEndsInLF)
  }

  private func countPieces(_ new: some InsertedUnits) -> Int {
    let (terminators, returns) = new.countTerminators()
    var count = (headEnds ? 2 : 1) + terminators
    guard returns > 0 else { return count }
    for index in 0..<new.count where isHalfOfCRLF(index, new) { count -= 1 }
    return count
  }

  /// True if the unit is a CR that an LF follows: the two are one terminator.
  private func isHalfOfCRLF(_ index: Int, _ new: some InsertedUnits) -> Bool {
    guard new[index] == .carriageReturn else { return false }
    return index + 1 < new.count ? new[index + 1] == .lineFeed : followedByLF
  }
}

extension ParagraphSplice {
  /// i...j.
  var oldIndices: Range<Int> { first.index..<last.index + 1 }

  /// The old paragraph, counted from i, whose identity the piece keeps; nil for a new one.
  func oldParagraph(ofPiece piece: Int) -> Int? {
    let (old, new) = (oldIndices.count, pieceCount)
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

  /// The pieces that are new paragraphs: they always follow one another.
  var newPieces: Range<Int> {
    let (old, new) = (oldIndices.count, pieceCount)
    if new == 1 { return 0..<0 }
    if old == 1 { return head == 0 && tailHasContent ? 0..<new - 1 : 1..<new }
    return min(old, new) - 1..<new - 1
  }

  /// The old paragraphs that lose their identity, as indices of the state before the edit: they
  /// always follow one another.
  var removedIndices: Range<Int> {
    let (old, new) = (oldIndices.count, pieceCount)
    if old == 1 { return oldIndices.upperBound..<oldIndices.upperBound }
    if new > 1 { return first.index + min(old, new) - 1..<last.index }
    return oldParagraph(ofPiece: 0) == 0
      ? first.index + 1..<last.index + 1 : first.index..<last.index
  }

  /// Whether text of the last removed paragraph stays, in the one new piece.
  var removedLeavesText: Bool { pieceCount == 1 && head > 0 && tail > 0 }
}

extension StateCore {
  /// Units of the paragraph terminator that ends at `end`.
  func terminatorLength(before end: Int) -> Int {
    let isCRLF = end > 1 && units[end - 1] == .lineFeed && units[end - 2] == .carriageReturn
    return isCRLF ? 2 : 1
  }
}
