import ArgumentParser
import Interchange

struct ImportTextCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "text",
    abstract: "Import a text file, as a new document.",
    discussion: withExamples(
      """
      The file must be UTF-8, or UTF-8 packed with gzip. Its text is loaded as it is, line ends \
      included, without attributes, as one edit of origin load, or some if the file \
      is large.
      """))

  static let examples = [
    Example("editlog import text notes.txt --document notes", "a text file as a new document"),
    Example(
      "man ls | col -b | editlog import text - --document ls",
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
      file, into: document, as: "text", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      ImportFile(text: try AttributedText(plain: bytes))
    }
  }
}
