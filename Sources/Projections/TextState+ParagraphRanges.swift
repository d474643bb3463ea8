import EditModel
import TextState

extension TextState {
  /// The ranges of the paragraphs at `indices`, in order. O(log n + their number).
  func paragraphRanges(at indices: Range<Int>) -> [UTF16Range] {
    guard let first = indices.first, let last = indices.last else { return [] }
    let (start, end) = (paragraph(at: first).range, paragraph(at: last).range)
    if first == last { return [start] }
    var ranges: [UTF16Range] = []
    ranges.reserveCapacity(indices.count)
    // A loop walks; `map` would look each of them up.
    for paragraph in paragraphs(in: UTF16Range(start.location..<end.upperBound)) {
      ranges.append(paragraph.range)
    }
    // The empty last paragraph holds no unit of the range.
    if end.isEmpty { ranges.append(end) }
    return ranges
  }
}
