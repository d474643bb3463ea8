import EditModel
import EditProtocol

/// A report as an SVG file: the days as rows of 24 squares, light or dark as the reader prefers.
struct ActivityPicture {
  private let report: ActivityReport
  private let dayCountMax: Int
  private let title: String

  private static let (cell, step, left, top) = (16, 19, 138, 96)

  init(_ report: ActivityReport, title: String, dayCountMax: Int) {
    (self.report, self.dayCountMax) = (report, dayCountMax)
    self.title = PlotFrame.escaped("Activity in \(title)")
  }

  /// The file.
  var svg: String {
    let (rows, earlier) = report.rows(dayCountMax)
    let scale = HeatScale(max: report.days.values.flatMap(\.hours).max() ?? 0)
    let width = Self.left + 24 * Self.step + 190
    let height = Self.top + rows.count * Self.step + 56
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-labelledby="title desc" \
      font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">
      <title id="title">\(title)</title>
      <desc id="desc">\(PlotFrame.escaped(description(rows, earlier)))</desc>
      <style>
      \(Self.sheet)
      </style>
      <rect class="ground" width="100%" height="100%" rx="8"/>
      <text class="ink" x="20" y="32" font-size="17" font-weight="600">\(title)</text>
      <text class="faint" x="20" y="54">\(PlotFrame.escaped(ActivityText.sum(report.total)))</text>

      """
    for hour in stride(from: 0, to: 24, by: 3) {
      svg += text("faint", Self.left + hour * Self.step, Self.top - 8, "\(hour):00")
    }
    for (index, row) in rows.enumerated() {
      svg += self.row(row, Self.top + index * Self.step, scale)
    }
    return svg + legend(scale, height - 30) + "</svg>\n"
  }

  private static let sheet = """
    .ground { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
    .h0 { fill: #ebedf0 } .h1 { fill: #b7d7f0 } .h2 { fill: #7db4dd } .h3 { fill: #4190c7 }
    .h4 { fill: #0f6ba8 } .h5 { fill: #003d66 }
    @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .ink { fill: #f0f6fc } .faint { fill: #9198a1 }
    .h0 { fill: #21262d } .h1 { fill: #0b3a5c } .h2 { fill: #14608f } .h3 { fill: #2f8ac4 }
    .h4 { fill: #71b8e5 } .h5 { fill: #c5e4f8 }
    }
    """

  /// The text alternative: the sum, and the edits of each day.
  private func description(_ rows: [ActivityReport.Row], _ earlier: [ActivityReport.Day]) -> String
  {
    var sentences = [ActivityText.sum(report.total)]
    if !earlier.isEmpty {
      let edits = earlier.reduce(0) { $0 + $1.counts.edits }
      sentences.append(
        """
        \(ActivityText.amount(earlier.count, "earlier day")) with \
        \(ActivityText.amount(edits, "edit")) not shown
        """)
    }
    for case .day(let day) in rows where day.counts.edits > 0 {
      sentences.append(
        "\(Session.day(day.date)): \(ActivityText.amount(day.counts.edits, "edit"))")
    }
    return sentences.joined(separator: ". ") + "."
  }

  private func row(_ row: ActivityReport.Row, _ y: Int, _ scale: HeatScale) -> String {
    switch row {
    case .empty(let count):
      return text("faint", Self.left, y + 12, "\(Numbers.grouped(count)) days without edits")
    case .day(let day):
      let date = Session.day(day.date)
      var svg = text(day.counts.edits > 0 ? "ink" : "faint", 20, y + 12, date)
      for (hour, count) in day.hours.enumerated() {
        let tip =
          count == 0
          ? ""
          : "<title>\(date), \(hour):00 to \(hour + 1):00: \(ActivityText.amount(count, "edit"))</title>"
        svg += square(scale.level(count), Self.left + hour * Self.step, y, tip)
      }
      guard day.counts.edits > 0 else { return svg }
      let sum = """
        \(ActivityText.amount(day.counts.edits, "edit")), \
        \(ActivityText.duration(day.counts.activeMicros))
        """
      return svg + text("ink", Self.left + 24 * Self.step + 10, y + 12, sum)
    }
  }

  private func legend(_ scale: HeatScale, _ y: Int) -> String {
    var svg = text("faint", 20, y + 12, "edits an hour")
    var x = Self.left
    for level in 0...HeatScale.levelCount {
      let range = level == 0 ? 0...0 : scale.range(level)
      guard let range else { continue }
      let (lower, upper) = (Numbers.grouped(range.lowerBound), Numbers.grouped(range.upperBound))
      let label = level == 0 ? "none" : lower == upper ? lower : "\(lower)-\(upper)"
      svg += square(level, x, y, "") + text("faint", x + Self.cell + 5, y + 12, label)
      x += Self.cell + 22 + 7 * label.utf8.count
    }
    return svg
  }

  private func square(_ level: Int, _ x: Int, _ y: Int, _ tip: String) -> String {
    """
    <rect class="h\(level)" x="\(x)" y="\(y)" width="\(Self.cell)" height="\(Self.cell)" \
    rx="3">\(tip)</rect>

    """
  }

  private func text(_ style: String, _ x: Int, _ y: Int, _ text: String) -> String {
    "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(text)</text>\n"
  }
}
