import ArgumentParser
import EditModel
import EditProtocol

struct ShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the text of a document at a point of its history.",
    discussion: """
      The exact text in UTF-8, nothing added, nothing left out; a surrogate without its other \
      half is printed as U+FFFD. `--json` prints one object, with the text in \"text\".
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The version to show.", valueName: "point")) var at = "latest"
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let point = try session.point(at)
    let state = try await session.call("editlog/state", on: name, reading.adding(to: ["at": point]))
    if common.json { return try session.printJSON(state) }
    try session.output.write(String(try state.text("text")))
  }
}
