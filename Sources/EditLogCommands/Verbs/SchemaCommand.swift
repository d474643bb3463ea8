import ArgumentParser
import EditJSON
import EditModel
import Glibc

/// Prints what verbs print with `--json`, as JSON Schema.
struct SchemaCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of what a verb prints with --json.",
    discussion: withExamples(
      """
      The schema (2020-12) is that of one line. It names every member that this version prints, and \
      allows no other; a later version may add members, as long as \"v\" is 1. Without a verb, the verbs \
      that have a schema are listed.
      """))

  static let examples = [
    Example("editlog schema", "the verbs that print JSON"),
    Example("editlog schema log > log.schema.json", "what a line of `log --json` may have"),
    Example("editlog schema import git", "the same for a verb of two words"),
  ]

  @Argument(
    help: "The verb. (default: list them)",
    completion: .custom { words, index, _ in SchemaCommand.offer(words, at: index) })
  var verb: [String] = []

  /// The verbs that print JSON, by name, with their lines.
  static var verbs: [(name: String, lines: [JSONLine])] {
    verbs(of: EditLogCommand.self, under: "").sorted { $0.name < $1.name }
  }

  private static func verbs(
    of command: any ParsableCommand.Type, under prefix: String
  ) -> [(name: String, lines: [JSONLine])] {
    command.configuration.subcommands.flatMap { part in
      let name = prefix + (part.configuration.commandName ?? "")
      let lines = (part as? any JSONPrinting.Type)?.jsonLines ?? []
      return (lines.isEmpty ? [] : [(name, lines)]) + verbs(of: part, under: name + " ")
    }
  }

  /// The words of verbs that a shell offers: the first, or those after the words that are typed.
  static func offer(_ words: [String], at index: Int) -> [String] {
    let line = CompletionLine(words, at: index)
    let typed = words.prefix(max(0, index)).dropFirst(2).filter { !$0.hasPrefix("-") }
    let names = verbs.map { $0.name.split(separator: " ").map(String.init) }
    let next = names.filter { $0.starts(with: typed) }.compactMap { name in
      name.count > typed.count ? name[typed.count] : nil
    }
    return line.offer(Set(next).sorted())
  }

  func run() async throws {
    let output = Output(descriptor: STDOUT_FILENO)
    if verb.isEmpty {
      for verb in Self.verbs { try output.writeLine(verb.name) }
    } else {
      try output.write(
        bytes: try Self.schema(of: verb.joined(separator: " ")).serialized() + [0x0A])
    }
    try output.finish()
  }

  /// The schema of a verb's lines.
  ///
  /// - Throws: `CommandError` (64) if there is no such verb, or it prints no JSON.
  static func schema(of name: String) throws(CommandError) -> JSON {
    let verbs = verbs
    guard let verb = verbs.first(where: { $0.name == name }) else {
      let near = NearName.of(name, in: verbs.map(\.name)).map { "did you mean \($0)? " } ?? ""
      throw .usage(
        "no verb \(name.shown) prints JSON; \(near)`editlog schema` lists those that do")
    }
    return JSONLine.schema(of: verb.lines, verb: name)
  }
}
