import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct TraceCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show what a document's large deletions cost, phase by phase.",
    discussion: """
      Each deletion is replayed and timed. LINEAR is the cost in proportion to what was removed, \
      measured by the same machine; RATIO is the total in units of it, near 1 where cost is \
      proportional. `--format chrome` prints a trace for chrome://tracing, Perfetto or speedscope.
      """)

  /// How to print traces.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, chrome
  }

  @Argument(help: "The document.") var name: String
  @Option(
    help: ArgumentHelp("The minimum length of a deletion, in UTF-16 units.", valueName: "units"))
  var minLength: Int?
  @Option(help: ArgumentHelp("table or chrome.", valueName: "format")) var format = Format.table
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
      return try session.output.writeLine(answer.chrome ?? "")
    }
    var table = ShownTrace.table(session)
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
        ShownTrace.add(part.traces, to: &table, session)
        try session.print(&table)
      }
    }
    if common.json { return }
    guard let summary = spread.line else {
      return session.note("No deletion is that large; --min-length sets the bound.")
    }
    try session.output.write("\n" + summary + "\n")
  }

  /// Deletions that are asked for at a time.
  private static let partCount = 1_024
}

extension ShownTrace {
  /// A table for traces.
  static func table(_ session: Session) -> Table {
    let numbers =
      ["UNITS", "PARAGRAPHS"] + ["LOCATE", "TEXT", "ATTRIBUTES", "PARAGRAPHS", "NOTIFY"]
    return Table(
      [.init(title: "EDIT", isRight: true), .init(title: "TIME"), .init(title: "ORIGIN")]
        + (numbers + ["TOTAL", "LINEAR", "RATIO"]).map { .init(title: $0, isRight: true) },
      style: session.style)
  }

  /// Adds the rows of traces to a table.
  static func add(_ traces: [ShownTrace], to table: inout Table, _ session: Session) {
    for trace in traces {
      let ratio = trace.ratio
      table.append(
        [
          .init("\(trace.sequence)", .sequence), .init(session.localTime(trace.time), .time),
          .init(trace.origin.name, .origin), .init(Numbers.grouped(trace.units)),
          .init(Numbers.grouped(trace.paragraphs)),
        ] + trace.durations.map { .init(Numbers.duration($0), .faint) } + [
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

/// The totals and ratios of traces. 16 bytes a trace.
private struct TraceSpread {
  private var totals: [Int64] = []
  private var ratios: [Double] = []

  mutating func add(_ traces: [ShownTrace]) {
    totals += traces.map(\.total)
    ratios += traces.compactMap(\.ratio)
  }

  /// One line: how many, and the spread of their totals and ratios. Nil if there are none.
  var line: String? {
    guard !totals.isEmpty else { return nil }
    let noun = totals.count == 1 ? "deletion" : "deletions"
    var line =
      "\(Numbers.grouped(totals.count)) \(noun); total: "
      + Self.percentiles(totals.sorted(), Numbers.duration)
    if !ratios.isEmpty {
      line +=
        "; ratio to linear: " + Self.percentiles(ratios.sorted()) { Numbers.decimal($0, 2) }
    }
    return line
  }

  /// Percentiles of an ascending, non-empty list, by nearest rank.
  private static func percentiles<Value>(
    _ sorted: [Value], _ show: (Value) -> String
  ) -> String {
    let ranks = [("median", 50), ("p90", 90), ("p99", 99), ("max", 100)]
    return ranks.map { name, percent in
      let rank = max(1, (sorted.count * percent + 99) / 100)
      return "\(name) \(show(sorted[rank - 1]))"
    }.joined(separator: ", ")
  }
}
