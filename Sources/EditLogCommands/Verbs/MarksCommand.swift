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

  static let examples = [
    Example("editlog marks essay", "the names that versions have")
  ]

  @Argument(help: "The document.", completion: .documents) var name: String
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let answer = try await session.ask(name, reading) { MarksRequest($0) }
    if common.json { return try session.printJSON(each: answer.marks, ShownMark.codec) }
    if answer.marks.isEmpty { return session.note("There are no marks.") }
    var table = Table(
      [
        .init(title: "VERSION", isRight: true), .init(title: "MARK", cutWidth: 20),
        .init(title: "MADE", rank: 2), .init(title: "BY", rank: 1),
      ],
      style: session.style, width: session.width)
    for mark in answer.marks {
      table.append([
        .init("\(mark.sequence)", .sequence), .init("mark:\(mark.label.shown)"),
        .init(session.localTime(mark.time), .time), .init(mark.author?.shown ?? ""),
      ])
    }
    try session.print(&table)
  }
}
