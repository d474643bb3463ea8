import EditJSON
import EditModel
import EditProtocol
import TextState

/// A recording of a terminal in which the text appears as it was edited (asciicast, version 2).
///
/// Each frame draws the rows that differ from the frame before. Edits less than a frame apart share one. The
/// window follows the place of the edit. At most the window's units are read for a frame, however long the
/// text and its lines are.
struct TerminalRecording {
  /// The columns and the rows of the terminal. The last row says which version it is.
  static let (width, height) = (80, 24)
  /// Nanoseconds of a frame: a thirtieth of a second.
  private static let frameLength: Int64 = 33_333_333

  private(set) var state: TextState
  private var shown: [String] = []
  /// The first unit of the window, at the start of a row.
  private var top = 0
  private var start: Timestamp?
  private var pending: Edit?
  private let title: String
  /// The number of edits.
  private(set) var count = 0
  /// The number of frames.
  private(set) var frameCount = 0
  /// True if a frame had a lone surrogate, which UTF-8 cannot have.
  private(set) var hasLoneSurrogates = false

  /// A recording of a document from a version on.
  init(document: String, from state: TextState) {
    (title, self.state) = (Excerpt.name(document, width: 30), state)
  }

  /// The first line: what the file is.
  func header(_ time: Timestamp?) -> [UInt8] {
    let head: JSON = [
      "version": 2, "width": JSON(Self.width), "height": JSON(Self.height),
      "timestamp": .integer(time?.wholeSeconds ?? 0), "idle_time_limit": 2, "title": JSON(title),
      "env": ["TERM": "xterm-256color"],
    ]
    return head.serialized() + [0x0A]
  }

  /// Applies an edit. Returns the frame before it, if that has ended.
  ///
  /// - Throws: `EditError` if it does not fit the text.
  mutating func add(_ edit: Edit) throws(EditError) -> [UInt8]? {
    let began = start ?? edit.time
    start = began
    var frame: [UInt8]?
    if let pending, edit.time.nanoseconds - pending.time.nanoseconds >= Self.frameLength {
      frame = draw(pending, began)
    }
    try state.apply(edit.action)
    pending = edit
    count += 1
    return frame
  }

  /// The last frame.
  mutating func finish() -> [UInt8]? {
    guard let pending, let start else { return nil }
    return draw(pending, start)
  }

  private mutating func draw(_ edit: Edit, _ start: Timestamp) -> [UInt8] {
    let caret = edit.action.editedRange.upperBound
    var rows = rows(around: min(caret, state.length))
    let place = rows.caret
    let author = edit.author.map { "  " + Excerpt.name($0, width: 20) } ?? ""
    rows.lines.append(
      "\u{1B}[7m"
        + Excerpt.cut(
          "\(title) @\(edit.sequence)  \(edit.time.rfc3339.prefix(19))\(author)", to: Self.width
        )
        .padded(to: Self.width) + "\u{1B}[0m")
    var output = shown.isEmpty ? "\u{1B}[?25h\u{1B}[2J" : ""
    for (index, line) in rows.lines.enumerated()
    where index >= shown.count || !shown[index].isExactly(line) {
      // The row is erased first: after its last column a terminal would erase that.
      output += "\u{1B}[\(index + 1);1H\u{1B}[2K\(line)"
    }
    output += "\u{1B}[\(place.row + 1);\(place.column + 1)H"
    shown = rows.lines
    frameCount += 1
    let time = Double(edit.time.nanoseconds - start.nanoseconds) / 1e9
    let event: JSON = [.double((time * 1000).rounded() / 1000), "o", JSON(output)]
    return event.serialized() + [0x0A]
  }

  /// The rows of the window, and the place of the caret in it. The window moves if the caret is outside.
  private mutating func rows(
    around caret: Int
  ) -> (lines: [String], caret: (row: Int, column: Int)) {
    let rowMax = Self.height - 1
    if top > state.length || caret < top { top = rowStart(before: caret, rows: 8) }
    if let found = lay(caret, rowMax) { return found }
    // Characters that are wide, or that are shown by their codes, take more rows than their units say.
    for rows in [8, 2, 0] {
      top = rowStart(before: caret, rows: rows)
      if let found = lay(caret, rowMax) { return found }
    }
    return ([String](repeating: "", count: rowMax), (0, 0))
  }

  /// The start of a line, or of a row of a long line, some rows before a place, as if each unit took a column.
  /// O(rows).
  private func rowStart(before offset: Int, rows: Int) -> Int {
    var line = state.line(at: offset)
    var start = state.lineRange(line).location
    var (count, left) = ((offset - start) / Self.width, rows)
    while count < left, line > 0 {
      left -= count + 1
      line -= 1
      let range = state.lineRange(line)
      (start, count) = (range.location, range.length / Self.width)
    }
    let place = start + max(0, count - left) * Self.width
    // A pair of surrogates is one character.
    let isInPair =
      place > start && place < state.length && UTF16.isTrailSurrogate(state[place])
      && UTF16.isLeadSurrogate(state[place - 1])
    return isInPair ? place - 1 : place
  }

  /// The rows from `top` on; nil if the caret is not in them.
  private mutating func lay(
    _ caret: Int, _ rowMax: Int
  ) -> (lines: [String], caret: (row: Int, column: Int))? {
    let end = min(state.length, top + rowMax * Self.width * 2)
    let units = state.text(in: UTF16Range(top..<end)).units
    var (lines, line, columns) = ([String](), "", 0)
    var place: (row: Int, column: Int)?
    var index = 0
    while index < units.count, lines.count < rowMax {
      if top + index >= caret, place == nil { place = (lines.count, min(columns, Self.width - 1)) }
      let isPair =
        UTF16.isLeadSurrogate(units[index]) && index + 1 < units.count
        && UTF16.isTrailSurrogate(units[index + 1])
      if !isPair, UTF16.isSurrogate(units[index]) { hasLoneSurrogates = true }
      let next = index + (isPair ? 2 : 1)
      if units[index] == 0x0A {
        lines.append(line)
        (line, columns) = ("", 0)
      } else if units[index] != 0x0D || next >= units.count || units[next] != 0x0A {
        let character = Excerpt.line(
          String(decoding: units[index..<next], as: UTF16.self), width: nil)
        let text = units[index] == 0x09 ? "  " : character
        let width = text.displayWidth
        if columns + width > Self.width {
          lines.append(line)
          (line, columns) = ("", 0)
        }
        if lines.count < rowMax {
          line += text
          columns += width
        }
      }
      index = next
    }
    if lines.count < rowMax {
      if place == nil, caret <= top + units.count {
        place = (lines.count, min(columns, Self.width - 1))
      }
      lines.append(line)
    }
    guard let place, place.row < rowMax else { return nil }
    lines += [String](repeating: "", count: max(0, rowMax - lines.count))
    return (lines, place)
  }
}
