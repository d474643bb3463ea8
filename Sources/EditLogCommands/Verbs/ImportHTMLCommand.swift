import ArgumentParser
import Interchange

struct ImportHTMLCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "html",
    abstract: "Import an HTML file, as a new document.",
    discussion: withExamples(
      """
      Paragraphs, headings, quotes, lists, code, emphasis and links become text with attributes, as \
      one edit of origin load, or some if the file is large. The alt text of an image is kept, with its address and title. All other \
      elements are left out, and the text in them stays, except that of scripts, styles, templates, titles, form fields, embedded \
      pages, SVG and MathML. White space is as a browser shows it; <br> is U+2028. \
      `export --help` lists the attributes.
      """))

  static let examples = [
    Example("editlog import html page.html --document page", "a web page as a new document"),
    Example(
      "curl -s https://example.com | editlog import html - --document page",
      "the same from standard input"),
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.importFile(
      file, into: document, as: "html", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      var (text, losses) = try HTMLReader.file(bytes)
      text.markParagraphs()
      return ImportFile(text: text, losses: losses.lines)
    }
  }
}
