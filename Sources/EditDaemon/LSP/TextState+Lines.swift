import EditModel
import TextState

private let lineFeed: UInt16 = 0x0A
private let carriageReturn: UInt16 = 0x0D

/// Questions about lines and newlines, where only LF ends a line.
extension TextState {
  /// The range of `line` without its LF. `line` must exist.
  func lineContent(_ line: Int) -> UTF16Range {
    let range = lineRange(line)
    guard !range.isEmpty, self[range.upperBound - 1] == lineFeed else { return range }
    return UTF16Range(range.location..<range.upperBound - 1)
  }

  /// True where the units before and behind `offset` are the halves of one surrogate pair.
  func partsPair(at offset: Int) -> Bool {
    offset > 0 && offset < length && UTF16.isLeadSurrogate(self[offset - 1])
      && UTF16.isTrailSurrogate(self[offset])
  }

  /// Units of the newline that ends the text before `offset`: 2 for CR LF, 1 for LF, else 0.
  func newlineLength(before offset: Int) -> Int {
    guard offset > 0, self[offset - 1] == lineFeed else { return 0 }
    return offset > 1 && self[offset - 2] == carriageReturn ? 2 : 1
  }

  /// Units of the newline that the text ends with, 0 where it ends without.
  var lastNewlineLength: Int { newlineLength(before: length) }

  /// The newline that the text ends with; empty where it ends without.
  var lastNewline: UTF16Text { text(in: UTF16Range(length - lastNewlineLength..<length)) }

  /// The newline that the text would end with if it had one more: that of its last ended line,
  /// else that of `other`, else LF.
  func newline(besides other: UTF16Text) -> UTF16Text {
    let crlf: UTF16Text = "\r\n"
    guard lineCount > 1 else { return other.lastNewlineLength == 2 ? crlf : "\n" }
    return newlineLength(before: lineRange(lineCount - 1).location) == 2 ? crlf : "\n"
  }

  /// The replacement of everything from `start` on, in a text taken to end in one more newline:
  /// afterwards the added newline is taken off again, from the replacement's end or, where that
  /// is empty, from what stands before it.
  func replacingThroughLastNewline(from start: Int, with text: UTF16Text) -> EditAction {
    if text.isEmpty {
      let lower = start - newlineLength(before: start)
      return EditAction(replacing: UTF16Range(lower..<length), with: text)
    }
    let kept = UTF16Text(units: Array(text.units.dropLast(text.lastNewlineLength)))
    return EditAction(replacing: UTF16Range(start..<length), with: kept)
  }

  /// `action` without the units at both ends that it would replace by themselves.
  func trimming(_ action: EditAction) -> EditAction {
    guard let new = action.replacement, action.attributes == .inherit else { return action }
    let (old, new_) = (text(in: action.range).units, new.units)
    let shorter = min(old.count, new_.count)
    var front = 0
    while front < shorter, old[front] == new_[front] { front += 1 }
    if front > 0, UTF16.isLeadSurrogate(old[front - 1]) { front -= 1 }
    var back = 0
    while back < shorter - front, old[old.count - 1 - back] == new_[new_.count - 1 - back] {
      back += 1
    }
    if back > 0, UTF16.isTrailSurrogate(old[old.count - back]) { back -= 1 }
    let lower = action.range.location + front
    return EditAction(
      replacing: UTF16Range(lower..<action.range.upperBound - back),
      with: UTF16Text(units: Array(new_[front..<new_.count - back])))
  }
}

extension UTF16Text {
  /// Units of the newline at the end: 2 for CR LF, 1 for LF, else 0.
  var lastNewlineLength: Int {
    guard units.last == lineFeed else { return 0 }
    return count > 1 && units[count - 2] == carriageReturn ? 2 : 1
  }
}
