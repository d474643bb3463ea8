import ArgumentParser
import EditModel
import EditProtocol

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
    help: ArgumentHelp("Only the newest so many edits.", valueName: "count"))
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

  /// Edits asked for at once.
  static let pageSize: UInt64 = 1000
  /// The same if links are checked: each page costs up to two more of 4,096.
  private static let verifiedPageSize: UInt64 = 8192

  func run(in session: Session) async throws {
    let range = try await range(in: session)
    var printer = EntryPrinter(session, isJSON: common.json)
    if let count, !reverse {
      return try await printNewest(count, range, session, &printer)
    }
    var rest = count ?? .max
    var params = reading.adding(to: range)
    if reverse { params["newestFirst"] = true }
    while rest > 0 {
      let limit = min(rest, reading.isVerified ? Self.verifiedPageSize : Self.pageSize)
      params["limit"] = JSON(limit)
      let result = try await session.call("editlog/log", on: name, params)
      try printer.print(try Self.entries(result))
      guard let next = result["next"], next != .null else { return }
      params["head"] = nil
      params[reverse ? "through" : "after"] = next
      rest -= limit
    }
  }

  /// The newest `count` edits, oldest first: they have to be there before the first is printed.
  private func printNewest(
    _ count: UInt64, _ range: JSONObject, _ session: Session, _ printer: inout EntryPrinter
  ) async throws {
    var pages: [[JSON]] = []
    var (params, rest) = (reading.adding(to: range), count)
    params["newestFirst"] = true
    while rest > 0 {
      let limit = min(rest, reading.isVerified ? Self.verifiedPageSize : Self.pageSize)
      params["limit"] = JSON(limit)
      let result = try await session.call("editlog/log", on: name, params)
      pages.append(try Self.entries(result).reversed())
      guard let next = result["next"], next != .null else { break }
      params["head"] = nil
      params["through"] = next
      rest -= limit
    }
    for page in pages.reversed() { try printer.print(page) }
  }

  private static func entries(_ result: JSONObject) throws(ShapeError) -> [JSON] {
    try result.read("entries") { (json) throws(ShapeError) in try json.asArray() }
  }

  /// `after` and `through`, in sequence numbers.
  private func range(in session: Session) async throws -> JSONObject {
    var range: JSONObject = [:]
    if let since { range["after"] = JSON(try await self.before(since, session)) }
    if let until { range["through"] = JSON(try await at(try session.parsePoint(until), session)) }
    return range
  }

  /// The number behind which the edits from `point` on begin.
  private func before(_ text: String, _ session: Session) async throws -> SequenceNumber {
    switch try session.parsePoint(text) {
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
    let state = try await session.call(
      "editlog/state", on: name, reading.adding(to: ["at": Session.json(point)]))
    return try state.unsigned("sequence")
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

  mutating func print(_ entries: [JSON]) throws {
    if isJSON { return try session.printJSON(each: entries) }
    for entry in entries { table.append(try HistoryEntry(json: entry)) }
    try session.output.write(table.takeLines())
  }
}
