package import EditModel
package import TextState

private let lineFeed: UInt16 = 0x0A
private let carriageReturn: UInt16 = 0x0D

/// Newlines. Only LF ends a line here; `LSPLines` counts those of clients.
extension TextState {
  /// True if `offset` is between the two halves of a surrogate pair.
  func splitsSurrogatePair(at offset: Int) -> Bool {
    offset > 0 && offset < length && UTF16.isLeadSurrogate(self[offset - 1])
      && UTF16.isTrailSurrogate(self[offset])
  }

  /// True if the text ends in a newline.
  package var endsInNewline: Bool { length > 0 && self[length - 1] == lineFeed }

  /// The newline to add to this text, or to remove from it: CR LF if every line ends with CR LF,
  /// else LF. If the text has only one line, the lines of `other` decide. O(n).
  func newline(besides other: UTF16Text) -> UTF16Text {
    (lineCount > 1 ? text : other).endsLinesWithCRLF ? "\r\n" : "\n"
  }

  /// The edit that replaces everything from `start` to one newline after the end of the text. The
  /// text lacks that newline, so the result lacks one too: it is removed from the end of the
  /// replacement or, if that is empty, from the text before `start`. O(n).
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

  /// The edit that makes `other` of this text, from the first changed unit to the last. A newline at
  /// the end of both is outside of it: Neovim has no line after that newline, and moves an end of a
  /// range that is there to the line before. O(n).
  package func change(to other: UTF16Text) -> EditAction {
    let (old, new) = (text.units, other.units)
    let shared = [[carriageReturn, lineFeed], [lineFeed]].first {
      old.suffix($0.count).elementsEqual($0) && new.suffix($0.count).elementsEqual($0)
    }
    let last = shared?.count ?? 0
    return trimming(
      EditAction(
        replacing: UTF16Range(0..<old.count - last),
        with: UTF16Text(units: Array(new.dropLast(last)))))
  }

  /// `action` without the units at both ends that the replacement does not change.
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

extension TextState {
  /// The edit of whole lines that makes the same text, if there is one that removes or inserts as many units as
  /// `action`, and begins at the start of its line; else `action`. O(units that it removes or inserts + log n).
  func takingWholeLines(_ action: EditAction) -> EditAction {
    guard let new = action.replacement, action.attributes == .inherit,
      new.isEmpty ? !action.range.isEmpty : action.range.isEmpty && new.units.contains(lineFeed)
    else { return action }
    let start = action.range.location
    let lineStart = lineContentRange(line(at: start)).location
    let count = max(action.range.length, new.count)
    // The part of the line before the edit has no line end, and whole lines end with one.
    guard lineStart < start, count > start - lineStart else { return action }
    let head = UTF16Range(lineStart..<start)
    let units = text(in: head).units + (new.isEmpty ? text(in: action.range).units : new.units)
    guard units[count - 1] == lineFeed, units[..<head.length] == units[count...] else {
      return action
    }
    return new.isEmpty
      ? EditAction(replacing: UTF16Range(lineStart..<lineStart + count), with: "")
      : EditAction(
        replacing: UTF16Range(lineStart..<lineStart),
        with: UTF16Text(units: Array(units[..<count])))
  }
}

extension UTF16Text {
  /// True if the text ends in a newline.
  package var endsInNewline: Bool { !isEmpty && self[count - 1] == lineFeed }

  /// True if the text has a line end, and all line ends are CR LF.
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
  /// The number of units before the last newline. Returns nil if there is no newline at the end. A
  /// single LF counts as the newline even if `newline` is CR LF.
  fileprivate func withoutNewline(_ newline: [UInt16]) -> Int? {
    guard last == lineFeed else { return nil }
    return count - (suffix(newline.count).elementsEqual(newline) ? newline.count : 1)
  }
}
