import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct MarksCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "marks",
    abstract: "List the marks of a document.",
    discussion: withExamples(
      """
      A mark is a name of a version; `mark` makes one, and mark:LABEL names its version wherever an \
      option takes a POINT. If several marks have the same label, the last one counts.
      """))

  static var jsonLines: [JSONLine] { [.init("a mark", ShownMark.codec)] }

  static let examples = [
    Example("editlog marks essay", "the names that versions have")
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("count")],
    help: ArgumentHelp(
      "At most this number of marks, the newest. (default: all)", valueName: "count"))
  var count: Int?
  @Flag(name: [.short, .customLong("reverse")], help: "Print the newest first.") var reverse = false
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Only marks of versions from this point on. (default: all)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Only marks of versions up to this point. (default: all)", valueName: "point"),
    completion: .points)
  var until: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard count ?? 0 >= 0 else {
      throw ValidationError("--count (-n) takes a number of at least 0.")
    }
  }

  func run(in session: Session) async throws {
    let marks = try await selected(in: session)
    if common.json { return try session.printJSON(each: marks, ShownMark.codec) }
    if marks.isEmpty { return session.note("There are no marks.") }
    var table = session.table(
      [
        .init(title: "VERSION", isRight: true), .init(title: "MARK", cutWidth: 16),
        .init(title: "MADE", rank: 1), .init(title: "BY", cutWidth: 8),
      ])
    for mark in marks {
      table.append([
        .init("\(mark.sequence)", .sequence), .init("mark:\(mark.label.shown)"),
        .init(session.localTime(mark.time), .time), .init(mark.author?.shown ?? ""),
      ])
    }
    try session.print(&table)
  }

  /// The marks that the options ask for.
  private func selected(in session: Session) async throws -> [ShownMark] {
    var marks = try await session.ask(name, reading) { MarksRequest($0) }.marks
    if let since {
      let before = try await session.sequence(before: since, of: name, reading)
      marks.removeAll { $0.sequence <= before }
    }
    if let until {
      let last = try await session.sequence(at: until, of: name, reading)
      marks.removeAll { $0.sequence > last }
    }
    if let count { marks = marks.suffix(count) }
    return reverse ? marks.reversed() : marks
  }
}
