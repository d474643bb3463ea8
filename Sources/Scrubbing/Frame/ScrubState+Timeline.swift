import EditModel
import EditProtocol

/// The rows of the timeline, from above.
enum TimelineRow: Hashable, Sendable {
  case activity, authors, paragraph, marks
}

// The rows of activity, of authors and of the followed paragraph, and that of marks and the position.
extension ScrubState {
  /// The rows that are shown.
  var timelineRows: [TimelineRow] {
    var rows = [TimelineRow.activity]
    if showsAuthors ?? (size.rows >= Self.authorRowsMin) { rows.append(.authors) }
    if paragraph != nil, size.rows >= Self.paragraphRowsMin { rows.append(.paragraph) }
    return rows + [.marks]
  }

  /// The rows of a screen from which on there is a row of authors, and one of the paragraph.
  private static let (authorRowsMin, paragraphRowsMin) = (45, 16)

  func drawTimeline(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    let columns = timeline.columns(area.width)
    for (index, kind) in timelineRows.enumerated() {
      let row = area.row + index
      switch kind {
      case .activity: drawActivity(columns, area.column, row, &frame)
      case .authors: drawAuthors(columns, area.column, row, &frame)
      case .paragraph: drawParagraph(area, row, &frame)
      case .marks: drawMarks(area, row, &frame)
      }
    }
    let position = cursor?.sequence ?? goal
    guard timeline.range.contains(position) else { return }
    let x = area.column + timeline.column(of: position, count: area.width)
    for row in area.row..<area.row + area.height - 1 {
      frame.restyle(x..<x + 1, row) { $0.isReversed = true }
    }
  }

  private func drawActivity(
    _ columns: [Timeline.Column], _ first: Int, _ row: Int, _ frame: inout ScrubFrame
  ) {
    guard !timeline.samples.isEmpty || !slowParts.contains(.timeline) else {
      frame.write(Self.loading, at: first + 1, row, .dim)
      return
    }
    let most = columns.map(\.edits).max() ?? 0
    for (index, column) in columns.enumerated() {
      if column.isIdle {
        frame.write(options.isUnicode ? "╱" : "/", at: first + index, row, .dim)
      } else {
        let look = ScrubLook(.accent)
        frame.write(bar(column.edits, of: most), at: first + index, row, look)
      }
    }
  }

  /// Writes who made most edits of each column: a sign where another author begins, then a line.
  private func drawAuthors(
    _ columns: [Timeline.Column], _ first: Int, _ row: Int, _ frame: inout ScrubFrame
  ) {
    let signs = authorSigns
    var last: ExactString??
    for (index, column) in columns.enumerated() {
      guard !column.isIdle, column.edits > 0.001 else {
        if column.isIdle { last = nil }
        continue
      }
      let line = options.isUnicode ? "─" : "-"
      let author = column.author.map(ExactString.init)
      let sign = last == .some(author) ? line : signs[author] ?? "?"
      frame.write(sign, at: first + index, row, writerLook(column.author))
      last = .some(author)
    }
  }

  /// The sign of each author in the timeline: a letter of the name that no author before has, else a digit;
  /// `?` for edits without an author, and for authors that nothing is left for.
  var authorSigns: [ExactString?: String] {
    var signs: [ExactString?: String] = [:]
    var used: Set<ExactString> = []
    for name in Set(exact: timeline.samples.compactMap(\.author)).sortedStrings {
      let letters = name.lowercased().filter { $0.isASCII && $0.isLetter }.map { String($0) }
      let sign = (letters + (0...9).map { String($0) }).first { !used.contains($0) } ?? "?"
      signs[ExactString(name)] = sign
      used.insert(sign)
    }
    if timeline.samples.contains(where: { $0.author == nil }) { signs[nil] = "?" }
    return signs
  }

  /// Draws in which columns the followed paragraph changed.
  private func drawParagraph(_ area: ScrubArea, _ row: Int, _ frame: inout ScrubFrame) {
    guard let paragraph else { return }
    let counts = timeline.counts(of: paragraph.versions, area.width)
    let most = Double(counts.max() ?? 0)
    for (index, count) in counts.enumerated() {
      frame.write(bar(Double(count), of: most), at: area.column + index, row, ScrubLook(.warning))
    }
  }

  private func drawMarks(_ area: ScrubArea, _ row: Int, _ frame: inout ScrubFrame) {
    let bold = ScrubLook(.warning, bold: true)
    // A later sign replaces an earlier one in its column.
    var signs = saves.map { ($0, "S", ScrubLook(.added)) }
    signs += marks.map { ($0.sequence, "M", bold) }
    if let anchor { signs.append((anchor.sequence, "A", bold)) }
    signs.append((cursor?.sequence ?? goal, options.isUnicode ? "▲" : "^", .bold))
    var placed: [Int: (sign: String, look: ScrubLook)] = [:]
    for (sequence, sign, look) in signs where timeline.range.contains(sequence) {
      placed[timeline.column(of: sequence, count: area.width)] = (sign, look)
    }
    let labels = labels(area.width).filter { label in
      !placed.keys.contains { label.cells.contains($0) }
    }
    for session in sessions where timeline.range.contains(session) {
      let x = timeline.column(of: session, count: area.width)
      guard !labels.contains(where: { $0.cells.contains(x) }) else { continue }
      frame.write(options.isUnicode ? "·" : ".", at: area.column + x, row, .dim)
    }
    for label in labels {
      frame.write(label.text, at: area.column + label.cells.lowerBound + 1, row, .dim)
    }
    for (x, mark) in placed { frame.write(mark.sign, at: area.column + x, row, mark.look) }
  }

  /// A bar whose height is that of the root of a number of edits: little is still seen beside much.
  private func bar(_ edits: Double, of most: Double) -> String {
    guard edits > 0.001, most > 0 else { return " " }
    let bars = options.isUnicode ? Array("▁▂▃▄▅▆▇█") : Array(".-:=#")
    let height = (edits / most).squareRoot()
    return String(bars[min(bars.count - 1, max(0, Int(height * Double(bars.count))))])
  }

  /// The days at which the row begins and ends, with their cells and a blank cell on both sides.
  private func labels(_ width: Int) -> [(text: String, cells: Range<Int>)] {
    let ends = timelineEnds.map(\.text)
    guard ends.count == 2, width >= 60 else { return [] }
    // The first and the last column are those of the ends of the history.
    return [
      (ends[0], 1..<ends[0].count + 3), (ends[1], width - ends[1].count - 3..<width - 1),
    ]
  }

  /// The labels of the first and the last version of the timeline; none if their times are not known yet.
  var timelineEnds: [(text: String, version: SequenceNumber)] {
    guard let first = timeline.samples.first, let last = timeline.samples.last else { return [] }
    return [
      (label(first.time, last.time), first.sequence), (label(last.time, first.time), last.sequence),
    ]
  }

  /// The day of a time, or its time of day if the other is on the same day.
  private func label(_ time: Timestamp, _ other: Timestamp) -> String {
    let day = clock.day(time)
    return day == clock.day(other) ? clock.time(time) : day
  }
}
