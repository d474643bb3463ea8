import ArgumentParser
import Interchange

struct ImportMarkdownCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "markdown",
    abstract: "Import a Markdown file, as a new document.",
    discussion: withExamples(
      """
      Paragraphs, headings, quotes, lists, code, emphasis, ~~deletions~~, ==highlights==, links and images become text \
      with attributes, as one edit of origin load, or some if the file is large; the marks themselves are not in the text. \
      Front matter, tables, HTML, rules and the addresses of references stay as they are written, and so do the boxes of \
      tasks and the labels of footnotes. `export --format markdown` gives the same file again, and after edits the same \
      bytes for each block that was not edited; what it cannot give again is listed here on standard error. \
      `export --help` lists the attributes.
      """))

  static let examples = [
    Example(
      "editlog import markdown notes.md --document notes",
      "headings, lists and marks become attributes")
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.importFile(
      file, into: document, as: "markdown", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      var (text, losses) = try MarkdownReader.file(bytes)
      text.markParagraphs()
      return ImportFile(text: text, losses: losses.lines)
    }
  }
}
