import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct ShowCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the text of a document at a point of its history.",
    discussion: """
      The exact text in UTF-8, nothing added, nothing left out; a surrogate without its other \
      half is printed as U+FFFD. On a terminal, characters that could move the cursor or change a \
      colour appear as escapes. `--json` prints one object, with the text in \"text\".
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The version to show.", valueName: "point")) var at = "latest"
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// UTF-16 units that are asked for at a time.
  private static let partLength = 1 << 20

  func run(in session: Session) async throws {
    let point = try session.point(at)
    if common.json {
      let state = try await session.ask(name, reading) { StateRequest($0, VersionPart(at: point)) }
      return try session.printJSON(state, StateAnswer.codec)
    }
    var part = try await session.ask(name, reading) {
      StateRequest($0, VersionPart(at: point, limit: Self.partLength))
    }
    try await session.noteVersion(of: at, part.sequence, name, reading)
    try session.writeText(part.text)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      part = try await session.ask(name, reading.afterFirstPart) {
        StateRequest($0, VersionPart(at: version, offset: next, limit: Self.partLength))
      }
      try session.writeText(part.text)
    }
  }
}
