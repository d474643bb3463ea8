import ArgumentParser
import Interchange

struct ImportXMLCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "xml",
    abstract: "Import an XML file, as a new document.",
    discussion: withExamples(
      """
      Reads what `export --format xml` writes, by the same rule: text and attributes become the same, \
      as one edit of origin load, or some if the file is large. An element that the rule does not name \
      is an error, and so is a document type. `export --help` describes the rule.
      """))

  static let examples = [
    Example(
      "editlog import xml essay.xml --document essay",
      "a text as `export --format xml` wrote it"),
    Example(
      "editlog import xml book.xml --rule book.json --document book",
      "elements by a rule of your own"),
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @Option(
    help: ArgumentHelp("The rule for the elements. (default: that of `export`)", valueName: "file"),
    completion: .file())
  var rule: String?
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    let rule = try XMLRuleOption.rule(self.rule)
    try await session.importFile(
      file, into: document, as: "xml", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      ImportFile(text: try XMLReader.text(bytes, rule))
    }
  }
}
