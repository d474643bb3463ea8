import EditModel
import EditProtocol
import TextGrid
import TextState

// The panes beside the text: undo steps, the step, matches.
extension ScrubState {
  /// The steps in a pane of some rows, newest first, with that of the shown version in the middle.
  func stepRows(_ count: Int) -> ArraySlice<ShownUndoStep> {
    guard hasSteps, count > 0 else { return [] }
    let current = stepIndex ?? (goal == 0 ? 0 : steps.count - 1)
    let last = min(steps.count, max(current + 1 + count / 2, count))
    return ArraySlice(steps[max(0, last - count)..<last].reversed())
  }

  func drawSteps(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    let end = area.column + area.width - 1
    for row in 0..<area.height {
      frame.write(options.isUnicode ? "│" : "|", at: end, area.row + row, .dim)
    }
    guard hasSteps else {
      let line = outstanding.contains(.steps) ? "undo steps: loading ..." : "u loads the undo steps"
      frame.write(line, at: area.column + 1, area.row, end: end, .dim)
      return
    }
    let current = stepIndex.map { steps[$0].step }
    var day: String?
    for (index, step) in stepRows(area.height).enumerated() {
      let stepDay = step.time.map(clock.day)
      let isOtherDay = stepDay != nil && day != nil && stepDay != day
      day = stepDay ?? day
      draw(
        step, isCurrent: step.step == current, isOtherDay: isOtherDay, area, area.row + index, end,
        &frame)
    }
  }

  /// A step: `@` for the shown one, `o` for the others, `x` for those that are undone or on another
  /// branch. A step that does not continue the one before it says which it continues, and one that was
  /// made on another day than the step above it has its date.
  private func draw(
    _ step: ShownUndoStep, isCurrent: Bool, isOtherDay: Bool, _ area: ScrubArea, _ row: Int,
    _ end: Int,
    _ frame: inout ScrubFrame
  ) {
    let sign = isCurrent ? "@" : step.isUndone ? "x" : "o"
    let look: ScrubLook = isCurrent ? .bold : step.isUndone ? .dim : .plain
    let indent = step.isUndone ? 2 : 0
    var column = frame.write(sign, at: area.column + indent, row, end: end, look)
    column = frame.write(" \(step.step) ", at: column, row, end: end, .dim)
    if let time = step.time {
      let shown = isOtherDay ? clock.shortMoment(time) : clock.time(time)
      column = frame.write(shown + " ", at: column, row, end: end, look)
    }
    if let author = step.author {
      column = frame.write(
        author.shown, at: column, row, end: min(end, column + 8), writerLook(author))
      column = frame.write(" ", at: column, row, end: end)
    }
    if step.inserted > 0 {
      column = frame.write("+\(step.inserted)", at: column, row, end: end, ScrubLook(.added))
    }
    if step.deleted > 0 {
      column = frame.write(" -\(step.deleted)", at: column, row, end: end, ScrubLook(.deleted))
    }
    if step.parent != step.step - 1 {
      frame.write(" after \(step.parent)", at: column, row, end: end, .dim)
    }
  }

  func drawDetails(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    let (left, end) = (area.column + 2, area.column + area.width)
    for row in 0..<area.height {
      frame.write(options.isUnicode ? "│" : "|", at: area.column, area.row + row, .dim)
    }
    let version = cursor?.sequence ?? goal
    guard let edit = window[version] else { return }
    let (first, last) = (stepStart(version), stepEnd(version))
    var lines: [(String, ScrubLook)] = [
      ("edit \(version.grouped)", .bold), (clock.moment(edit.time), .plain),
      (timeStyle == .absolute ? "" : "\(clock.age(edit.time)) ago", .plain),
      (edit.author?.shown ?? Self.unknownAuthor, writerLook(edit.author)),
      (edit.origin.name, .plain),
      (
        first == last ? "a step of one edit" : "step: edits \(first.grouped) to \(last.grouped)",
        .plain
      ),
    ]
    if let shown {
      lines.append(("+\(shown.added.grouped) -\(shown.deleted.grouped) units", .plain))
      if shown.isCut { lines.append(("some changes are not shown", ScrubLook(.warning))) }
    }
    if let text = edit.text, !text.isEmpty {
      lines.append(("inserted:", .dim))
      lines.append((String(text), ScrubLook(.added)))
    }
    if let removed = edit.removed, !removed.isEmpty {
      lines.append(("removed:", .dim))
      lines.append((String(removed), ScrubLook(.deleted)))
    }
    if !edit.attributeNames.isEmpty {
      lines.append(("formats: " + edit.attributeNames.map(\.shown).joined(separator: ", "), .plain))
    }
    for (index, line) in lines.filter({ !$0.0.isEmpty }).prefix(area.height).enumerated() {
      frame.write(Self.onOneLine(line.0), at: left, area.row + index, end: end, line.1)
    }
  }

  /// Text with its line breaks as pictures.
  private static func onOneLine(_ text: String, limit: Int = 1_000) -> String {
    String(
      text.prefix(limit).map { character -> Character in
        switch character {
        case "\n", "\r", "\r\n", "\u{2029}": "\u{2424}"
        case "\t": " "
        default: character
        }
      })
  }

  /// The first match that is listed in some rows, the title among them.
  func firstMatch(_ list: FoundList, _ height: Int) -> Int {
    let room = max(1, height - 1)
    return min(max(0, list.selected - room / 2), max(0, list.matches.count - room))
  }

  func drawMatches(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    guard let found else { return }
    frame.fill(area.row, look: .title)
    let more =
      found.count > found.matches.count ? " (the first \(found.matches.count.grouped))" : ""
    frame.write(
      " \(found.count.grouped) \(found.count == 1 ? "match" : "matches") of \(found.pattern.shown)\(more)",
      at: 0, area.row,
      end: size.columns, .title)
    let first = firstMatch(found, area.height)
    for index in 0..<area.height - 1 where found.matches.indices.contains(first + index) {
      let (match, row) = (found.matches[first + index], area.row + 1 + index)
      let isSelected = first + index == found.selected
      let fate = match.vanished == nil ? "now    " : "deleted"
      var column = frame.write(isSelected ? "> " : "  ", at: 0, row, .bold)
      column = frame.write(
        fate, at: column, row, match.vanished == nil ? ScrubLook(.added) : ScrubLook(.deleted))
      column = frame.write(" @\(match.place.version)", at: column, row, end: size.columns, .dim)
      let stamp = match.vanished ?? match.appeared
      if let time = stamp.time {
        column = frame.write("  \(clock.moment(time))", at: column, row, end: size.columns)
      }
      if let author = stamp.author {
        column = frame.write(
          "  \(author.shown)", at: column, row, end: size.columns, writerLook(author))
      }
      frame.write(
        "  " + Self.onOneLine(String(match.lastContext)), at: column, row, end: size.columns,
        isSelected ? .bold : .plain)
    }
  }

  // MARK: - Whole screens

  /// Draws lines on the whole screen.
  func draw(_ lines: [String], from first: Int, title: String, _ frame: inout ScrubFrame) {
    for (index, line) in lines.dropFirst(first).prefix(max(0, size.rows - 1)).enumerated() {
      frame.write(line, at: 0, index, end: size.columns)
    }
    frame.write(title, at: 0, size.rows - 1, end: size.columns, .title)
    frame.caret = (0, size.rows - 1)
  }

  /// The lines of a diff in rows of the screen: long lines are wrapped, and keep their sign. A line of very
  /// many rows is cut, and a row says so.
  func questionRows(_ lines: [String]) -> [(sign: Character?, text: String)] {
    let width = max(1, size.columns - 1)
    return lines.flatMap { line -> [(sign: Character?, text: String)] in
      let text = line.dropFirst()
      return wrapped(String(text), width: width, rowsMax: Self.wrapMax + 1).map {
        (sign: line.first, text: $0)
      }
    }
  }

  /// A text in rows of some cells, broken where lines may end. If there are more than `rowsMax`, the last
  /// one says so.
  func wrapped(_ text: String, width: Int, rowsMax: Int) -> [String] {
    guard text.utf8.count > width else { return [text] }
    let state = TextState(showing: UTF16Text(Self.onOneLine(text, limit: .max)))
    // A layout keeps the rows of paragraphs by their identifiers, and each text is another one.
    var layout = GridLayout(options: .screen(width: max(1, width)))
    let rows = layout.rows(from: .first, count: rowsMax + 1, of: state).map { row in
      row.fragments.map(\.shown).joined()
    }
    guard rows.count > rowsMax else { return rows }
    return rows.prefix(max(0, rowsMax - 1)) + ["… the rest of this line is not shown"]
  }

  /// How an author is shown that no edit names.
  static let unknownAuthor = "unknown"

  /// Rows of one line of a diff, at most.
  private static let wrapMax = 200

  /// Draws the diff of a restore, and the question.
  func drawQuestion(
    _ question: RestoreQuestion, from first: Int, _ frame: inout ScrubFrame
  ) {
    let room = max(0, size.rows - 2)
    let rows = questionRows(question.lines)
    for (index, row) in rows.dropFirst(first).prefix(room).enumerated() {
      let look: ScrubLook =
        switch row.sign {
        case "+": ScrubLook(.added)
        case "-": ScrubLook(.deleted)
        case "@": ScrubLook(.accent)
        default: .plain
        }
      frame.write(row.sign.map { String($0) } ?? "", at: 0, index, look)
      frame.write(Self.onOneLine(row.text), at: 1, index, end: size.columns, look)
    }
    let what =
      switch question.restore {
      case .version(let version): "all of version \(version.grouped)"
      case .paragraph(let version, _): "this paragraph of version \(version.grouped)"
      case .lines(let version, _): "these lines of version \(version.grouped)"
      }
    if size.rows > 1 {
      let more = rows.count - first - room
      let place = more > 0 ? "\(more.grouped) more lines: space" : "the end of the changes"
      let notes = question.fileProblem?.notes ?? []
      let line = notes.map { "\(place); \($0)" }.first { $0.count <= size.columns }
      frame.write(line ?? place, at: 0, size.rows - 2, end: size.columns, .dim)
    }
    // On a narrow screen the keys stay visible.
    let keys =
      question.file == nil ? "y n " : "y: history only, w: also the file \(question.file ?? ""), n "
    let short = question.file == nil ? keys : "y w(rite the file) n "
    let text = ["restore \(what)? \(keys)", "restore \(what)? \(short)", "restore? \(short)"]
    let column = frame.write(
      text.first { $0.count < size.columns } ?? "restore? y w n ", at: 0, size.rows - 1,
      end: size.columns, .bold)
    frame.caret = (column, size.rows - 1)
  }
}

extension ScrubAnswer.FileProblem {
  /// What is said about it, the longest first.
  var notes: [String] {
    switch self {
    case .open: ["no w, as an editor has the file open", "no w: open in an editor"]
    case .changed:
      ["no w, as the file has another text than the newest version", "no w: the file differs"]
    }
  }
}
