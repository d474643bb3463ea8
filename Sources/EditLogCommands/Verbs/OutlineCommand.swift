import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct OutlineCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "outline",
    abstract: "Show the sections of a document at any point of its history.",
    discussion: withExamples(
      """
      A section begins at a paragraph with the attribute heading or at a heading of Markdown (#, ## and so on, \
      outside code, comments and front matter), or with \
      --key at a paragraph whose first character has this attribute. Text before the first heading \
      is a section without one. WORDS and CHARACTERS count the heading too. LAST EDIT is the time of \
      the last edit of the section's paragraphs.
      """))

  static var jsonLines: [JSONLine] { [.init("a section", ShownSection.codec)] }

  static let examples = [
    Example("editlog outline essay", "the sections, with words and characters"),
    Example("editlog outline essay --at mark:draft", "the sections at a mark"),
    Example("editlog outline essay --key heading", "sections by this attribute alone"),
  ]

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @Option(
    help: ArgumentHelp(
      "The attribute that begins sections. (default: headings)", valueName: "name"))
  var key: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    var part = try await session.ask(name, reading) { OutlineRequest($0, at: point, key: key) }
    if steps.step == nil {
      try await session.noteVersion(of: atOrLatest, part.sequence, name, reading)
    }
    var table = session.table(
      [
        .init(title: "SECTION", cutWidth: 20),
        .init(title: "PARAGRAPHS", isRight: true, rank: 2),
        .init(title: "WORDS", isRight: true), .init(title: "CHARACTERS", isRight: true, rank: 1),
        .init(title: "LAST EDIT", rank: 3),
      ])
    try print(part.sections, &table, session)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      part = try await session.ask(name, reading.afterFirstPart) {
        OutlineRequest($0, at: version, key: key, offset: next)
      }
      try print(part.sections, &table, session)
    }
  }

  private func print(
    _ sections: [ShownSection], _ table: inout Table, _ session: Session
  ) throws {
    if common.json { return try session.printJSON(each: sections, ShownSection.codec) }
    for section in sections {
      let indent = String(repeating: "  ", count: max(0, section.level - 1))
      let heading =
        section.heading.map { indent + String($0).shown } ?? "(before the first heading)"
      table.append([
        .init(heading, section.heading == nil ? .faint : .header),
        .init(Numbers.grouped(section.paragraphCount)), .init(Numbers.grouped(section.words)),
        .init(Numbers.grouped(section.characters)),
        .init(session.localTime(section.lastTime), .time),
      ])
    }
    try session.print(&table)
  }
}
