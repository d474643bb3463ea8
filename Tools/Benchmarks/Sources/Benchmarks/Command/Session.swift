import EditLogCommands
import Foundation

/// One run: what figures are taken from and where they go.
final class Session {
  /// The histories.
  let traces: [Trace]
  /// Samples and time for each.
  let effort: Effort
  /// True in a smoke run.
  let isQuick: Bool
  /// UTF-16 units of the largest document in figures of cost against size; edits of the longest
  /// history.
  let largest: Int

  private let report: Report
  private let plotFolder: String?
  private var plots: [PlotName: LogPlot] = [:]

  /// Reads the traces that the options name.
  init(_ options: SuiteOptions) throws {
    isQuick = options.quick
    effort = isQuick ? .quick : .full
    largest = isQuick ? min(options.largest, 10_000) : options.largest
    report = Report(isJSON: options.json)
    plotFolder = options.plots
    var paths = try TraceFile.paths(in: options.traces)
    if isQuick {
      let smallest = paths.min { TraceFile.size(of: $0) < TraceFile.size(of: $1) }
      paths = smallest.map { [$0] } ?? []
    }
    traces = try paths.map { try Trace(path: $0) }
  }

  /// Takes the figures one after another.
  func run(_ figures: [Figure]) throws {
    report.begin(head)
    for figure in figures { try figure.take(self) }
    guard let plotFolder else { return }
    try FileManager.default.createDirectory(
      atPath: plotFolder, withIntermediateDirectories: true)
    for (name, plot) in plots {
      let path = "\(plotFolder)/\(name.rawValue).svg"
      try plot.svg.write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  /// Reports lines as soon as they are there.
  func show(_ lines: [ReportLine]) throws { try report.show(lines) }

  /// Adds a point to a plot: `x` in the plot's unit, `y` in nanoseconds.
  func plot(_ name: PlotName, _ series: String, isBaseline: Bool = false, x: Int, y: Double) {
    plots[name, default: name.empty].add(series, isBaseline: isBaseline, x: Double(x), y: y)
  }

  private var head: [String] {
    var load = [Double](repeating: 0, count: 3)
    let count = getloadavg(&load, 3)
    let loads = load.prefix(max(0, Int(count))).map { String(format: "%.2f", $0) }
    let counts = traces.map { "\($0.name) (\(Numbers.grouped($0.edits.count)) edits)" }
    return [
      "medians of samples taken in turns with their baselines; \(Clock.name)",
      "load average \(loads.joined(separator: " ")), "
        + "\(ProcessInfo.processInfo.activeProcessorCount) processors",
      "traces: \(counts.joined(separator: ", "))", "",
    ]
  }
}
