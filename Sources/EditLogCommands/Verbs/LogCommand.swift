import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct LogCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List a document's edits and events, oldest first.",
    discussion: withExamples(
      """
      Edits that one undo would take back together share a line: time, author, UTF-16 units \
      inserted and removed, kind of change, the new text, after `for` the old text, and the \
      numbers of the edits. Marks, saves and other events have their own lines. Texts are cut to \
      fit; `--json` prints each edit whole.

      With -f, what is logged from then on is printed too, until you press Ctrl-C. If the daemon is \
      stopped meanwhile, this waits for it, and continues where it was.
      """))

  static let examples = [
    Example("editlog log essay -n 20", "the last 20 lines of edits"),
    Example("editlog log essay --since session:-1", "what happened in the last session"),
    Example(
      "editlog log essay -S '15:00 yesterday' -U '16:00 yesterday' -v",
      "an hour of yesterday, with ranges and seconds"),
    Example("editlog log -f essay", "what is logged from now on too"),
    Example("editlog log essay --json", "each edit whole, for a program"),
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    name: [.customShort("n"), .customLong("lines")],
    help: ArgumentHelp(
      "Print at most this number of lines of edits, the newest. (default: all)",
      valueName: "count"))
  var count: UInt64?
  @Flag(help: "Print each edit on a line of its own.") var edits = false
  @Flag(name: .shortAndLong, help: "Print ranges and seconds too, and lines of any length.")
  var verbose = false
  @Flag(name: [.short, .customLong("reverse")], help: "Print the newest first.") var reverse = false
  @Flag(name: .shortAndLong, help: "Print what is logged from now on too; with -n 0, only that.")
  var follow = false
  @Option(
    name: [.customShort("S"), .long],
    help: ArgumentHelp("From this point on. (default: the first edit)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U"), .long],
    help: ArgumentHelp("Up to this point. (default: latest)", valueName: "point"),
    completion: .points)
  var until: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// The maximum number of edits in one call.
  private static let pageSize = 1_000
  /// `pageSize` if links are checked: each call then reads up to two more blocks of 4,096 edits.
  private static let verifiedPageSize = 8_192

  var isPaged: Bool { !common.json && !follow }

  func validate() throws {
    guard !follow || (!reverse && until == nil) else {
      throw ValidationError("-f excludes --reverse and --until.")
    }
  }

  func run(in session: Session) async throws {
    if follow {
      return try await follow(in: session, from: try await range(in: session).after)
    }
    if count == 0 { return }
    if common.json { try await printJSON(session) } else { try await printLines(session) }
  }

  /// Prints an object for each entry.
  private func printJSON(_ session: Session) async throws {
    var (rest, pages) = (count ?? .max, [[HistoryEntry]]())
    try await forEachPage(session, of: rest, { LogRequest($0, $1) }) { entries, _ in
      if isTurned { pages.append(entries) } else { try session.printJSON(each: entries, .entry) }
      rest -= UInt64(entries.count { if case .edit = $0 { true } else { false } })
      return rest
    }
    for page in pages.reversed() { try session.printJSON(each: page.reversed(), .entry) }
  }

  /// Prints a line for each run of edits and for each event.
  private func printLines(_ session: Session) async throws {
    var table = LogTable(session, isVerbose: verbose, isSingle: edits)
    var builder = EditRunBuilder(isSingle: edits, newestFirst: newestFirst)
    var (rest, kept) = (count ?? .max, [LogRow]())
    func take(_ rows: [LogRow]) {
      for row in rows where rest > 0 {
        if isTurned { kept.append(row) } else { table.append(row) }
        if case .run = row { rest -= 1 }
      }
    }
    try await forEachPage(
      session, of: edits ? rest : .max, { LogPreviewRequest($0, $1, textMax: EditRun.textMax) }
    ) { entries, isLast in
      for entry in entries where rest > 0 { take(builder.append(entry)) }
      if isLast { take(builder.finish()) }
      try session.output.write(table.takeLines())
      return edits || rest == 0 ? rest : .max
    }
    for row in kept.reversed() { table.append(row) }
    try session.output.write(table.takeLines())
  }

  /// True if entries are asked for newest first.
  private var newestFirst: Bool { reverse || count != nil }
  /// True if they are printed in the opposite order. Then all are read before the first is printed.
  private var isTurned: Bool { count != nil && !reverse }

  /// Calls `body` with the entries of at most `count` edits, page by page, and with true for the
  /// last page. `body` returns how many more edits are wanted.
  private func forEachPage<Request: HistoryQuestion>(
    _ session: Session, of count: UInt64,
    _ request: (HistoryReference, HistoryPart) -> Request,
    _ body: (_ entries: [Request.Answer.Entry], _ isLast: Bool) throws -> UInt64
  ) async throws where Request.Answer: HistoryPartAnswer {
    let pageSize = reading.isVerified ? Self.verifiedPageSize : Self.pageSize
    var (after, through) = try await range(in: session)
    var (rest, reading) = (count, reading)
    while rest > 0 {
      let part = HistoryPart(
        after: after, through: through, limit: Int(min(rest, UInt64(pageSize))),
        newestFirst: newestFirst)
      let page = try await session.ask(name, reading) { request($0, part) }
      if page.entries.isEmpty, since ?? until != nil {
        session.note("There are no edits and no events in this range.")
      }
      rest = try body(page.entries, page.next == nil)
      guard let next = page.next else { return }
      if newestFirst { through = next } else { after = next }
      reading = reading.afterFirstPart
    }
  }

  /// The edit after which entries are asked for, and the last one.
  private func range(
    in session: Session
  ) async throws -> (after: SequenceNumber, through: SequenceNumber?) {
    var range: (after: SequenceNumber, through: SequenceNumber?) = (0, nil)
    if let since { range.after = try await session.sequence(before: since, of: name, reading) }
    if let until { range.through = try await session.sequence(at: until, of: name, reading) }
    return range
  }
}
