import EditModel
import EditProtocol

// The row of activity, and that of marks and the position.
extension ScrubState {
  func drawTimeline(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    let columns = timeline.columns(area.width)
    let most = columns.map(\.edits).max() ?? 0
    for (index, column) in columns.enumerated() {
      let x = area.column + index
      if column.isIdle {
        frame.write(options.isUnicode ? "╱" : "/", at: x, area.row, .dim)
      } else {
        frame.write(bar(column.edits, of: most), at: x, area.row, ScrubLook(.accent))
      }
    }
    func mark(_ sequence: SequenceNumber, _ sign: String, _ look: ScrubLook) {
      guard timeline.range.contains(sequence) else { return }
      let x = area.column + timeline.column(of: sequence, count: area.width)
      frame.write(sign, at: x, area.row + 1, look)
    }
    frame.fill(area.row + 1, look: .plain)
    drawDates(area, &frame)
    for session in sessions { mark(session, options.isUnicode ? "·" : ".", .dim) }
    for save in saves { mark(save, "S", ScrubLook(.added)) }
    for label in marks { mark(label.sequence, "M", ScrubLook(.warning, bold: true)) }
    if let anchor { mark(anchor.sequence, "A", ScrubLook(.warning, bold: true)) }
    let position = cursor?.sequence ?? goal
    mark(position, options.isUnicode ? "▲" : "^", .bold)
    if timeline.range.contains(position) {
      let x = area.column + timeline.column(of: position, count: area.width)
      frame.restyle(x..<x + 1, area.row) { $0.isReversed = true }
    }
  }

  /// A bar whose height is that of the root of a number of edits: little is still seen beside much.
  private func bar(_ edits: Double, of most: Double) -> String {
    guard edits > 0.001, most > 0 else { return " " }
    let bars = options.isUnicode ? Array("▁▂▃▄▅▆▇█") : Array(".-:=#")
    let height = (edits / most).squareRoot()
    return String(bars[min(bars.count - 1, max(0, Int(height * Double(bars.count))))])
  }

  /// Writes the days at which the row begins and ends.
  private func drawDates(_ area: ScrubArea, _ frame: inout ScrubFrame) {
    guard let first = timeline.samples.first, let last = timeline.samples.last,
      area.width >= 60
    else { return }
    let (start, end) = (label(first.time, last.time), label(last.time, first.time))
    // The first and the last column are those of the ends of the history.
    frame.write(start, at: area.column + 2, area.row + 1, .dim)
    frame.write(end, at: area.column + area.width - end.count - 2, area.row + 1, .dim)
  }

  /// The day of a time, or its time of day if the other is on the same day.
  private func label(_ time: Timestamp, _ other: Timestamp) -> String {
    let day = clock.day(time)
    return day == clock.day(other) ? clock.time(time) : day
  }
}
