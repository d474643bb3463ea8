import ArgumentParser
import EditModel
import EditProtocol

struct MarkCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Give a version of a document a name.",
    discussion: withExamples(
      "Then every option that takes a POINT takes mark:LABEL for this version."))

  static var jsonLines: [JSONLine] { [.init("the mark", MarkAnswer.codec)] }

  static let examples = [
    Example("editlog mark essay draft", "name the newest version draft"),
    Example("editlog mark essay submitted --at 1234", "name an old version"),
  ]

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Argument(help: "The mark's label, 1 to 256 bytes.") var label: String
  @Option(
    help: ArgumentHelp("The version to name. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var author: AuthorOption
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard (1...HistoryEvent.labelSizeMax).contains(label.utf8.count) else {
      throw ValidationError("A mark's label has 1 to \(HistoryEvent.labelSizeMax) bytes.")
    }
  }

  func run(in session: Session) async throws {
    let point = try session.point(atOrLatest)
    try await session.introduce(as: "mark", by: author)
    let mark = try await session.perform(name) { MarkRequest($0, label: label, at: point) }
    if common.json { return try session.printJSON(mark, MarkAnswer.codec) }
    let sequence = session.style.paint("\(mark.sequence)", .sequence)
    try session.output.writeLine("mark:\(label.shown) is version \(sequence)")
  }
}
