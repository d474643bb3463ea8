import EditModel
import EditProtocol
import EditQueries
import Projections

/// A plot of the cost of deletions against the paragraphs that they remove, with the list algorithm
/// beside it.
struct DeletionPlot {
  private var plot: LogPlot

  init(document: String) {
    plot = LogPlot(
      title: "Cost of deletions in \(document.shown)", xLabel: "paragraphs removed")
  }

  /// The plot as an SVG file.
  var svg: String { plot.svg }

  /// Adds what was measured on the document. Edits that remove no paragraph have no place on the
  /// axis.
  mutating func add(_ traces: [ShownTrace]) {
    for trace in traces where trace.paragraphs > 0 {
      let x = Double(trace.paragraphs)
      plot.add("here", isBaseline: false, isScatter: true, x: x, y: Double(trace.total))
    }
    for trace in traces where trace.paragraphs > 0 {
      guard let live = trace.live else { continue }
      plot.add(
        "live, from request to reply", isBaseline: false, isScatter: true,
        x: Double(trace.paragraphs), y: Double(live.total))
    }
    for trace in traces where trace.paragraphs > 0 {
      guard let linear = trace.linear else { continue }
      plot.add(
        "list algorithm", isBaseline: false, isScatter: true, x: Double(trace.paragraphs),
        y: Double(linear))
    }
  }

  /// Adds deletions of all paragraphs but two, of documents made for it.
  mutating func addYardstick() {
    for count in [10, 100, 1_000, 4_000, 16_000, 64_000, 128_000] {
      guard let yardstick = DeletionYardstick(paragraphs: count, clock: Self.clock) else {
        continue
      }
      let x = Double(count - 2)
      plot.add("here, all but two of n", isBaseline: false, x: x, y: Double(yardstick.duration))
      plot.add(
        "list, all but two of n (extrapolated > 16 k)", isBaseline: true, x: x,
        y: Double(yardstick.linear))
    }
  }

  /// One sentence about a deletion of all but two of 128,000 paragraphs. Nil if it cannot be
  /// measured.
  static var yardstick: String? {
    guard let yardstick = DeletionYardstick(paragraphs: 128_000, clock: clock) else { return nil }
    let linear = Numbers.duration(Int64(clamping: yardstick.linear))
    let measured = Numbers.grouped(yardstick.linearParagraphs)
    return """
      Deleting all but two of \(Numbers.grouped(yardstick.paragraphs)) paragraphs takes \
      \(Numbers.duration(Int64(clamping: yardstick.duration))) here, and about \(linear) by the \
      list algorithm (extrapolated from \(measured) paragraphs).
      """
  }

  private static let clock: TraceClock = QueryClock.system.monotonic
}
