import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct TraceCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show what a document's large deletions cost.",
    discussion: withExamples(
      """
      Each deletion is replayed and timed: TOTAL. LIVE is its time as it happened in the daemon, from \
      the first byte of the request to the reply, if the daemon measured it: it keeps the last of each \
      document, also through a restart. --verbose prints each phase of both. LINEAR is the time of a \
      list algorithm that many text systems use, measured on the same machine: for one deletion its \
      cost is the number of removed paragraphs times that of all. RATIO is TOTAL divided by LINEAR. \
      After the percentiles come the costs by REMOVED paragraphs, and what deleting all of 128,000 \
      paragraphs but two costs here and by the list algorithm, of which 16,000 are measured and the \
      rest is extrapolated.

      --slower-than lists edits of any kind by their time, replayed or live. --format chrome prints a trace for \
      chrome://tracing and Perfetto, speedscope one for speedscope.app, svg a plot of cost against \
      paragraphs, json a line for each edit, as --json does.
      """))

  static let examples = [
    Example("editlog trace essay", "what the large deletions cost"),
    Example("editlog trace essay --slower-than 1ms", "the slow edits of any kind"),
    Example("editlog trace essay --format chrome > trace.json", "a trace for Perfetto"),
  ]

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json, chrome, speedscope, svg
  }

  static var jsonLines: [JSONLine] { [.init("the cost of an edit", ShownTrace.codec)] }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    help: ArgumentHelp(
      """
      The minimum length of a deletion, in UTF-16 units. (default: \
      \(TraceRequest.boundsDefault))
      """, valueName: "units"))
  var minLength: Int?
  @Option(
    help: ArgumentHelp(
      """
      List edits of any kind that take this time or longer: 250us, 1ms, 2s. (default: large \
      deletions)
      """, valueName: "time"), transform: ShortDuration.init(argument:))
  var slowerThan: ShortDuration?
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Form of the output: table, json, chrome, speedscope or svg.", valueName: "format"))
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
    guard minLength == nil || slowerThan == nil else {
      throw ValidationError("--min-length and --slower-than exclude each other.")
    }
    guard !common.json || format == .table || format == .json else {
      throw ValidationError("--json excludes --format \(format.rawValue).")
    }
  }

  func run(in session: Session) async throws {
    switch format {
    case .chrome:
      let answer = try await session.ask(name, reading) {
        TraceRequest(
          $0, lengthMin: minLength, slowerThan: slowerThan?.nanoseconds, format: .chrome)
      }
      try session.write(json: Array((answer.chrome ?? "").utf8))
      try session.output.write("\n")
    case .speedscope:
      var profile = SpeedscopeProfile(document: name)
      try await forEachPart(session) { profile.add($0) }
      try session.write(json: Array(profile.text.utf8))
      try session.output.write("\n")
    case .svg:
      var plot = DeletionPlot(document: name)
      try await forEachPart(session) { plot.add($0) }
      plot.addYardstick()
      try session.output.write(plot.svg)
    case .table where common.json, .json:
      try await forEachPart(session) { try session.printJSON(each: $0, ShownTrace.codec) }
    case .table:
      try await printTable(session)
    }
  }

  private func printTable(_ session: Session) async throws {
    var table = ShownTrace.table(session, isVerbose: verbose)
    var spread = TraceSpread()
    try await forEachPart(session) { traces in
      spread.add(traces)
      guard !traces.isEmpty else { return }
      ShownTrace.add(traces, to: &table, session, isVerbose: verbose)
      try session.print(&table)
    }
    guard var summary = spread.table(session), var sizes = spread.sizeTable(session) else {
      return session.note(
        slowerThan == nil
          ? "No deletion is large enough; --min-length sets the minimum length."
          : "No edit takes this time.")
    }
    try session.output.write("\n")
    try session.print(&summary)
    if var phases = spread.liveTable(session) {
      try session.output.write("\n")
      try session.print(&phases)
    }
    try session.output.write("\n")
    try session.print(&sizes)
    guard let yardstick = DeletionPlot.yardstick else { return }
    try session.output.write("\n" + Self.wrapped(yardstick, to: session.width ?? 80))
  }

  /// A sentence in lines of at most `width` columns, if no word of it is longer.
  private static func wrapped(_ sentence: String, to width: Int) -> String {
    var (lines, line) = ("", "")
    for word in sentence.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines += line + "\n"
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + line + "\n"
  }

  /// Calls `body` with the traces, part by part.
  private func forEachPart(
    _ session: Session, _ body: ([ShownTrace]) throws -> Void
  ) async throws {
    try await session.forEachTrace(
      of: name, lengthMin: minLength, slowerThan: slowerThan?.nanoseconds, reading, body)
  }
}

extension Session {
  /// The maximum number of deletions in one call.
  private static let tracesMax = 1_024

  /// Calls `body` with what the large deletions of a history cost, part by part.
  func forEachTrace(
    of name: String, lengthMin: Int? = nil, slowerThan: Int64? = nil, _ reading: ReadingOptions,
    _ body: ([ShownTrace]) throws -> Void
  ) async throws {
    var (after, options): (SequenceNumber?, ReadingOptions) = (0, reading)
    while let start = after {
      let part = try await ask(name, options) {
        TraceRequest(
          $0, lengthMin: lengthMin, slowerThan: slowerThan, format: .table, after: start,
          limit: Self.tracesMax)
      }
      (after, options) = (part.next, reading.afterFirstPart)
      try body(part.traces)
    }
  }
}

extension ShownTrace {
  /// The columns of phases, in the order in which they happen in the daemon.
  private static let phaseTitles = [
    "RECEIVE", "DECODE", "LOCATE", "TEXT", "ATTRIBUTES", "PARAGRAPHS", "JOURNAL", "FLUSH", "NOTIFY",
    "ACKNOWLEDGE", "WAITING",
  ]

  /// A table for traces; with the duration of each phase if it is verbose.
  static func table(_ session: Session, isVerbose: Bool) -> Table {
    let phases = isVerbose ? phaseTitles : []
    return session.table(
      [
        .init(title: "EDIT", isRight: true), .init(title: "TIME", rank: 2),
        .init(title: "ORIGIN", rank: 3), .init(title: "UNITS", isRight: true, rank: 5),
        .init(title: "PARAGRAPHS", isRight: true, rank: 4),
      ] + phases.map { .init(title: $0, isRight: true) } + [
        .init(title: "TOTAL", isRight: true), .init(title: "LIVE", isRight: true),
        .init(title: "LINEAR", isRight: true, rank: 1), .init(title: "RATIO", isRight: true),
      ], isWide: isVerbose)
  }

  /// Adds the rows of traces to a table: one for each edit; if it is verbose, a second one with the
  /// phases as it happened.
  static func add(
    _ traces: [ShownTrace], to table: inout Table, _ session: Session, isVerbose: Bool
  ) {
    func show(_ duration: Int64?) -> String { duration.map(Numbers.duration) ?? "" }
    for trace in traces {
      let ratio = trace.ratio
      table.append(
        [
          .init("\(trace.sequence)", .sequence), .init(session.localTime(trace.time), .time),
          .init(isVerbose ? trace.origin.name : "", .origin),
          .init(Numbers.grouped(trace.units)), .init(Numbers.grouped(trace.paragraphs)),
        ] + (isVerbose ? trace.durations : []).map { .init(show($0), .faint) } + [
          .init(Numbers.duration(trace.total), .header),
          .init(isVerbose ? "" : show(trace.live?.total), .header),
          .init(show(trace.linear), .faint),
          .init(ratio.map { Numbers.decimal($0, 2) } ?? "", (ratio ?? 0) > 10 ? .warning : .plain),
        ])
      guard isVerbose, let live = trace.live else { continue }
      let phases = live.durations.map { Table.Cell(show($0.duration), .faint) }
      table.append(
        [.init(""), .init("live", .time), .init(""), .init(""), .init("")] + phases
          + [.init(Numbers.duration(live.total), .header)])
    }
  }

  /// The durations of the phases, nil for those that are only measured live.
  private var durations: [Int64?] {
    [
      nil, nil, phases.locate, phases.text, phases.attributes, phases.paragraphs, nil, nil,
      phases.notify, nil, nil,
    ]
  }

  fileprivate var ratio: Double? {
    linear.flatMap { $0 > 0 ? Double(total) / Double($0) : nil }
  }
}

extension ShownLiveTrace {
  /// The durations of the phases and of waiting, with their names.
  var durations: [(name: String, duration: Int64?)] {
    [
      ("receive", phases.receive), ("decode", phases.decode), ("locate", phases.locate),
      ("text", phases.text), ("attributes", phases.attributes), ("paragraphs", phases.paragraphs),
      ("journal", phases.journal), ("flush", phases.flush), ("notify", phases.notify),
      ("acknowledge", phases.acknowledge), ("waiting", waiting),
    ]
  }
}

/// The totals, sizes and ratios of traces, a few bytes for each trace.
private struct TraceSpread {
  private var totals: [Int64] = []
  /// What was measured as the edits happened; of at most a few hundred.
  private var live: [ShownLiveTrace] = []
  private var ratios: [Double] = []
  /// The totals, and those of the list algorithm, by the number of digits of the paragraphs.
  private var sizes: [Int: (totals: [Int64], linear: [Int64])] = [:]

  mutating func add(_ traces: [ShownTrace]) {
    for trace in traces {
      let digits = trace.paragraphs == 0 ? 0 : String(trace.paragraphs).count
      sizes[digits, default: ([], [])].totals.append(trace.total)
      if let linear = trace.linear { sizes[digits]?.linear.append(linear) }
    }
    totals += traces.map(\.total)
    live += traces.compactMap(\.live)
    ratios += traces.compactMap(\.ratio)
  }

  /// The median cost by the number of removed paragraphs. Nil if there are no traces.
  func sizeTable(_ session: Session) -> Table? {
    guard !sizes.isEmpty else { return nil }
    var table = session.table(
      [
        .init(title: "REMOVED"), .init(title: "EDITS", isRight: true, rank: 2),
        .init(title: "MEDIAN", isRight: true), .init(title: "LINEAR", isRight: true, rank: 1),
      ])
    for (digits, times) in sizes.sorted(by: { $0.key < $1.key }) {
      let first = (1..<max(1, digits)).reduce(1) { product, _ in product * 10 }
      let name =
        digits == 0 ? "none" : "\(Numbers.grouped(first)) to \(Numbers.grouped(first * 10 - 1))"
      func median(_ values: [Int64]) -> String {
        values.isEmpty ? "" : Numbers.duration(values.sorted()[(values.count - 1) / 2])
      }
      table.append([
        .init(name), .init(Numbers.grouped(times.totals.count)),
        .init(median(times.totals), .header), .init(median(times.linear), .faint),
      ])
    }
    return table
  }

  /// The number of traces, and percentiles of their totals and ratios by nearest rank. Nil if there
  /// are no traces.
  func table(_ session: Session) -> Table? {
    guard !totals.isEmpty else { return nil }
    let count = Numbers.grouped(totals.count) + (totals.count == 1 ? " EDIT" : " EDITS")
    var table = Self.percentileTable(count, session)
    Self.append("total", totals, to: &table, Numbers.duration)
    Self.append("live", live.map(\.total), to: &table, Numbers.duration)
    Self.append("ratio", ratios, to: &table) { Numbers.decimal($0, 2) }
    return table
  }

  /// Percentiles of the phases as the edits happened. Nil if none was measured.
  func liveTable(_ session: Session) -> Table? {
    guard let first = live.first else { return nil }
    let count = Numbers.grouped(live.count)
    var table = Self.percentileTable("\(count) LIVE", session)
    for (position, phase) in first.durations.enumerated() {
      let durations = live.compactMap { $0.durations[position].duration }
      Self.append(phase.name, durations, to: &table, Numbers.duration)
    }
    return table
  }

  private static let percentiles = [
    ("MEDIAN", 50, 2), ("P90", 90, 1), ("P99", 99, 1), ("MAX", 100, nil),
  ]

  private static func percentileTable(_ title: String, _ session: Session) -> Table {
    session.table(
      [.init(title: title)]
        + percentiles.map { .init(title: $0.0, isRight: true, rank: $0.2) })
  }

  private static func append<Value: Comparable>(
    _ name: String, _ values: [Value], to table: inout Table, _ show: (Value) -> String
  ) {
    guard !values.isEmpty else { return }
    let sorted = values.sorted()
    table.append(
      [.init(name)]
        + percentiles.map { .init(show(sorted[max(1, (sorted.count * $0.1 + 99) / 100) - 1])) })
  }
}
