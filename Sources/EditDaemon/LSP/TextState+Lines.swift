import EditModel
import TextState

private let lineFeed: UInt16 = 0x0A
private let carriageReturn: UInt16 = 0x0D

/// Questions about newlines, where only LF ends a line.
extension TextState {
  /// True where the units before and behind `offset` are the halves of one surrogate pair.
  func partsPair(at offset: Int) -> Bool {
    offset > 0 && offset < length && UTF16.isLeadSurrogate(self[offset - 1])
      && UTF16.isTrailSurrogate(self[offset])
  }

  /// True where the text ends in a newline.
  var endsInNewline: Bool { length > 0 && self[length - 1] == lineFeed }

  /// The newline of this document, for one that is to be added or taken off: CR LF where every
  /// line of the text ends so, else LF; by the lines of `other` where the text has only one.
  /// O(n).
  func newline(besides other: UTF16Text) -> UTF16Text {
    (lineCount > 1 ? text : other).endsLinesWithCRLF ? "\r\n" : "\n"
  }

  /// The replacement of everything from `start` on, in a text taken to end in one more newline:
  /// afterwards the added newline is taken off again, from the replacement's end or, where that
  /// is empty, from what stands before it. O(n).
  func replacingThroughLastNewline(from start: Int, with text: UTF16Text) -> EditAction {
    let newline = newline(besides: text).units
    if text.isEmpty {
      let before = self.text(in: UTF16Range(max(0, start - newline.count)..<start)).units
      let lower = start - (before.withoutNewline(newline).map { before.count - $0 } ?? 0)
      return EditAction(replacing: UTF16Range(lower..<length), with: text)
    }
    let count = text.units.withoutNewline(newline) ?? text.count
    let kept = UTF16Text(units: Array(text.units[..<count]))
    return EditAction(replacing: UTF16Range(start..<length), with: kept)
  }

  /// `action` without the units at both ends that it would replace by themselves.
  func trimming(_ action: EditAction) -> EditAction {
    guard let replacement = action.replacement, action.attributes == .inherit else { return action }
    let (old, new) = (text(in: action.range).units, replacement.units)
    let shorter = min(old.count, new.count)
    var front = 0
    while front < shorter, old[front] == new[front] { front += 1 }
    if front > 0, UTF16.isLeadSurrogate(old[front - 1]) { front -= 1 }
    var back = 0
    while back < shorter - front, old[old.count - 1 - back] == new[new.count - 1 - back] {
      back += 1
    }
    if back > 0, UTF16.isTrailSurrogate(old[old.count - back]) { back -= 1 }
    let lower = action.range.location + front
    return EditAction(
      replacing: UTF16Range(lower..<action.range.upperBound - back),
      with: UTF16Text(units: Array(new[front..<new.count - back])))
  }
}

extension UTF16Text {
  /// True where the text ends in a newline.
  var endsInNewline: Bool { !isEmpty && self[count - 1] == lineFeed }

  /// True where there is a line end and every line ends with CR LF.
  fileprivate var endsLinesWithCRLF: Bool {
    var (before, found): (UInt16, Bool) = (0, false)
    for unit in units {
      if unit == lineFeed {
        guard before == carriageReturn else { return false }
        found = true
      }
      before = unit
    }
    return found
  }
}

extension [UInt16] {
  /// How many units stay where the last newline is taken off; nil where there is none. A LF goes
  /// even where CR LF is expected.
  fileprivate func withoutNewline(_ newline: [UInt16]) -> Int? {
    guard last == lineFeed else { return nil }
    return count - (suffix(newline.count).elementsEqual(newline) ? newline.count : 1)
  }
}
