import ArgumentParser
import EditModel
import Glibc
import Styling
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct RulesVerbTests {
  private static let rules = """
    [[patterns]]
    name = "mention"
    match = '@\\w*[0-9A-Za-z]'
    [links]
    [tags]
    default = "p"
    [tags.rules.bold]
    disables = "code"
    """

  private func story() throws -> RealStore {
    var script = HistoryScript()
    try script.replace(0..<0, "first\nsee @ann at x.dev\n", .load)
    try script.replace(
      10..<14, "@ann", .load,
      attributes: .set([
        AttributeRun(
          length: 4, attributes: ["bold": .bool(true), "link": .string("https://ann.org")])
      ]))
    return try RealStore(script.entries)
  }

  /// A pipe without a writer would be waited for without end.
  @Test func `a file that rules name is a regular one`() throws {
    let folder = TemporaryFolder()
    try #require(mkfifo(folder.path("pipe.toml"), 0o600) == 0)
    let rules = try folder.write("grammars = [\"pipe.toml\"]\n", to: "rules.toml")
    let error = #expect(throws: CommandError.self) { try RulesFile.read(rules) }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains("pipe.toml: not a regular file") == true)
  }

  /// Rows 53 and 54: the unit before the caret, a link first.
  @Test func `inspect shows what rules find at the caret`() async throws {
    try await withTemporaryFile(Array(Self.rules.utf8)) { path in
      let store = try story()
      let (printed, _, _) = try await store.run(
        InspectCommand.self, ["d", "--offset", "14", "--rules", path])
      #expect(
        printed.contains(
          """
            found        link = "https://ann.org" over {10, 4}
                         mention = "@ann" over {10, 4}
            tags         bold active, code disabled
          """), "\(printed)")
      let (other, _, _) = try await store.run(
        InspectCommand.self, ["d", "--offset", "23", "--rules", path])
      #expect(other.contains("found        url = \"https://x.dev\" over {18, 5}\n"), "\(other)")
      #expect(other.contains("tags         p active\n"), "\(other)")
      for place in ["0", "6", "24"] {
        let (none, _, _) = try await store.run(
          InspectCommand.self, ["d", "--offset", place, "--rules", path])
        #expect(none.contains("found        no link and no pattern"), "\(none)")
      }
      let (json, _, _) = try await store.run(
        InspectCommand.self, ["d", "--offset", "14", "--rules", path, "--json"])
      #expect(
        json.contains(
          """
          "caretValues":[{"name":"link","value":"https://ann.org","location":10,"length":4},\
          {"name":"mention","value":"@ann","location":10,"length":4}],\
          "tags":{"bold":"active","code":"disabled"}
          """), "\(json)")
    }
  }

  @Test func `a mistake is printed with its file and line`() async throws {
    try await withTemporaryFile(Array("[links]\natribute = 'x'\n".utf8)) { path in
      let error = #expect(throws: CommandError.self) { try RulesFile.read(path) }
      #expect(error?.exitCode == 65)
      #expect(
        error?.message
          == """
          \(path): line 2, column 1: [links] has no key atribute; did you mean attribute? the keys \
          are attribute, automatic
          """)
    }
    try await withTemporaryFile([0xFF]) { path in
      #expect(throws: CommandError.data("\(path): not UTF-8; save it with this encoding")) {
        try RulesFile.read(path)
      }
    }
    #expect(throws: CommandError.self) { try RulesFile.read("/nonexistent/rules.toml") }
  }

  @Test func `grammars are read from the folder of the rules`() async throws {
    try await withTemporaryFile(Array("grammar = 'tiny'\ngrammars = 'tiny.toml'\n".utf8)) { path in
      let error = #expect(throws: CommandError.self) { try RulesFile.read(path) }
      #expect(error?.exitCode == 66 && error?.message.contains("tiny.toml") == true)
    }
    try await withTemporaryFile(
      Array("name = 'tiny'\n[contexts.main]\nrules = [{match = 'a', style = 'b'}]\n".utf8)
    ) { grammar in
      try await withTemporaryFile(Array("grammar = 'tiny'\ngrammars = '\(grammar)'\n".utf8)) {
        path in
        let summary = RulesCommand.summary(of: try RulesFile.read(path))
        #expect(summary == "grammar: tiny\nderived attributes: syntax, syntax.state\n")
      }
    }
  }

  @Test(arguments: [
    ("a.md", "markdown"), ("/x.y/b.SWIFT", "swift"), ("c.h", "c"), ("d.py", "python"),
    ("e.json", "json"), ("f", nil), ("g.txt", nil), ("h.", nil),
  ])
  func `the extension chooses the grammar`(name: String, grammar: String?) throws {
    #expect(RulesFile.grammar(for: name) == grammar)
    #expect(try RulesFile.builtIn(for: name).grammar?.name == grammar)
  }

  @Test func `the arguments must name one thing`() {
    for arguments in [
      [], ["x", "--schema"], ["--schema", "--grammar-schema"], ["--grammar", "swft"],
    ] {
      #expect(throws: (any Error).self) { try RulesCommand.parse(arguments) }
    }
    #expect(throws: Never.self) { try RulesCommand.parse(["--grammar", "swift"]) }
  }
}
