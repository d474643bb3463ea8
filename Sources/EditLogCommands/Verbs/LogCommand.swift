import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct LogCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List a document's edits and events, oldest first.",
    discussion: """
      A line an edit: number, local time, origin, author, range before the edit in UTF-16 \
      units, change in length, and the beginning of the new text. Marks, saves and other events \
      stand between the edits.
      """)

  @Argument(help: "The document.") var name: String
  @Option(
    name: [.customShort("n"), .customLong("lines")],
    help: ArgumentHelp("Print only the newest edits: at most this number.", valueName: "count"))
  var count: UInt64?
  @Flag(name: [.short, .customLong("reverse")], help: "Newest first.") var reverse = false
  @Option(
    name: [.customShort("S"), .long],
    help: ArgumentHelp("From this point on.", valueName: "point"))
  var since: String?
  @Option(
    name: [.customShort("U"), .long],
    help: ArgumentHelp("Up to this point.", valueName: "point"))
  var until: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// Edits asked for at a time.
  static let pageSize = 1_000
  /// The same if links are checked: each page costs up to two more of 4,096.
  private static let verifiedPageSize = 8_192

  func run(in session: Session) async throws {
    let range = try await range(in: session)
    var printer = EntryPrinter(session, isJSON: common.json)
    if let count, !reverse {
      // The newest edits, oldest first: all are read before the first is printed.
      var pages: [[HistoryEntry]] = []
      try await forEachPage(range, count, newestFirst: true, session) { pages.append($0) }
      for page in pages.reversed() { try printer.print(page.reversed()) }
    } else {
      try await forEachPage(range, count ?? .max, newestFirst: reverse, session) {
        try printer.print($0)
      }
    }
  }

  /// Calls `body` with the entries of at most `count` edits, a page at a time.
  private func forEachPage(
    _ range: (after: SequenceNumber, through: SequenceNumber?), _ count: UInt64,
    newestFirst: Bool, _ session: Session, _ body: ([HistoryEntry]) throws -> Void
  ) async throws {
    let pageSize = reading.isVerified ? Self.verifiedPageSize : Self.pageSize
    var (range, rest, reading) = (range, count, reading)
    while rest > 0 {
      let limit = Int(min(rest, UInt64(pageSize)))
      let (after, through) = range
      let page = try await session.ask(name, reading) {
        LogRequest($0, after: after, through: through, limit: limit, newestFirst: newestFirst)
      }
      try body(page.entries)
      guard let next = page.next else { return }
      if newestFirst { range.through = next } else { range.after = next }
      reading = reading.afterFirstPart
      rest -= UInt64(limit)
    }
  }

  /// The edit after which entries are asked for, and the last one.
  private func range(
    in session: Session
  ) async throws -> (after: SequenceNumber, through: SequenceNumber?) {
    var range: (after: SequenceNumber, through: SequenceNumber?) = (0, nil)
    if let since { range.after = try await before(since, session) }
    if let until { range.through = try await at(try session.parsePoint(until), session) }
    return range
  }

  /// The number of the edit before those from a point on.
  private func before(_ text: String, _ session: Session) async throws -> SequenceNumber {
    switch try session.parsePoint(text, startsSecond: true) {
    case .time(let time):
      let earlier = time.nanoseconds == .min ? time.nanoseconds : time.nanoseconds - 1
      return try await at(.time(Timestamp(nanoseconds: earlier)), session)
    case let point:
      let sequence = try await at(point, session)
      return sequence == 0 ? 0 : sequence - 1
    }
  }

  private func at(_ point: Point, _ session: Session) async throws -> SequenceNumber {
    if case .sequence(let sequence) = point { return sequence }
    // One unit of the text is enough to learn the version's number.
    return try await session.ask(name, reading) {
      StateRequest($0, VersionPart(at: PointExpression(point), limit: 1))
    }.sequence
  }
}

/// Prints entries, as lines or as JSON.
private struct EntryPrinter {
  private let session: Session
  private let isJSON: Bool
  private var table: EntryTable

  init(_ session: Session, isJSON: Bool) {
    (self.session, self.isJSON, table) = (session, isJSON, EntryTable(session))
  }

  mutating func print(_ entries: [HistoryEntry]) throws {
    if isJSON { return try session.printJSON(each: entries, .entry) }
    for entry in entries { table.append(entry) }
    try session.output.write(table.takeLines())
  }
}
