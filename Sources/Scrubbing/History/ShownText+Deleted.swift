import EditModel
import TextState

// Lines of deleted text.
extension ShownText {
  /// True if a line of `text`, counted from 0, has no text of the version: all of it, or all before its line break, is
  /// deleted text. O(log n + changes in the line).
  func isDeleted(line: Int) -> Bool {
    let content = text.lineContentRange(line)
    return isDeleted(content.isEmpty ? text.lineRange(line) : content)
  }

  /// True if all of a range of `text`, in UTF-16 units, is deleted text.
  private func isDeleted(_ range: UTF16Range) -> Bool {
    var end = range.location
    for stretch in stretches[firstStretch(after: end)...] {
      guard end < range.upperBound, stretch.isDeleted, stretch.range.location <= end else { break }
      end = stretch.range.upperBound
    }
    return !range.isEmpty && end >= range.upperBound
  }

  /// The offset, in the version that this one is compared with, of the first deleted unit of a line of `text`, counted
  /// from 0. Nil if the line has none, or if that version is not known whole.
  func originalOffset(ofLine line: Int) -> Int? {
    let range = text.lineRange(line)
    for index in firstStretch(after: range.location)..<stretches.count {
      let start = stretches[index].range.location
      guard start < range.upperBound else { return nil }
      if let origin = origins[index] { return origin + max(0, range.location - start) }
    }
    return nil
  }
}

extension ShownText.Stretch {
  /// True if the stretch is not in the version: deleted text, or a sign around it.
  fileprivate var isDeleted: Bool { kind == .deleted || kind == .deletedSign }
}
