import ArgumentParser
import Interchange

struct ImportMarkdownCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "markdown",
    abstract: "Import a Markdown file, as a new document.",
    discussion: withExamples(
      """
      Paragraphs, headings, quotes, lists, code, emphasis, ~~deletions~~, ==highlights== and links become text \
      with attributes, as one edit of origin load, or some if the file is large; the marks themselves are not in the text. \
      Tables, footnotes and the descriptions of images stay as text. The addresses of images, the \
      titles of links and rules are left out. To keep the file as it is, use `import text`. \
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
      let (text, losses) = try MarkdownReader.file(bytes)
      return ImportFile(text: text, losses: losses.lines)
    }
  }
}
