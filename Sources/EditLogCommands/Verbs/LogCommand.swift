import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct LogCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List a document's edits and events, oldest first.",
    discussion: withExamples(
      """
      Edits that one undo would take back together share a line: time, author, UTF-16 units \
      inserted and removed, kind of change, the new text, after `for` the old text, and the \
      numbers of the edits. Marks, saves and other events have their own lines. Texts are cut to \
      fit; `--json` prints each edit whole, and `-o patch` what changed, as a unified diff.

      With -g, only edits after which a match of PATTERN appeared or vanished are printed, also one that \
      was typed letter by letter; the pattern is one of `grep`. --show-cursor prints an opaque word for \
      the place after the newest entry that was read; with --after-cursor, a later run goes on from there, \
      also if the daemon was restarted or the document renamed meanwhile.

      With -f, what is logged from then on is printed too, until you press Ctrl-C. If the daemon is \
      stopped meanwhile, this waits for it, and continues where it was. With -g, the matches of the whole \
      history are looked up again after each delivery.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("an edit or an event", Codec<HistoryEntry>.entry),
      .init("with --show-cursor, the last line", LogCursor.codec),
    ]
  }

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case short, json, patch
  }

  static let examples = [
    Example("editlog log essay -n 20", "the last 20 lines of edits"),
    Example("editlog log essay --since session:-1", "what happened in the last session"),
    Example(
      "editlog log essay -S '15:00 yesterday' -U '16:00 yesterday' -v",
      "an hour of yesterday, with ranges and seconds"),
    Example("editlog log -f essay", "what is logged from now on too"),
    Example("editlog log essay --json", "each edit whole, for a program"),
  ]

  @Argument(
    help: "The document, or DOCUMENT@POINT with the last version.", completion: .documents)
  var name: String
  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("lines")],
    help: ArgumentHelp(
      "Print at most this number of lines of edits, the newest. (default: all)",
      valueName: "count"))
  var count: UInt64?
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Form of the output: short; json, as --json; or patch, a diff after each line.",
      valueName: "format"))
  var format = Format.short
  @Option(
    name: [.customShort("g", allowingJoined: true), .customLong("grep")],
    help: ArgumentHelp(
      "Only edits after which a match of this pattern appeared or vanished. (default: all)",
      valueName: "pattern"))
  var pattern: String?
  @Flag(name: [.customShort("i"), .long], help: "With -g: ignore the case of letters.")
  var ignoreCase = false
  @Flag(name: [.customShort("F"), .customLong("fixed")], help: "With -g: the pattern is a string.")
  var isFixed = false
  @Flag(help: "Print each edit on a line of its own.") var edits = false
  @Flag(name: .shortAndLong, help: "Print ranges and seconds too, and lines of any length.")
  var verbose = false
  @Flag(name: [.short, .customLong("reverse")], help: "Print the newest first.") var reverse = false
  @Flag(name: .shortAndLong, help: "Print what is logged from now on too; with -n 0, only that.")
  var follow = false
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp("From this point on. (default: the first edit)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp("Up to this point. (default: latest)", valueName: "point"),
    completion: .points)
  var until: String?
  @Option(
    help: ArgumentHelp("Start at the entry of this cursor. (default: none)", valueName: "cursor"))
  var cursor: String?
  @Option(
    help: ArgumentHelp("Start after the entry of this cursor. (default: none)", valueName: "cursor")
  )
  var afterCursor: String?
  @Flag(help: "Print the cursor of the newest entry at the end.") var showCursor = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// The maximum number of edits in one call.
  private static let pageSize = 1_000
  /// `pageSize` if links are checked: each call then reads up to two more blocks of 4,096 edits.
  private static let verifiedPageSize = 8_192

  /// `DOCUMENT@POINT` gives the last version.
  var at: String? {
    get { until }
    set { until = newValue }
  }

  /// True if the output is JSON.
  var isJSON: Bool { common.json || format == .json }
  var isPaged: Bool { !isJSON && !follow }
  var isTable: Bool { format != .patch }

  func validate() throws {
    guard !follow || (!reverse && until == nil && !showCursor) else {
      throw ValidationError("-f excludes --reverse, --until and --show-cursor.")
    }
    guard pattern != nil || !ignoreCase && !isFixed else {
      throw ValidationError("--ignore-case and --fixed need --grep (-g).")
    }
    guard [since, cursor, afterCursor].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("--since, --cursor and --after-cursor exclude each other.")
    }
    guard !common.json || format != .patch else {
      throw ValidationError("--json excludes --format patch.")
    }
    for (option, text) in [("--cursor", cursor), ("--after-cursor", afterCursor)] {
      guard let text, LogCursor(text) == nil else { continue }
      throw ValidationError("\(option) takes a cursor as --show-cursor prints it.")
    }
  }

  func run(in session: Session) async throws {
    let start = try await startPosition(in: session)
    if follow {
      let first = try await range(in: session, from: start)
      return try await follow(
        in: session, from: start ?? HistoryPosition(after: first.after))
    }
    if count == 0 { return try await printNewestCursor(in: session, from: start) }
    let matches = try await matchingEdits(in: session)
    let newest =
      isJSON
      ? try await printJSON(session, from: start, matches)
      : try await printLines(session, from: start, matches)
    try printCursor(newest, session)
  }

  /// Prints an object for each entry. Returns the place after the newest that was read.
  private func printJSON(
    _ session: Session, from start: HistoryPosition?, _ matches: Set<SequenceNumber>?
  ) async throws -> LogCursor? {
    let order = order(from: start)
    var (rest, kept) = (count ?? .max, [HistoryEntry]())
    let newest = try await forEachPage(
      session, from: start, of: matches == nil && !order.readsAll ? rest : .max,
      { LogRequest($0, $1) }
    ) { entries, _ in
      for entry in entries {
        if let matches, !matches.contains(entry) { continue }
        if order.isKept { kept.append(entry) } else { try session.printJSON(entry, .entry) }
        guard entry.logPlace.isEdit, !order.readsAll else { continue }
        rest -= 1
        if rest == 0, matches != nil { return 0 }
      }
      return matches == nil && !order.readsAll ? rest : .max
    }
    try session.printJSON(
      each: order.arranged(kept, count) { $0.logPlace.isEdit }, .entry)
    return newest
  }

  /// Prints a line for each run of edits and for each event. Returns the place after the newest entry that
  /// was read.
  private func printLines(
    _ session: Session, from start: HistoryPosition?, _ matches: Set<SequenceNumber>?
  ) async throws -> LogCursor? {
    let order = order(from: start)
    var table = LogTable(session, isVerbose: verbose, isSingle: edits)
    var builder = EditRunBuilder(isSingle: edits, newestFirst: order.isNewestFirst)
    var (rest, kept) = (order.readsAll ? .max : count ?? .max, [LogRow]())
    let limit = edits && matches == nil ? rest : .max
    let newest = try await forEachPage(
      session, from: start, of: limit,
      { LogPreviewRequest($0, $1, textMax: EditRun.textMax) }
    ) { entries, isLast in
      var rows: [LogRow] = []
      for entry in entries where rest > 0 { rows += builder.append(entry) }
      if isLast { rows += builder.finish() }
      for row in rows where rest > 0 && matches?.contains(row) ?? true {
        if order.isKept { kept.append(row) } else { try await print(row, &table, session) }
        if row.isRun { rest -= 1 }
      }
      try session.output.write(table.takeLines())
      return limit < .max || rest == 0 ? rest : .max
    }
    for row in order.arranged(kept, count, isCounted: \.isRun) {
      try await print(row, &table, session)
    }
    try session.output.write(table.takeLines())
    return newest
  }

  /// Adds a line, and with `-o patch` prints it with what changed.
  func print(_ row: LogRow, _ table: inout LogTable, _ session: Session) async throws {
    table.append(row)
    guard format == .patch else { return }
    try session.output.write(table.takeLines())
    guard case .run(let run) = row else { return }
    let (first, last) = (run.sequences.lowerBound, run.sequences.upperBound)
    let (_, end) = try await session.forEachDiffPart(
      of: name, from: .sequence(first - 1), to: .sequence(last), context: 3,
      reading.afterFirstPart
    ) { part, number in
      try session.output.write(
        DiffCommand.paint(
          session.shown(part.unified), session.style, hasHeader: number == 0))
    }
    try session.output.write(DiffCommand.attributeLines(end, session.style))
  }

  /// Prints the cursor of the newest entry, for `-n 0`.
  private func printNewestCursor(
    in session: Session, from start: HistoryPosition?
  ) async throws {
    guard showCursor else { return }
    let newest = try await forEachPage(
      session, from: start, of: start == nil ? 1 : .max, { LogPreviewRequest($0, $1, textMax: 0) }
    ) { _, _ in start == nil ? 0 : .max }
    try printCursor(newest, session)
  }

  private func order(from start: HistoryPosition?) -> LogOrder {
    LogOrder(count: count, isReversed: reverse, hasCursor: start != nil)
  }

  /// Calls `body` with the entries of at most `count` edits, page by page, and with true for the
  /// last page. `body` returns how many more edits are wanted. Returns the place after the newest entry.
  private func forEachPage<Request: HistoryQuestion>(
    _ session: Session, from start: HistoryPosition?, of count: UInt64,
    _ request: (HistoryReference, HistoryPart) -> Request,
    _ body: (_ entries: [Request.Answer.Entry], _ isLast: Bool) async throws -> UInt64
  ) async throws -> LogCursor?
  where Request.Answer: HistoryPartAnswer, Request.Answer.Entry: PlacedEntry {
    let pageSize = reading.isVerified ? Self.verifiedPageSize : Self.pageSize
    let isNewestFirst = order(from: start).isNewestFirst
    var (after, through) = try await range(in: session, from: start)
    let (times, before) = (try await eventTimes(in: session, after: after), after)
    // Events come with the edit before them, which is not printed itself.
    if times.lowerBound.nanoseconds > .min, after > 0 { after -= 1 }
    var reader = CursorReader(after: after, start: start)
    var (rest, reading, hasEntries) = (count, reading, false)
    while rest > 0 {
      let part = HistoryPart(
        after: after, through: through, limit: Int(min(rest, UInt64(pageSize))),
        newestFirst: isNewestFirst)
      let page = try await session.ask(name, reading) { request($0, part) }
      let isWanted = { (place: LogPlace) in
        place.isEdit ? place.sequence > before : times.contains(place.time)
      }
      if isNewestFirst {
        reader.note(newestFirst: Array(page.entries.drop { !isWanted($0.logPlace) }))
      }
      let entries =
        isNewestFirst
        ? page.entries.filter { isWanted($0.logPlace) }
        : reader.read(page.entries, where: isWanted)
      if entries.isEmpty, page.next == nil, !hasEntries, since ?? until != nil {
        session.note("There are no edits and no events in this range.")
      }
      hasEntries = hasEntries || !entries.isEmpty
      rest = try await body(entries, page.next == nil)
      guard let next = page.next else { return reader.newest }
      if isNewestFirst { through = next } else { after = next }
      reading = reading.afterFirstPart
    }
    return reader.newest
  }

  /// The times of the events that are printed. An event comes with the edit before it, which can be long
  /// before it.
  private func eventTimes(
    in session: Session, after version: SequenceNumber
  ) async throws -> ClosedRange<Timestamp> {
    var times: (first: Int64, last: Int64) = (.min, .max)
    switch try since.map({ try session.parsePoint($0, startsSecond: true) }) {
    case .time(let time): times.first = time.nanoseconds
    case .session(let number):
      let start = try await session.start(ofSession: number, at: version, of: name, reading)
      times.first = start?.nanoseconds ?? .min
    default: break
    }
    if let until, case .time(let time) = try session.parsePoint(until) {
      times.last = max(times.first, time.nanoseconds)
    }
    return Timestamp(nanoseconds: times.first)...Timestamp(nanoseconds: times.last)
  }

  /// The edit after which entries are asked for, and the last one.
  func range(
    in session: Session, from start: HistoryPosition? = nil
  ) async throws -> (after: SequenceNumber, through: SequenceNumber?) {
    var range: (after: SequenceNumber, through: SequenceNumber?) = (0, nil)
    // From the edit before which the place is, because events after an edit come with it.
    if let start { range.after = start.after == 0 ? 0 : start.after - 1 }
    if let since { range.after = try await session.sequence(before: since, of: name, reading) }
    if let until { range.through = try await session.sequence(at: until, of: name, reading) }
    return range
  }
}

/// The order in which `log` reads and prints entries.
struct LogOrder: Hashable, Sendable {
  /// True if entries are read newest first.
  let isNewestFirst: Bool
  /// True if all are read before the first is printed.
  let isKept: Bool
  /// True if the number of entries to print is known only after all are read.
  let readsAll: Bool
  private let isReversed: Bool

  init(count: UInt64?, isReversed: Bool, hasCursor: Bool) {
    // Places after a cursor are counted from it on.
    isNewestFirst = !hasCursor && (isReversed || count != nil)
    readsAll = hasCursor && (isReversed || count != nil)
    isKept = readsAll || (count != nil && !isReversed)
    self.isReversed = isReversed
  }

  /// What was kept, in the order in which it is printed: the newest `count` that are counted, and what is
  /// between them.
  func arranged<Entry>(
    _ kept: [Entry], _ count: UInt64?, isCounted: (Entry) -> Bool
  ) -> [Entry] {
    guard readsAll else { return kept.reversed() }
    var (rest, start) = (count ?? .max, kept.endIndex)
    while start > kept.startIndex, rest > 0 {
      start -= 1
      if isCounted(kept[start]) { rest -= 1 }
    }
    let newest = Array(kept[start...])
    return isReversed ? newest.reversed() : newest
  }
}

extension Set<SequenceNumber> {
  func contains(_ row: LogRow) -> Bool {
    guard case .run(let run) = row else { return false }
    return run.sequences.contains { contains($0) }
  }

  func contains(_ entry: HistoryEntry) -> Bool {
    entry.logPlace.isEdit && contains(entry.logPlace.sequence)
  }
}

extension LogRow {
  fileprivate var isRun: Bool { if case .run = self { true } else { false } }
}
