import EditModel
import TextState

// What the keys act on: the selected lines, or the place of the user. Deleted text that is shown is in neither.
extension ScrubState {
  // MARK: - Deleted text

  /// True if the line with the place of the user is deleted text: what the version has there is another line.
  var isPlaceDeleted: Bool { deletedLine != nil }

  /// The line of the shown text with the place of the user, counted from 0; nil unless it is deleted text.
  var deletedLine: Int? {
    guard showsDeleted, let shown else { return nil }
    let line = shown.text.line(at: min(placeOffset(in: shown), shown.text.length))
    return shown.isDeleted(line: line) ? line : nil
  }

  /// Says that a key does nothing on deleted text, and where that text can be found.
  mutating func refuseDeleted() {
    let hasOtherSteps = anchor != nil || paragraph != nil || author != nil
    let base = shownKey?.base.map { ":\($0)" } ?? "h"
    message =
      "this text is deleted here: \(hasOtherSteps ? base : "h") goes to the version that has it"
  }

  /// What restores the paragraph at the place of the user; nil if it is deleted text whose version is not known.
  var paragraphRestore: ScrubRestore? {
    guard let line = deletedLine else { return .paragraph(at: goal, offset: place) }
    guard let shown, let base = shownKey?.base, shownKey?.version == goal,
      let offset = shown.originalOffset(ofLine: line)
    else { return nil }
    return .paragraph(at: base, offset: offset)
  }

  // MARK: - Selected lines

  mutating func toggleSelection() {
    guard selectedRows == nil else {
      selectionStart = nil
      message = "nothing is selected"
      return
    }
    guard let cursor, cursor.sequence == goal else { return }
    selectionStart = (goal, place, placeInset)
    message = "j and k select lines from here; r s restores them, y copies them, v selects none"
  }

  /// The selected lines of the shown text, counted from 0, deleted ones among them; nil if none are selected.
  private var selectedRows: ClosedRange<Int>? {
    guard let selectionStart, let shown, let cursor, goal == selectionStart.version,
      cursor.sequence == goal
    else { return nil }
    let start = shown.offset(of: min(selectionStart.place, cursor.text.length))
    let offsets = [start - selectionStart.inset, placeOffset(in: shown)].sorted()
    let lines = offsets.map { shown.text.line(at: min(max(0, $0), shown.text.length)) }
    return lines[0]...max(lines[0], lines[1])
  }

  /// True if lines are selected, and all of them are deleted text.
  var hasOnlyDeletedSelected: Bool { selectedRows != nil && selectedLines == nil }

  /// The range of the selected lines, in the shown version, without deleted lines at their beginning and their end.
  /// Nil if none are selected in it.
  var selectedLines: UTF16Range? {
    guard let rows = selectedRows, let shown, let text = cursor?.text,
      let first = rows.first(where: { !shown.isDeleted(line: $0) }),
      let last = rows.last(where: { !shown.isDeleted(line: $0) })
    else { return nil }
    let lines = [first, last].map { row in
      text.lineRange(text.line(at: shown.place(of: shown.text.lineRange(row).location)))
    }
    return UTF16Range(lines[0].location..<lines[1].upperBound)
  }

  /// The number of the selected lines of the shown version; nil if none are selected, not even deleted ones.
  var selectedLineCount: Int? {
    guard let cursor, selectedRows != nil else { return nil }
    guard let lines = selectedLines else { return 0 }
    let last = max(lines.location, lines.upperBound - 1)
    return cursor.text.line(at: last) - cursor.text.line(at: lines.location) + 1
  }

  /// Copies the selected lines, or the paragraph with the place of the user.
  mutating func copy() {
    guard let cursor else { return }
    let lines = selectedLines
    if hasOnlyDeletedSelected || lines == nil && isPlaceDeleted { return refuseDeleted() }
    let index = cursor.text.paragraphIndex(at: min(place, cursor.text.length))
    let range = lines ?? cursor.text.paragraph(at: index).range
    // Terminals refuse longer texts.
    let text = cursor.text.text(
      in: UTF16Range(range.location..<range.location + min(range.length, 65_536)))
    tell(.copy(String(text)))
    let count = String(text).count
    message =
      "copied \(count.grouped) \(count == 1 ? "character" : "characters"), if the terminal allows it"
  }
}
