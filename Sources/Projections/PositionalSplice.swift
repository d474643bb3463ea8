import EditModel
import TextState

/// The change that a transaction makes to a list of paragraphs with positional identity: `oldCount`
/// paragraphs, starting at the anchor, become `newCount`.
///
/// Invariants: all edits of the transaction are inside these paragraphs. So paragraphs before them
/// keep index and range, and paragraphs after them keep their length. The anchor starts at `start`
/// before and after the transaction. If no characters were edited, there are no paragraphs here.
///
/// It follows the paragraphs of a state edit by edit, and keeps only lengths, because the state
/// before the transaction does not exist any more when the transaction ends.
struct PositionalSplice: Sendable {
  /// The index of the first paragraph edited.
  private(set) var anchor = 0
  /// UTF-16 units before the anchor.
  private(set) var start = 0
  /// UTF-16 units of each old paragraph.
  private(set) var oldLengths: [Int] = []
  /// The number of paragraphs after the transaction.
  private(set) var newCount = 0

  /// The number of paragraphs before the transaction.
  var oldCount: Int { oldLengths.count }
  /// True as long as no characters were edited.
  var isEmpty: Bool { oldLengths.isEmpty }
  /// Paragraphs that keep their identifiers.
  var keptCount: Int { min(oldCount, newCount) }
  /// Paragraphs that were removed.
  var removedCount: Int { max(0, oldCount - newCount) }
  /// Paragraphs that are new.
  var addedCount: Int { max(0, newCount - oldCount) }
  /// The index at which identifiers are removed (just after the anchor) or inserted (after those
  /// that stay).
  var seam: Int { anchor + (removedCount > 0 ? 1 : oldCount) }

  /// Clears all for the next transaction, and keeps the memory.
  mutating func removeAll() {
    (anchor, start, newCount) = (0, 0, 0)
    oldLengths.removeAll(keepingCapacity: true)
  }

  /// Adds the paragraphs of `state` at both ends of `range`, and all between. O(added paragraphs).
  /// If paragraphs are added at the front, the others are moved.
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

  /// Follows an edit that was applied at `location`, inside the paragraphs added before, and that
  /// gave `state` with `changeInCount` more paragraphs. O(1), and at most one look-up.
  mutating func follow(editAt location: Int, changeInCount: Int, _ state: TextState) {
    newCount += changeInCount
    guard location == start, start > 0 else { return }
    // A paragraph started here. If none does now, an LF came after the CR of the paragraph before,
    // so that one is edited too.
    let paragraph = state.paragraph(at: state.paragraphIndex(at: start)).range
    guard paragraph.location < start else { return }
    prepend([UTF16Range(paragraph.location..<start)])
  }

  /// Adds the old paragraphs just before the anchor.
  private mutating func prepend(_ ranges: [UTF16Range]) {
    guard let first = ranges.first else { return }
    oldLengths.insert(contentsOf: ranges.map(\.length), at: 0)
    newCount += ranges.count
    (anchor, start) = (anchor - ranges.count, first.location)
  }
}
