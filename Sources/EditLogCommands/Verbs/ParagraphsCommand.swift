import ArgumentParser
import EditModel
import EditProtocol

struct ParagraphsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "paragraphs",
    abstract: "List a document's paragraphs with their stable identifiers.",
    discussion: """
      An identifier is the number of the edit that created the paragraph, and which of that \
      edit's new paragraphs it is. It stays with the paragraph through every later edit. Ranges \
      are {location, length} in UTF-16 units.
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The version to show.", valueName: "point")) var at = "latest"
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let result = try await session.call(
      "editlog/paragraphs", on: name, reading.adding(to: ["at": session.point(at)]))
    let paragraphs = try result.read("paragraphs") { (json) throws(ShapeError) in
      try json.asArray()
    }
    if common.json { return try session.printJSON(each: paragraphs) }
    var table = Table(
      [.init(title: "PARAGRAPH"), .init(title: "RANGE"), .init(title: "TEXT")],
      style: session.style, width: session.width)
    for paragraph in paragraphs {
      let paragraph = try paragraph.asObject()
      let (location, length) = (
        try paragraph.unsigned("location"), try paragraph.unsigned("length")
      )
      table.append([
        .init(try paragraph.string("id"), .sequence), .init("{\(location), \(length)}", .range),
        .init(excerpt: String(try paragraph.text("text"))),
      ])
    }
    try session.print(&table)
  }
}
