import ArgumentParser
import EditModel
import EditProtocol

struct MarkCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Give a version of a document a name.",
    discussion: "Then every option that takes a POINT takes mark:LABEL for this version.")

  @Argument(help: "The document.") var name: String
  @Argument(help: "The mark's label, 1 to 256 bytes.") var label: String
  @Option(help: ArgumentHelp("The version to name.", valueName: "point")) var at = "latest"
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard (1...HistoryEvent.labelSizeMax).contains(label.utf8.count) else {
      throw ValidationError("A mark's label has 1 to \(HistoryEvent.labelSizeMax) bytes.")
    }
  }

  func run(in session: Session) async throws {
    let point = try session.point(at)
    try await session.introduce(as: "mark", by: author)
    let mark = try await session.perform(name) { MarkRequest($0, label: label, at: point) }
    if common.json { return try session.printJSON(mark, MarkAnswer.codec) }
    let sequence = session.style.paint("\(mark.sequence)", .sequence)
    try session.output.writeLine("mark:\(label.shown) is version \(sequence)")
  }
}
