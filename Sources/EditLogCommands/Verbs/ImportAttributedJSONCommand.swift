import ArgumentParser
import Interchange

struct ImportAttributedJSONCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "attributed-json",
    abstract: "Import text with attributes from JSON, as a new document.",
    discussion: withExamples(
      """
      Reads what `export --format attributed-json` and `show --json` write: an object with \"text\" \
      and \"attributeRuns\". Text and attributes become the same, as one edit \
      of origin load, or some if the file is large.
      """))

  static let examples = [
    Example(
      "editlog import attributed-json essay.json --document copy",
      "a text with its attributes, as `export` wrote it")
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.importFile(
      file, into: document, as: "attributed-json", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      ImportFile(text: try AttributedJSON.text(bytes))
    }
  }
}
