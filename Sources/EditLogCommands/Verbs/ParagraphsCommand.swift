import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct ParagraphsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "paragraphs",
    abstract: "List a document's paragraphs with their stable identifiers.",
    discussion: """
      An identifier is the number of the edit that created the paragraph, and the index of the \
      paragraph among those the edit created. It never changes. Ranges are {location, length} in \
      UTF-16 units.
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The version to show.", valueName: "point")) var at = "latest"
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// The maximum number of paragraphs in one call.
  private static let partCount = 4_096

  func run(in session: Session) async throws {
    let point = try session.point(at)
    var part = try await session.ask(name, reading) {
      ParagraphsRequest($0, VersionPart(at: point, limit: Self.partCount))
    }
    try await session.noteVersion(of: at, part.sequence, name, reading)
    var table = Table(
      [
        .init(title: "PARAGRAPH"), .init(title: "RANGE", rank: 1),
        .init(title: "TEXT", cutWidth: 12),
      ],
      style: session.style, width: session.width)
    try print(part.paragraphs, &table, session)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      part = try await session.ask(name, reading.afterFirstPart) {
        ParagraphsRequest($0, VersionPart(at: version, offset: next, limit: Self.partCount))
      }
      try print(part.paragraphs, &table, session)
    }
  }

  private func print(
    _ paragraphs: [ShownParagraph], _ table: inout Table, _ session: Session
  ) throws {
    if common.json { return try session.printJSON(each: paragraphs, ShownParagraph.codec) }
    for paragraph in paragraphs {
      table.append([
        .init("\(paragraph.id)", .sequence), .init("\(paragraph.range)", .range),
        .init(excerpt: String(paragraph.text)),
      ])
    }
    try session.print(&table)
  }
}
