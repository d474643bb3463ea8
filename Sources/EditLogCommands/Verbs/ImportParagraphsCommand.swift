import ArgumentParser
import Interchange

struct ImportParagraphsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "paragraphs",
    abstract: "Import the paragraphs of another program, as a new document.",
    discussion: withExamples(
      """
      Reads a JSON array: each element is a string, or an object with \"text\" and, if it has any, \
      \"attributes\" of the whole paragraph or \"attributeRuns\". The paragraphs become one edit of \
      origin load.

      Each paragraph but the last must end with LF, CR, CR LF or U+2029, and have none before its \
      end. What does not is repaired and reported, one line for each repair, in \"repairs\" with \
      --json: a terminator is added or removed, a paragraph is divided, or the LF that follows a CR \
      is joined to it. An empty array is one empty paragraph.

      With --json, \"items\" has for each element, in order, the identifiers of the paragraphs that start in \
      it: one, several if it was divided, none if all of it was joined to the one before.
      """))

  static let examples = [
    Example(
      "editlog import paragraphs essay.json --document essay",
      "paragraphs that another program saved")
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The file; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func run(in session: Session) async throws {
    try await session.importFile(
      file, into: document, as: "paragraphs", by: author, asJSON: common.json
    ) { (bytes) throws(InterchangeError) in
      let list = try ParagraphList(bytes)
      let (text, repairs, sources) = try list.repairedText()
      return ImportFile(
        text: text, repairs: repairs,
        items: ImportedItems(count: list.paragraphs.count, sources: sources))
    }
  }
}
