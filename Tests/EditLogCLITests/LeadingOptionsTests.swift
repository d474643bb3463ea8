import ArgumentParser
import EditProtocol
import Testing

@testable import EditLogCommands

/// Options of the verbs, given before the verb.
@Suite struct LeadingOptionsTests {
  @Test(arguments: [
    ("--socket S log x", "log --socket S x"),
    ("--store=D --json log x -n 3", "log --store=D --json x -n 3"),
    ("--color never --no-pager import trace f", "import trace --color never --no-pager f"),
    ("--verified --head H show x", "show --verified --head H x"),
    ("--store D bisect x -- --json log", "bisect --store D x -- --json log"),
    ("log --socket S x", "log --socket S x"), ("", ""),
    // Without a verb.
    ("--socket S", "--socket S"), ("--socket", "--socket"),
    ("--json --frob log", "--json --frob log"),
    ("--json --help", "--help"), ("--socket S help log", "help log"), ("--json import", "import"),
    // A value that looks like an option is missing, which the parser says.
    ("--socket --json log x", "log --socket --json x"),
    ("--socket S frobnicate", "frobnicate --socket S"),
  ])
  func `they are moved to after the verb`(given: String, expected: String) {
    func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    #expect(LeadingOptions.moved(words(given)) == words(expected))
  }

  /// Each of them is an option of a reading verb, and each of its common options is among them.
  @Test func `they are the common options of the parser`() throws {
    let help = EditLogCommand.helpMessage(for: MarksCommand.self, columns: 10_000)
    let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }
    let valued = options.filter { $0.contains(" <") }.map(Self.name)
    let flags = options.filter { !$0.contains(" <") }.map(Self.name)
    #expect(LeadingOptions.valued.subtracting(valued).isEmpty)
    #expect(Set(valued).subtracting(LeadingOptions.valued).isEmpty)
    #expect(Set(flags) == LeadingOptions.flags.union(["--version"]))
  }

  @Test func `the parser reads them as if they were after the verb`() throws {
    let arguments = LeadingOptions.moved(["--store", "D", "--color", "never", "log", "x"])
    let verb = try #require(try EditLogCommand.parseAsRoot(arguments) as? LogCommand)
    #expect(verb.common.location() == .store("D") && verb.common.color == .never)
    #expect(verb.name == "x")
  }

  @Test(arguments: [
    (["--socket", "S", "protocol-schema"], "editlog: Unknown option '--socket'"),
    (["--socket", "--json", "log", "x"], "editlog: Missing value for '--socket <path>'"),
    (["--socket", "S", "--store", "D", "log", "x"], "editlog: --socket and --store exclude"),
  ])
  func `an option that a verb does not take is named`(arguments: [String], start: String) {
    let error = #expect(throws: (any Error).self) {
      try EditLogCommand.parseAsRoot(LeadingOptions.moved(arguments))
    }
    let text = error.map { Ending($0).text } ?? ""
    #expect(text.hasPrefix(start), "\(text)")
  }

  private static func name(_ option: Substring) -> String {
    String(option.dropFirst(2).prefix { $0 != " " })
  }
}
