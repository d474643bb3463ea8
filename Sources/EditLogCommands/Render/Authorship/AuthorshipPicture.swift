import EditModel

/// Who wrote a text as an SVG file, light or dark as the reader prefers: a strip of the text from its
/// beginning to its end, what of it was written when, and the share of each author. Patterns tell the
/// authors apart without colours.
struct AuthorshipPicture {
  private let authorship: Authorship
  private let title: String
  private let series: [Authorship.Series]
  private let ofWriter: [Int]
  /// The first and the last time, for people.
  private let times: (first: String, last: String)?

  // All lengths are in pixels.
  private static let (left, width, stripTop, stripHeight) = (20, 720, 76, 44)
  private static let (barsTop, barsHeight, binCount, legendRow) = (186, 120, 60, 24)
  private static let nameWidthMax = 40

  init(_ authorship: Authorship, title: String, _ session: Session) {
    self.authorship = authorship
    self.title = PlotFrame.escaped("Authors of \(title)")
    (series, ofWriter) = authorship.series()
    times = authorship.times.map {
      (session.localTime($0.lowerBound), session.localTime($0.upperBound))
    }
  }

  /// The file.
  var svg: String {
    let legendTop = times == nil ? Self.stripTop + Self.stripHeight + 42 : Self.barsTop + 164
    let height = legendTop + series.count * Self.legendRow + 16
    let width = Self.width + 2 * Self.left
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-labelledby="title desc" \
      font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">
      <title id="title">\(title)</title>
      <desc id="desc">\(PlotFrame.escaped(description))</desc>
      <style>
      \(Self.sheet)
      </style>
      <defs>
      \(patterns)</defs>
      <rect class="ground" width="100%" height="100%" rx="8"/>
      <text class="ink" x="20" y="32" font-size="17" font-weight="600">\(title)</text>
      <text class="faint" x="20" y="54">\(PlotFrame.escaped(sum))</text>
      \(strip)\(bars)\(legend(legendTop))</svg>

      """
  }

  // The colours of the page of a history.
  private static let sheet = """
    .ground { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e }
    .none { fill: #ebedf0 } .hatch { stroke: #ffffff; stroke-width: 1.4; fill: none }
    .a0 { fill: #0068a8 } .a1 { fill: #b35900 } .a2 { fill: #00785a } .a3 { fill: #a13a82 }
    .a4 { fill: #6d5bd0 } .a5 { fill: #8a6d00 } .a6 { fill: #c23b3b } .a7 { fill: #3f7d1f }
    .a8 { fill: #8b9099 }
    @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .ink { fill: #f0f6fc } .faint { fill: #9198a1 }
    .none { fill: #21262d } .hatch { stroke: #0d1117 }
    .a0 { fill: #62b6f0 } .a1 { fill: #f0a04b } .a2 { fill: #4cc79f } .a3 { fill: #e58cc8 }
    .a4 { fill: #aa9cff } .a5 { fill: #d9c04a } .a6 { fill: #ff8f8a } .a7 { fill: #93cf6c }
    .a8 { fill: #6b7280 }
    }
    """

  /// Lines in a square of 8 pixels, for each series; none for the first.
  private static let hatches = [
    "", "M0 8L8 0M-2 2L2 -2M6 10L10 6", "M0 2H8M0 6H8", "M2 0V8M6 0V8",
    "M0 0L8 8M-2 6L2 10M6 -2L10 2", "M0 4H8M4 0V8", "M0 0L8 8M0 8L8 0", "M1 4H4M5 0H8M5 8H8",
    "M0 4H8",
  ]

  private var patterns: String {
    zip(series.indices, Self.hatches).reduce(into: "") { svg, item in
      svg += """
        <pattern id="p\(item.0)" width="8" height="8" patternUnits="userSpaceOnUse">\
        <rect class="a\(item.0)" width="8" height="8"/><path class="hatch" d="\(item.1)"/></pattern>

        """
    }
  }

  // MARK: Words

  /// `1,234 units by 2 authors, version 5`.
  private var sum: String {
    guard authorship.length > 0 else { return "no text, version \(authorship.sequence)" }
    return """
      \(ActivityText.amount(authorship.length, "unit")) by \
      \(ActivityText.amount(authorship.writerCount, "author")), version \(authorship.sequence)
      """
  }

  /// The text alternative: the shares, and when the text was written.
  private var description: String {
    var sentences = [sum] + series.map { "\(name($0)): \(share($0))" }
    if let times { sentences.append("Written from \(times.first) to \(times.last)") }
    return sentences.joined(separator: ". ") + "."
  }

  /// `ann`, `bot (agent)`, `author unknown`, `92 others`.
  private func name(_ series: Authorship.Series) -> String {
    guard let writer = series.writer else {
      return ActivityText.amount(series.writerCount, "other")
    }
    let name =
      writer.author.map { Excerpt.name($0.string, width: Self.nameWidthMax) } ?? "author unknown"
    return writer.isAgent ? "\(name) (agent)" : name
  }

  /// `740 units, 60.0 %`.
  private func share(_ series: Authorship.Series) -> String {
    let percent = 100 * Double(series.units) / Double(authorship.length)
    let shown = percent < 0.05 ? "under 0.1" : Numbers.decimal(percent, 1)
    return "\(ActivityText.amount(series.units, "unit")), \(shown) %"
  }

  // MARK: Parts

  /// The text from its beginning to its end. A pixel has the colour of who wrote the most of it.
  private var strip: String {
    let (top, foot) = (Self.stripTop, Self.stripTop + Self.stripHeight + 18)
    let pixels = authorship.strip(of: Self.width, ofWriter)
    guard !pixels.isEmpty else {
      return """
        <rect class="none" x="\(Self.left)" y="\(top)" width="\(Self.width)" \
        height="\(Self.stripHeight)"/>

        """
    }
    var (svg, start) = ("", 0)
    for end in 1...pixels.count where end == pixels.count || pixels[end] != pixels[start] {
      let tip = "\(name(series[pixels[start]])), \(units(start)) to \(units(end))"
      svg += rectangle(
        pixels[start], Self.left + start, top, end - start, Self.stripHeight, tip: tip)
      start = end
    }
    return svg + text("faint", Self.left, foot, "0")
      + text(
        "faint", Self.left + Self.width, foot, ActivityText.amount(authorship.length, "unit"),
        isEnd: true)
  }

  /// The location in UTF-16 units at a pixel of the strip.
  private func units(_ pixel: Int) -> String {
    Numbers.grouped(pixel * authorship.length / Self.width)
  }

  /// When the text was written: the units of each part of the time, one author on the other.
  private var bars: String {
    let bins = authorship.bins(of: Self.binCount, ofWriter)
    guard let times, let most = bins.map({ $0.reduce(0, +) }).max(), most > 0 else { return "" }
    let (bottom, step) = (Self.barsTop + Self.barsHeight, Self.width / Self.binCount)
    let right = Self.left + Self.width
    var svg =
      text("ink", Self.left, Self.barsTop - 14, "When this text was written")
      + text(
        "faint", right, Self.barsTop - 14,
        "highest bar: \(ActivityText.amount(most, "unit"))", isEnd: true)
      + "<rect class=\"none\" x=\"\(Self.left)\" y=\"\(bottom)\" width=\"\(Self.width)\" "
      + "height=\"1\"/>\n"
    for (index, bin) in bins.enumerated() {
      svg += bar(bin, Self.left + index * step, step - 1, bottom, most)
    }
    svg += text("faint", Self.left, bottom + 18, times.first)
    guard times.first != times.last else { return svg }
    return svg + text("faint", right, bottom + 18, times.last, isEnd: true)
  }

  /// A bar of the units of each series. Any text has a height of at least 1.
  private func bar(_ bin: [Int], _ x: Int, _ width: Int, _ bottom: Int, _ most: Int) -> String {
    var (svg, sum, height) = ("", 0, 0)
    for (index, units) in bin.enumerated() where units > 0 {
      sum += units
      let top = (sum * Self.barsHeight + most - 1) / most
      guard top > height else { continue }
      let tip = "\(name(series[index])): \(ActivityText.amount(units, "unit"))"
      svg += rectangle(index, x, bottom - top, width, top - height, tip: tip)
      height = top
    }
    return svg
  }

  private func legend(_ top: Int) -> String {
    series.enumerated().reduce(into: "") { svg, item in
      let y = top + item.offset * Self.legendRow
      svg += rectangle(item.offset, Self.left, y, 24, 16, tip: "")
      svg += text("ink", Self.left + 34, y + 12, PlotFrame.escaped(name(item.element)))
      svg += text("faint", Self.left + Self.width, y + 12, share(item.element), isEnd: true)
    }
  }

  private func rectangle(
    _ series: Int, _ x: Int, _ y: Int, _ width: Int, _ height: Int, tip: String
  ) -> String {
    let title = tip.isEmpty ? "" : "<title>\(PlotFrame.escaped(tip))</title>"
    return """
      <rect fill="url(#p\(series))" x="\(x)" y="\(y)" width="\(width)" height="\(height)">\
      \(title)</rect>

      """
  }

  private func text(
    _ style: String, _ x: Int, _ y: Int, _ text: String, isEnd: Bool = false
  ) -> String {
    let anchor = isEnd ? " text-anchor=\"end\"" : ""
    return "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\"\(anchor)>\(text)</text>\n"
  }
}
