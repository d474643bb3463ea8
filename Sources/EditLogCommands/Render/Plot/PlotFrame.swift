/// The drawing around the lines of a plot, and the places of points in it.
struct PlotFrame {
  let legendRows: Int
  let x: LogAxis
  let y: LogAxis

  private var width: Double { 760 }
  private var top: Double { 52 + 22 * Double(legendRows) }
  private var height: Double { top + 340 + 56 }
  private var area: (left: Double, right: Double, top: Double, bottom: Double) {
    (84, width - 28, top, top + 340)
  }

  private static let ink = "#1f2328"
  // The palette of Okabe and Ito, told apart by the colour-blind too.
  private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

  /// The head of the file: ground, title, labels of the axes.
  func open(title: String, xLabel: String) -> String {
    let (middle, foot) = ((area.left + area.right) / 2, height - 14)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" \
      width="\(n(width))" height="\(n(height))" role="img" \
      font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="13">
      <title>\(Self.escaped(title))</title>
      <rect width="100%" height="100%" rx="8" fill="#ffffff"/>
      <text x="\(n(area.left))" y="30" font-size="17" font-weight="600" fill="\(Self.ink)">\
      \(Self.escaped(title))</text>
      <text x="\(n(middle))" y="\(n(foot))" text-anchor="middle" fill="\(Self.ink)">\
      \(xLabel)</text>

      """
  }

  /// A text in XML, without characters that a file of it may not have.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Lines and labels of the decades, and fainter lines between them.
  func grid() -> String {
    var lines = x.minor.map { vertical($0, "#f0f2f4") } + y.minor.map { horizontal($0, "#f0f2f4") }
    lines += x.decades.map { vertical($0, "#d0d7de") } + y.decades.map { horizontal($0, "#d0d7de") }
    lines += x.decades.map {
      """
      <text x="\(n(h($0)))" y="\(n(area.bottom + 20))" text-anchor="middle" fill="\(Self.ink)">\
      \(count($0))</text>

      """
    }
    lines += y.decades.map {
      """
      <text x="\(n(area.left - 10))" y="\(n(v($0) + 4.5))" text-anchor="end" fill="\(Self.ink)">\
      \(duration($0))</text>

      """
    }
    return lines.joined()
  }

  /// A line, its points and its entry in the legend. A baseline is dashed.
  func line(_ series: LogPlot.Series, number: Int) -> String {
    let colour = Self.colours[series.colour % Self.colours.count]
    let points = series.points.sorted { $0.x < $1.x }.map { (h($0.x), v($0.y)) }
    let path = points.map { "\(n($0.0)),\(n($0.1))" }.joined(separator: " ")
    let dash = series.isBaseline ? " stroke-dasharray=\"7 5\"" : ""
    let polyline =
      series.isScatter
      ? ""
      : """
      <polyline points="\(path)" fill="none" stroke="\(colour)" stroke-width="2.2" \
      stroke-linejoin="round"\(dash)/>

      """
    let fade = series.isScatter ? " fill-opacity=\"0.5\"" : ""
    let dots = points.map {
      "<circle cx=\"\(n($0.0))\" cy=\"\(n($0.1))\" r=\"3.5\" fill=\"\(colour)\"\(fade)/>\n"
    }.joined()
    let left = area.left + (number.isMultiple(of: 2) ? 0 : (area.right - area.left) / 2)
    let base = 54 + 22 * Double(number / 2)
    return polyline + """
      \(dots)<line x1="\(n(left))" y1="\(n(base - 4.5))" x2="\(n(left + 30))" \
      y2="\(n(base - 4.5))" stroke="\(colour)" stroke-width="2.2"\(dash)/>
      <text x="\(n(left + 38))" y="\(n(base))" fill="\(Self.ink)">\(series.name)</text>

      """
  }

  private func vertical(_ value: Double, _ colour: String) -> String {
    let place = n(h(value))
    return """
      <line x1="\(place)" y1="\(n(area.top))" x2="\(place)" y2="\(n(area.bottom))" \
      stroke="\(colour)"/>

      """
  }

  private func horizontal(_ value: Double, _ colour: String) -> String {
    let place = n(v(value))
    return """
      <line x1="\(n(area.left))" y1="\(place)" x2="\(n(area.right))" y2="\(place)" \
      stroke="\(colour)"/>

      """
  }

  private func h(_ value: Double) -> Double {
    area.left + x.place(value) * (area.right - area.left)
  }

  private func v(_ value: Double) -> Double {
    area.bottom - y.place(value) * (area.bottom - area.top)
  }

  /// `10 k`, `1 M`.
  private func count(_ value: Double) -> String {
    value < 1e3 ? n(value) : value < 1e6 ? "\(n(value / 1e3)) k" : "\(n(value / 1e6)) M"
  }

  /// `10 ns`, `1 µs`.
  private func duration(_ value: Double) -> String {
    switch value {
    case ..<1e3: "\(n(value)) ns"
    case ..<1e6: "\(n(value / 1e3)) µs"
    case ..<1e9: "\(n(value / 1e6)) ms"
    default: "\(n(value / 1e9)) s"
    }
  }

  /// A number with one decimal where it needs one.
  private func n(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
