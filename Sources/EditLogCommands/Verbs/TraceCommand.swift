import ArgumentParser
import EditModel
import EditProtocol

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
    help: ArgumentHelp("Only deletions of at least so many UTF-16 units.", valueName: "units"))
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
    var params: JSONObject = [:]
    params["minLength"] = minLength.map { JSON($0) }
    let result = try await session.call("editlog/trace", on: name, reading.adding(to: params))
    if format == .chrome {
      return try session.output.write(bytes: (result["chrome"] ?? .null).serialized() + [0x0A])
    }
    let rows = try result.read("traces") { (json) throws(ShapeError) in try json.asArray() }
    if common.json { return try session.printJSON(each: rows) }
    let traces = try result.array("traces") { (json) throws(ShapeError) in try TraceRow(json) }
    guard !traces.isEmpty else {
      return session.note("No deletion is that large; --min-length sets the bound.")
    }
    var table = TraceRow.table(traces, session)
    try session.print(&table)
    try session.output.write("\n" + TraceRow.summary(traces) + "\n")
  }
}

/// The trace of one deletion as it is listed.
struct TraceRow: Sendable {
  private static let phases = ["locate", "text", "attributes", "paragraphs", "notify"]

  private let sequence: UInt64
  private let time: Timestamp
  private let origin: String
  private let units: Int64
  private let paragraphs: Int64
  private let durations: [Int64]
  private let total: Int64
  private let linear: Int64?

  init(_ json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    sequence = try object.unsigned("sequence")
    time = try object.time("time")
    origin = try object.string("origin").shown
    units = try object.integer("units", in: 0 ... .max)
    paragraphs = try object.integer("paragraphs", in: 0 ... .max)
    total = try object.integer("total", in: 0 ... .max)
    linear = try object.integerIfPresent("linear", in: 0 ... .max)
    let phases = try object.object("phases")
    var durations: [Int64] = []
    for phase in Self.phases {
      durations.append(try phases.integerIfPresent(phase, in: 0 ... .max) ?? 0)
    }
    self.durations = durations
  }

  /// The traces as a table.
  static func table(_ traces: [TraceRow], _ session: Session) -> Table {
    let numbers = ["UNITS", "PARAGRAPHS"] + phases.map { $0.uppercased() }
    var table = Table(
      [.init(title: "EDIT", isRight: true), .init(title: "TIME"), .init(title: "ORIGIN")]
        + (numbers + ["TOTAL", "LINEAR", "RATIO"]).map { .init(title: $0, isRight: true) },
      style: session.style)
    for trace in traces {
      let ratio = trace.ratio
      table.append(
        [
          .init("\(trace.sequence)", .sequence), .init(session.localTime(trace.time), .time),
          .init(trace.origin, .origin), .init(Numbers.grouped(trace.units)),
          .init(Numbers.grouped(trace.paragraphs)),
        ] + trace.durations.map { .init(Numbers.duration($0), .faint) } + [
          .init(Numbers.duration(trace.total), .header),
          .init(trace.linear.map(Numbers.duration) ?? "", .faint),
          .init(ratio.map { Numbers.decimal($0, 2) } ?? "", (ratio ?? 0) > 10 ? .warning : .plain),
        ])
    }
    return table
  }

  /// One line: how many, and the spread of their totals and ratios.
  static func summary(_ traces: [TraceRow]) -> String {
    let totals = traces.map(\.total).sorted()
    let ratios = traces.compactMap(\.ratio).sorted()
    let noun = totals.count == 1 ? "deletion" : "deletions"
    var line =
      "\(Numbers.grouped(totals.count)) \(noun); total: " + spread(totals, Numbers.duration)
    if !ratios.isEmpty {
      line += "; ratio to linear: " + spread(ratios) { Numbers.decimal($0, 2) }
    }
    return line
  }

  private var ratio: Double? {
    linear.flatMap { $0 > 0 ? Double(total) / Double($0) : nil }
  }

  /// Percentiles of an ascending, non-empty list, by nearest rank.
  private static func spread<Value>(_ sorted: [Value], _ show: (Value) -> String) -> String {
    let ranks = [("median", 50), ("p90", 90), ("p99", 99), ("max", 100)]
    return ranks.map { name, percent in
      let rank = max(1, (sorted.count * percent + 99) / 100)
      return "\(name) \(show(sorted[rank - 1]))"
    }.joined(separator: ", ")
  }
}
