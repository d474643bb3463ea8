import EditModel

/// A plot of durations against sizes, both axes logarithmic.
package struct LogPlot {
  /// A line of the plot.
  package struct Series {
    let name: String
    /// True if it is drawn dashed, in the colour of the line it is compared with.
    let isBaseline: Bool
    /// True if its points are not joined.
    let isScatter: Bool
    /// The number of its colour.
    let colour: Int
    var points: [(x: Double, y: Double)] = []
  }

  let title: String
  let xLabel: String
  private(set) var series: [Series] = []

  package init(title: String, xLabel: String) { (self.title, self.xLabel) = (title, xLabel) }

  /// Adds a point; `y` is in nanoseconds. Neither has a place on the axes below 0. A baseline
  /// comes right after the series that is compared with it.
  package mutating func add(
    _ name: String, isBaseline: Bool, isScatter: Bool = false, x: Double, y: Double
  ) {
    guard x > 0, y > 0 else { return }
    if let index = series.firstIndex(where: { $0.name.isExactly(name) }) {
      series[index].points.append((x, y))
    } else {
      let colour = max(0, series.count { !$0.isBaseline } - (isBaseline ? 1 : 0))
      series.append(
        Series(
          name: name, isBaseline: isBaseline, isScatter: isScatter, colour: colour,
          points: [(x, y)]))
    }
  }

  /// The plot as an SVG file. Its ground is white, so that it reads on any page.
  package var svg: String {
    let points = series.flatMap(\.points)
    let frame = PlotFrame(
      legendRows: (series.count + 1) / 2,
      x: LogAxis(points.map(\.x), isTight: true), y: LogAxis(points.map(\.y)))
    return frame.open(title: title, xLabel: xLabel) + frame.grid()
      + series.enumerated().map { frame.line($1, number: $0) }.joined() + "</svg>\n"
  }
}
