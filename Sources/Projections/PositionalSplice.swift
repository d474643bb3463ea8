import EditModel
import TextState

/// What one transaction does to a list of paragraphs whose identity is positional: `oldCount`
/// paragraphs from the anchor on become `newCount`.
///
/// Invariants: all that the transaction edited lies inside these paragraphs, so those before have
/// the same index and range before and after it, and those behind the same length. The anchor
/// begins at `start` before and after. With no characters edited there are no paragraphs here.
///
/// It follows the paragraphs of a state edit by edit and keeps only lengths, because the state
/// before the transaction is gone when the transaction ends.
struct PositionalSplice: Sendable {
  /// The index of the first paragraph edited.
  private(set) var anchor = 0
  /// UTF-16 units before the anchor.
  private(set) var start = 0
  /// UTF-16 units of each old paragraph.
  private(set) var oldLengths: [Int] = []
  /// Paragraphs that they became.
  private(set) var newCount = 0

  /// Paragraphs that there were.
  var oldCount: Int { oldLengths.count }
  /// True before characters were edited.
  var isEmpty: Bool { oldLengths.isEmpty }
  /// Paragraphs that keep their identifiers.
  var keptCount: Int { min(oldCount, newCount) }
  /// Paragraphs that are gone.
  var removedCount: Int { max(0, oldCount - newCount) }
  /// Paragraphs that are new.
  var addedCount: Int { max(0, newCount - oldCount) }
  /// Where identifiers go or come: right behind the anchor, or behind those that stay.
  var seam: Int { anchor + (removedCount > 0 ? 1 : oldCount) }

  /// Forgets all, to follow the next transaction in the same memory.
  mutating func removeAll() {
    (anchor, start, newCount) = (0, 0, 0)
    oldLengths.removeAll(keepingCapacity: true)
  }

  /// Takes in the paragraphs of `state` that hold the ends of `range`, and all between. O(those
  /// that come in); those already in are moved where some come in before them.
  mutating func widen(to range: UTF16Range, in state: TextState) {
    let first = state.paragraphIndex(at: range.location)
    let paragraph = state.paragraph(at: first).range
    if isEmpty {
      (anchor, start, newCount) = (first, paragraph.location, 1)
      oldLengths.append(paragraph.length)
    }
    if first < anchor { prepend(state.paragraphRanges(at: first..<anchor)) }

    let end = anchor + newCount
    if range.upperBound < paragraph.upperBound, first < end { return }
    let last = state.paragraphIndex(at: range.upperBound)
    guard last >= end else { return }
    oldLengths.append(contentsOf: state.paragraphRanges(at: end..<last + 1).map(\.length))
    newCount += last + 1 - end
  }

  /// Follows an edit that was applied at `location`, inside what was widened to before, and gave
  /// `state` this many paragraphs more. O(1) and a look-up at most.
  mutating func follow(editAt location: Int, changeInCount: Int, _ state: TextState) {
    newCount += changeInCount
    guard location == start, start > 0 else { return }
    // A paragraph began here. Where none does any more, an LF came to stand behind the CR of the
    // paragraph before: that one is edited.
    let paragraph = state.paragraph(at: state.paragraphIndex(at: start)).range
    guard paragraph.location < start else { return }
    prepend([UTF16Range(paragraph.location..<start)])
  }

  /// Takes in the old paragraphs just before the anchor.
  private mutating func prepend(_ ranges: [UTF16Range]) {
    guard let first = ranges.first else { return }
    oldLengths.insert(contentsOf: ranges.map(\.length), at: 0)
    newCount += ranges.count
    (anchor, start) = (anchor - ranges.count, first.location)
  }
}
