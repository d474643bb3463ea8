import EditModel
import TextState

extension TextState {
  /// The ranges of the paragraphs at `indices`, in order. O(log n + their number).
  func paragraphRanges(at indices: Range<Int>) -> [UTF16Range] {
    paragraphs[indices].map(\.range)
  }
}
