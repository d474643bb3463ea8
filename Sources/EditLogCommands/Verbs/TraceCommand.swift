import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct TraceCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show what a document's large deletions cost.",
    discussion: """
      Each deletion is replayed and timed; --verbose prints each phase. LINEAR is the time of an \
      algorithm whose cost is proportional to the removed text, measured on the same machine. \
      RATIO is TOTAL divided by LINEAR. `--format chrome` prints a trace for chrome://tracing, \
      Perfetto or speedscope.
      """)

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, chrome
  }

  @Argument(help: "The document.") var name: String
  @Option(
    help: ArgumentHelp(
      """
      The minimum length of a deletion, in UTF-16 units. (default: \
      \(TraceRequest.boundsDefault))
      """, valueName: "units"))
  var minLength: Int?
  @Option(help: ArgumentHelp("Form of the output: table or chrome.", valueName: "format"))
  var format = Format.table
  @Flag(name: .shortAndLong, help: "Print all columns, however wide the terminal is.")
  var verbose = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { format == .table && !common.json }

  func validate() throws {
    guard minLength.map({ (1...EditAction.textLengthMax).contains($0) }) ?? true else {
      throw ValidationError("--min-length takes a number from 1 to \(EditAction.textLengthMax).")
    }
  }

  func run(in session: Session) async throws {
    if format == .chrome {
      let answer = try await session.ask(name, reading) {
        TraceRequest($0, lengthMin: minLength, format: .chrome)
      }
      try session.write(json: Array((answer.chrome ?? "").utf8))
      return try session.output.write("\n")
    }
    var table = ShownTrace.table(session, isVerbose: verbose)
    var spread = TraceSpread()
    var (after, options): (SequenceNumber?, ReadingOptions) = (0, reading)
    while let start = after {
      let part = try await session.ask(name, options) {
        TraceRequest(
          $0, lengthMin: minLength, format: .table, after: start, limit: Self.partCount)
      }
      (after, options) = (part.next, reading.afterFirstPart)
      spread.add(part.traces)
      if common.json {
        try session.printJSON(each: part.traces, ShownTrace.codec)
      } else if !part.traces.isEmpty {
        ShownTrace.add(part.traces, to: &table, session, isVerbose: verbose)
        try session.print(&table)
      }
    }
    if common.json { return }
    guard var summary = spread.table(session) else {
      return session.note("No deletion is large enough; --min-length sets the minimum length.")
    }
    try session.output.write("\n")
    try session.print(&summary)
  }

  /// The maximum number of deletions in one call.
  private static let partCount = 1_024
}

extension ShownTrace {
  /// A table for traces; with the duration of each phase if it is verbose.
  static func table(_ session: Session, isVerbose: Bool) -> Table {
    let phases =
      isVerbose ? ["LOCATE", "TEXT", "ATTRIBUTES", "PARAGRAPHS", "NOTIFY"] : []
    return Table(
      [
        .init(title: "EDIT", isRight: true), .init(title: "TIME", rank: 1),
        .init(title: "ORIGIN", rank: 2), .init(title: "UNITS", isRight: true, rank: 5),
        .init(title: "PARAGRAPHS", isRight: true, rank: 3),
      ] + phases.map { .init(title: $0, isRight: true) } + [
        .init(title: "TOTAL", isRight: true), .init(title: "LINEAR", isRight: true, rank: 4),
        .init(title: "RATIO", isRight: true),
      ], style: session.style, width: isVerbose ? nil : session.width)
  }

  /// Adds the rows of traces to a table.
  static func add(
    _ traces: [ShownTrace], to table: inout Table, _ session: Session, isVerbose: Bool
  ) {
    for trace in traces {
      let ratio = trace.ratio
      table.append(
        [
          .init("\(trace.sequence)", .sequence), .init(session.localTime(trace.time), .time),
          .init(isVerbose ? trace.origin.name : "", .origin),
          .init(Numbers.grouped(trace.units)), .init(Numbers.grouped(trace.paragraphs)),
        ] + (isVerbose ? trace.durations : []).map { .init(Numbers.duration($0), .faint) } + [
          .init(Numbers.duration(trace.total), .header),
          .init(trace.linear.map(Numbers.duration) ?? "", .faint),
          .init(ratio.map { Numbers.decimal($0, 2) } ?? "", (ratio ?? 0) > 10 ? .warning : .plain),
        ])
    }
  }

  private var durations: [Int64] {
    [phases.locate, phases.text, phases.attributes, phases.paragraphs, phases.notify]
  }

  fileprivate var ratio: Double? {
    linear.flatMap { $0 > 0 ? Double(total) / Double($0) : nil }
  }
}

/// The totals and ratios of traces, 16 bytes for each trace.
private struct TraceSpread {
  private var totals: [Int64] = []
  private var ratios: [Double] = []

  mutating func add(_ traces: [ShownTrace]) {
    totals += traces.map(\.total)
    ratios += traces.compactMap(\.ratio)
  }

  /// The number of traces, and percentiles of their totals and ratios by nearest rank. Nil if there
  /// are no traces.
  func table(_ session: Session) -> Table? {
    guard !totals.isEmpty else { return nil }
    let count = Numbers.grouped(totals.count) + (totals.count == 1 ? " DELETION" : " DELETIONS")
    let percentiles = [("MEDIAN", 50, 2), ("P90", 90, 1), ("P99", 99, 1), ("MAX", 100, nil)]
    var table = Table(
      [.init(title: count)]
        + percentiles.map { .init(title: $0.0, isRight: true, rank: $0.2) },
      style: session.style, width: session.width)
    func append<Value>(_ name: String, _ sorted: [Value], _ show: (Value) -> String) {
      guard !sorted.isEmpty else { return }
      table.append(
        [.init(name)]
          + percentiles.map { .init(show(sorted[max(1, (sorted.count * $0.1 + 99) / 100) - 1])) })
    }
    append("total", totals.sorted(), Numbers.duration)
    append("ratio", ratios.sorted()) { Numbers.decimal($0, 2) }
    return table
  }
}
