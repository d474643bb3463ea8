import ArgumentParser
import EditModel
import EditProtocol

struct DiffCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what changed between two points of a document's history.",
    discussion: "Prints a unified diff. Exit status: 0 the texts are equal, 1 they differ.")

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The older version.", valueName: "point")) var from: String
  @Option(help: ArgumentHelp("The newer version.", valueName: "point")) var to = "latest"
  @Option(
    name: [.customShort("U"), .long],
    help: ArgumentHelp("Equal lines around each change.", valueName: "lines"))
  var context = 3
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard (0...1_000_000).contains(context) else {
      throw ValidationError("--context takes a number from 0 to 1000000.")
    }
  }

  func run(in session: Session) async throws {
    let params: JSONObject = [
      "from": try session.point(from), "to": try session.point(to), "context": JSON(context),
    ]
    let result = try await session.call("editlog/diff", on: name, reading.adding(to: params))
    let unified = String(try result.text("unified"))
    if common.json {
      try session.printJSON(result)
    } else {
      try session.output.write(Self.paint(unified, session.style))
    }
    if !unified.isEmpty { throw ExitCode(1) }
  }

  /// The diff in git's colours.
  static func paint(_ unified: String, _ style: Style) -> String {
    guard style.isColoured else { return unified }
    var (result, isInHeader) = ("", true)
    // Lines end with LF alone: a CR before it is part of the text.
    for line in unified.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("@@") { isInHeader = false }
      result += style.paint(text, role(of: text, isInHeader)) + "\n"
    }
    // The split has made one line more than there are ends.
    return String(result.unicodeScalars.dropLast())
  }

  private static func role(of line: String, _ isInHeader: Bool) -> Style.Role {
    if isInHeader { return .header }
    switch line.utf8.first {
    case UInt8(ascii: "@"): return .hunk
    case UInt8(ascii: "+"): return .added
    case UInt8(ascii: "-"): return .removed
    case UInt8(ascii: "\\"): return .faint
    default: return .plain
    }
  }
}
