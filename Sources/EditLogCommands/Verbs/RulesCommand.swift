import ArgumentParser
import EditModel
import Glibc
import Styling

/// Checks a file of rules, and prints what helps to write one.
struct RulesCommand: AsyncParsableCommand, ExampleGiving {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Check a file of rules for styles, or print what helps to write one.",
    discussion: withExamples(
      """
      A file of rules says what text looks like: its grammar, patterns such as mentions, themes and \
      decorations. Other verbs take it by --rules. The first mistake is printed with its line (exit \
      status 65); else what the file defines is listed.

      Editors that know schemas of TOML files complete the keys and show what they mean:

        echo '#:schema rules.schema.json' > rules.toml

      A grammar is a file of its own. --grammar prints a built-in one to begin with: c, json, \
      markdown, python or swift.
      """))

  static let examples = [
    Example("editlog rules rules.toml", "check a file of rules"),
    Example("editlog rules --grammar markdown > mine.toml", "a built-in grammar to begin with"),
    Example(
      "editlog rules --schema > rules.schema.json",
      "a schema for an editor that completes and checks"),
  ]

  @Argument(help: ArgumentHelp("The file to check.", valueName: "file")) var file: String?
  @Flag(help: "Print the JSON Schema of files of rules.") var schema = false
  @Flag(help: "Print the JSON Schema of files with a grammar.") var grammarSchema = false
  @Option(
    help: ArgumentHelp("Print a built-in grammar. (default: none)", valueName: "name"),
    completion: .list(StyleRules.grammarNames))
  var grammar: String?

  func validate() throws {
    guard [file != nil, schema, grammarSchema, grammar != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("Give a file, or one of --schema, --grammar-schema and --grammar.")
    }
    if let grammar, StyleRules.grammarText(grammar) == nil {
      let names = StyleRules.grammarNames
      let near = NearName.of(grammar, in: names).map { "Did you mean \($0)? " } ?? ""
      throw ValidationError(
        """
        There is no built-in grammar \(grammar.shown). \(near)There are \
        \(names.joined(separator: ", ")).
        """)
    }
  }

  func run() async throws {
    let output = Output(descriptor: STDOUT_FILENO)
    if schema { try output.write(StyleRules.schema) }
    if grammarSchema { try output.write(StyleRules.grammarSchema) }
    if let grammar { try output.write(StyleRules.grammarText(grammar) ?? "") }
    if let file { try output.write(Self.summary(of: try RulesFile.read(file))) }
    try output.finish()
  }

  /// What rules define, one thing a line.
  static func summary(of rules: StyleRules) -> String {
    func line(_ label: String, _ names: [String]) -> String {
      names.isEmpty ? "" : "\(label): \(names.map(\.shown).joined(separator: ", "))\n"
    }
    let lines =
      line("grammar", [rules.grammar?.name].compactMap { $0 })
      + line("patterns", rules.patternNames)
      + line("links", [rules.linkAttribute].compactMap { $0 })
      + line("derived attributes", rules.attributeNames)
      + line("tags", rules.tags?.tags ?? []) + line("styles", rules.styleNames)
      + line("decorations", rules.decoratedNames)
      + line("spacing", rules.spacedNames)
      + line("signs of lists", rules.signTexts)
    return lines.isEmpty ? "the file defines nothing\n" : lines
  }
}
