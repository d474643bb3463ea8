import EditModel
import EditProtocol
import TextGrid
import TextState

// The frame of a screen.
extension ScrubState {
  /// The cells to show now. Only the rows of the text that are in view are laid out.
  package func frame() -> ScrubFrame {
    var frame = ScrubFrame(size)
    let areas = areas
    if case .help(let first) = mode {
      let lines = HelpLines.lines(columns: size.columns)
      let first = min(first, helpEnd)
      draw(
        lines, from: first, title: HelpLines.footer(from: first, of: lines.count, size), &frame)
      return frame
    }
    if case .confirm(let question, let first) = mode {
      drawQuestion(question, from: first, &frame)
      return frame
    }
    drawText(areas, &frame)
    if size.isRoomy {
      drawTitle(&frame)
      if let area = areas.steps { drawSteps(area, &frame) }
      if let area = areas.details { drawDetails(area, &frame) }
      if let area = areas.matches { drawMatches(area, &frame) }
      if let area = areas.timeline { drawTimeline(area, &frame) }
      if let row = areas.state { drawState(row, &frame) }
    }
    drawKeys(areas.keys, &frame)
    return frame
  }

  // MARK: - Text

  private func drawText(_ areas: ScrubAreas, _ frame: inout ScrubFrame) {
    let area = areas.text
    guard let shown, cursor != nil else {
      if area.height > 0 { frame.write(Self.loading, at: area.column, area.row, .dim) }
      return
    }
    let placeOffset = placeOffset(in: shown)
    let rows = rowsInView()
    let selected = selectedLines
    var writer: SequenceNumber?
    for (index, row) in rows.enumerated() {
      let y = area.row + index
      let isPlace = isPlace(row, placeOffset, shown.text.length, isLast: index == rows.count - 1)
      let start = area.column + areas.gutter
      if areas.gutter > 2, let units = row.units {
        drawWriter(of: units, shown, at: area.column + 2, y, &writer, &frame)
      }
      if areas.gutter >= 2 {
        let isSelected = isSelected(row, selected, shown)
        let sign = isPlace ? ">" : isSelected ? "*" : isChanged(row, shown) ? "|" : " "
        frame.write(sign, at: area.column, y, isPlace ? .bold : ScrubLook(.accent))
      }
      for fragment in row.fragments {
        draw(fragment, shown, at: start + fragment.column, y, end: start + areas.textWidth, &frame)
      }
      if isPlace {
        let cell = row.fragments.first?.cell(at: placeOffset) ?? 0
        frame.caret = (start + cell, y)
      }
    }
    if areas.gutter > 2, slowParts.contains(.writers), blame?.at != cursor?.sequence {
      frame.write(Self.loading, at: area.column + 2, area.row, .dim)
    }
  }

  /// Shown in a part of the screen that waits for its answer.
  static let loading = "loading ..."

  private func isPlace(_ row: GridRow, _ offset: Int, _ length: Int, isLast: Bool) -> Bool {
    guard let units = row.units else { return row.kind == .extra && offset == length }
    return offset >= units.location && offset < units.upperBound
      || offset == length && units.upperBound == length && row.kind != .more
        && (units.isEmpty || isLast)
  }

  private func isSelected(_ row: GridRow, _ selected: UTF16Range?, _ shown: ShownText) -> Bool {
    guard let units = row.units, let selected else { return false }
    let place = shown.place(of: units.location)
    return selected.location <= place && place < selected.upperBound
      && !shown.isDeleted(line: shown.text.line(at: units.location))
  }

  private func isChanged(_ row: GridRow, _ shown: ShownText) -> Bool {
    guard let units = row.units else { return false }
    let index = shown.firstStretch(after: units.location)
    return index < shown.stretches.count
      && shown.stretches[index].range.location < units.upperBound
  }

  private func draw(
    _ fragment: GridFragment, _ shown: ShownText, at column: Int, _ row: Int, end: Int,
    _ frame: inout ScrubFrame
  ) {
    var index = shown.firstStretch(after: fragment.units.location)
    for cluster in fragment.clusters where !cluster.cells.isEmpty {
      while index < shown.stretches.count,
        shown.stretches[index].range.upperBound <= cluster.units.location
      {
        index += 1
      }
      var kind: ShownText.Kind?
      if index < shown.stretches.count,
        shown.stretches[index].range.location < cluster.units.upperBound
      {
        kind = shown.stretches[index].kind
      }
      frame.write(cluster, at: column, row, end: end, look(kind, cluster.units, shown))
      if kind == .deleted, options.isColoured {
        frame.strike(column + cluster.cells.lowerBound..<column + cluster.cells.upperBound, row)
      }
    }
  }

  private func look(_ kind: ShownText.Kind?, _ units: UTF16Range, _ shown: ShownText) -> ScrubLook {
    if let match = selectedMatch, units.location >= shown.offset(of: match.location),
      units.location < shown.offset(of: match.location + match.length)
    {
      return ScrubLook(.accent, reversed: true)
    }
    return switch kind {
    case .added: ScrubLook(.added, bold: !options.isColoured, underlined: !options.isColoured)
    case .deleted, .deletedSign: ScrubLook(.deleted, dim: !options.isColoured)
    case .addedSign: ScrubLook(.added)
    case nil: .plain
    }
  }

  /// The range of the selected match, if its version is shown.
  private var selectedMatch: UTF16Range? {
    guard let found, found.matches.indices.contains(found.selected) else { return nil }
    let match = found.matches[found.selected]
    let (version, location) = match.place
    guard let cursor, version == cursor.sequence, location <= cursor.text.length else { return nil }
    return UTF16Range(location..<location + match.text.count)
  }

  /// Writes who wrote a row, and when, unless it is the same edit as the row before.
  private func drawWriter(
    of units: UTF16Range, _ shown: ShownText, at column: Int, _ row: Int,
    _ last: inout SequenceNumber?, _ frame: inout ScrubFrame
  ) {
    let end = column + ScrubAreas.blameWidth - 2
    frame.write(options.isUnicode ? "│" : "|", at: end, row, .dim)
    guard let blame, blame.at == cursor?.sequence else { return }
    let place = shown.place(of: units.location)
    let index = blame.pieces.partitionPoint { $0.range.upperBound <= place }
    guard index < blame.pieces.count, blame.pieces[index].range.location <= place else { return }
    let stamp = blame.pieces[index].stamp
    defer { last = stamp.sequence }
    guard stamp.sequence != last else { return }
    // Exact times do not fit beside the text; the number leads to them.
    let age =
      timeStyle == .absolute
      ? "@\(stamp.sequence)" : stamp.time.map { clock.age($0) } ?? ""
    let name = stamp.author ?? Self.unknownAuthor
    frame.write(name.shown, at: column, row, end: column + 12, writerLook(stamp.author))
    frame.write(age, at: end - 1 - age.count, row, .dim)
  }

  /// The colour of an author: the same in all frames, whatever is shown.
  func writerLook(_ author: String?) -> ScrubLook {
    guard let author else { return .dim }
    var sum: UInt32 = 2_166_136_261
    // FNV-1a, which is the same in each run.
    for byte in author.utf8 { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return ScrubLook(.writer(Int(sum % 6)))
  }

  // MARK: - Title and state

  private func drawTitle(_ frame: inout ScrubFrame) {
    frame.fill(0, look: .title)
    let version = cursor?.sequence ?? goal
    let end = size.columns
    var right: [String] = []
    if showsDeleted { right.append(anchor.map { "DIFF @\($0.sequence)" } ?? "DIFF") }
    if isForgotten {
      right.append("FORGOTTEN")
    } else if isDaemonLost {
      right.append("NO DAEMON")
    } else if isBusy {
      right.append("busy")
    }
    if isFollowing { right.append("LIVE") }
    if latest > seen, !isFollowing { right.append("+\((latest - seen).grouped) new") }
    let tail = right.joined(separator: "  ")
    let tailColumn = max(0, end - tail.count - 1)
    // The name of a file stays whole, if there is room for it.
    let file = name.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? name
    let nameEnd = max(8, tailColumn - 40, min(frame.cells(of: file) + 4, tailColumn - 12))
    var column = frame.write(
      shortened(name, to: nameEnd - 1, frame), at: 1, 0, end: nameEnd,
      ScrubLook(bold: true, reversed: true))
    column = frame.write(" @\(version)", at: column, 0, end: tailColumn, .title)
    // Without a tail, the fields may use the whole row.
    let room = (tail.isEmpty ? end : tailColumn - 2) - column
    if let line = titleFields(of: version).first(where: { frame.cells(of: $0) <= room }) {
      frame.write(line, at: column, 0, end: end, .title)
    }
    frame.write(tail, at: tailColumn, 0, ScrubLook(bold: true, reversed: true))
  }

  /// A name in a number of cells: of a longer one, the end, where a path has the name of its file.
  private func shortened(_ name: String, to cells: Int, _ frame: ScrubFrame) -> String {
    guard frame.cells(of: name) > cells else { return name }
    var end = name.suffix(max(0, cells - ellipsis.count))
    while !end.isEmpty, frame.cells(of: ellipsis + end) > cells { end.removeFirst() }
    return ellipsis + end
  }

  /// The sign of text that is left out.
  private var ellipsis: String { options.isUnicode ? "…" : "..." }

  /// The title texts for a version, longest first. Each has whole fields, so the first that fits needs no cut.
  private func titleFields(of version: SequenceNumber) -> [String] {
    guard version > 0 else { return ["  the empty document, before the first edit", "  empty"] }
    guard let edit = window[version] else { return [] }
    let moments =
      timeStyle == .both
      ? [moment(edit.time), clock.moment(edit.time)] : [moment(edit.time)]
    let author = edit.author.map { "  " + $0.shown } ?? ""
    let origin = "  " + edit.origin.name
    return moments.map { "  " + $0 + author + origin } + moments.map { "  " + $0 + author }
      + moments.map { "  " + $0 } + [author]
  }

  /// A time in the style that the user chose.
  func moment(_ time: Timestamp) -> String {
    switch timeStyle {
    case .both: "\(clock.moment(time)) (\(clock.age(time)) ago)"
    case .absolute: clock.moment(time)
    case .relative: "\(clock.age(time)) ago"
    }
  }

  private func drawState(_ row: Int, _ frame: inout ScrubFrame) {
    frame.write(stateLine(frame), at: 1, row, end: size.columns - 1)
  }

  /// What the row of the state says: whole parts, as many as fit.
  private func stateLine(_ frame: ScrubFrame) -> String {
    var parts = stateParts(namesAuthor: true)
    func line() -> String { parts.map(\.text).joined(separator: "   ") }
    func fits() -> Bool { frame.cells(of: line()) <= size.columns - 2 }
    if !fits() { parts = stateParts(namesAuthor: false) }
    while parts.count > 1, !fits(), let last = parts.map(\.order).max() {
      parts.removeAll { $0.order == last }
    }
    return line()
  }

  /// The parts of the row of the state. Those with a higher number are left out first on a narrow screen.
  private func stateParts(namesAuthor: Bool) -> [(text: String, order: Int)] {
    let version = cursor?.sequence ?? goal
    let idle = idleCap.map { "idle<=\($0 == 2 ? "2" : "0.5")s" } ?? "idle played"
    var parts = [
      (text: "\(speedLabel) \(idle)", order: playing == nil ? 7 : 5),
      ("edit \(version.grouped) of \(latest.grouped)", 1),
    ]
    if let index = stepIndex {
      parts.append(("step \((index + 1).grouped) of \(steps.count.grouped)", 6))
    }
    if let shown, shown.added + shown.deleted > 0 || shown.isCut {
      let author = namesAuthor ? window[version]?.author.map { $0.shown + " " } ?? "" : ""
      parts.append(("\(author)+\(shown.added.grouped) -\(shown.deleted.grouped)", 2))
    }
    if let selectionLabel { parts.append(("\(selectionLabel) selected", 3)) }
    if paragraph != nil { parts.append(("one paragraph", 4)) }
    if let author { parts.append(("only \(author.shown)", 4)) }
    if !digits.isEmpty { parts.append((digits, 0)) }
    return parts
  }

  /// Whether the history plays, and how fast.
  private var speedLabel: String {
    let isPlaying = playing != nil
    let sign = isPlaying ? (options.isUnicode ? "▶" : ">") : (options.isUnicode ? "‖" : "=")
    return "\(sign) " + (speed < 1 ? "1/\(Int(1 / speed))x" : "\(Int(speed))x")
  }

  /// How many lines are selected; nil if none are.
  private var selectionLabel: String? {
    selectedLineCount.map { "\($0.grouped) \($0 == 1 ? "line" : "lines")" }
  }

  /// The only line beside the text on a small screen: the version, and the parts that fit.
  private var narrowLine: String {
    let version = cursor?.sequence ?? goal
    let line = "@\(version)/\(latest)"
    return [playing.map { _ in [speedLabel] }, selectionLabel.map { [$0] }, ["? help", "?"]]
      .reduce(line) { line, forms in
        let longer = (forms ?? []).lazy.map { line + " " + $0 }
        return longer.first { $0.count <= size.columns } ?? line
      }
  }

  /// The index of the undo step with the shown version; nil if the steps are not known.
  var stepIndex: Int? {
    let version = cursor?.sequence ?? goal
    let index = steps.partitionPoint { $0.last < version }
    return hasSteps && index < steps.count && version > 0 ? index : nil
  }

  private func drawKeys(_ row: Int, _ frame: inout ScrubFrame) {
    let end = size.columns
    switch mode {
    case .prompt(let kind, let text):
      var label = kind.label
      if kind == .search {
        label = searchFate.map { $0 == .living ? "/ now: " : "/ deleted: " } ?? "/ both: "
      }
      // The end of a long line is what is typed at.
      let room = max(1, end - label.count - 2)
      let column = frame.write(
        label + String(text.suffix(room)), at: 0, row, end: end, .bold)
      frame.caret = (column, row)
    case .restoreMenu:
      drawMessage(restoreChoices, row, &frame)
    default:
      if let waitingLine {
        drawMessage(waitingLine, row, &frame)
      } else if let message {
        drawMessage(message, row, &frame)
      } else if isDaemonLost {
        drawMessage(Self.daemonIsGone, row, &frame)
      } else if size.isRoomy {
        frame.write(hint, at: 0, row, end: end, .dim)
      } else if let narrowMatchLine {
        frame.write(narrowMatchLine, at: 0, row, end: end, .title)
      } else {
        frame.write(narrowLine, at: 0, row, end: end, .title)
      }
    }
  }

  /// Draws a message whole, if the screen has room for it: one that is too long for its row takes the rows above too.
  private func drawMessage(_ message: String, _ row: Int, _ frame: inout ScrubFrame) {
    let lines = messageLines(message, rowsMax: row + 1, frame)
    for (index, line) in lines.enumerated() {
      let y = row - lines.count + 1 + index
      frame.fill(y, look: .plain)
      frame.write(line, at: 0, y, end: size.columns, .bold)
    }
  }

  /// The lines of a message. One that is longer than `rowsMax` lines ends with an ellipsis.
  private func messageLines(_ message: String, rowsMax: Int, _ frame: ScrubFrame) -> [String] {
    let lines = wrapped(message, width: size.columns, rowsMax: rowsMax + 1)
    guard lines.count > rowsMax, rowsMax > 0 else { return lines }
    var last = lines[rowsMax - 1][...]
    while last.last == " " { last.removeLast() }
    while !last.isEmpty,
      last.count + ellipsis.count > size.columns || frame.cells(of: last + ellipsis) > size.columns
    {
      last.removeLast()
    }
    return lines.prefix(rowsMax - 1) + [last + ellipsis]
  }

  /// The message while the user waits for a slow answer; nil otherwise.
  private var waitingLine: String? {
    for case .search(let pattern, _) in outstanding {
      let shown = pattern.shown
      let word = shown.count > 40 ? shown.prefix(39) + "…" : shown[...]
      return "searching all versions for \(word) ...  Esc cancels, q quits"
    }
    return slowParts.contains(.answer) ? "waiting for the answer ...  Esc cancels, q quits" : nil
  }

  /// The message while the daemon is unreachable.
  private static let daemonIsGone =
    "the daemon is gone: waiting for it; only loaded text is shown, q quits"

  private var restoreChoices: String {
    let selection = selectedLines == nil ? "" : "s the selection  "
    return "restore: v this version  p the paragraph at >  \(selection)Esc nothing"
  }
}
