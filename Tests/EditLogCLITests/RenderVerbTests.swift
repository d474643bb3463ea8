import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// What `render` prints of real stores.
@Suite struct RenderVerbTests {
  private static let text = "The quick brown fox jumps over the lazy dog.\n日本語 e\u{301} 👩‍👩‍👧‍👦\n"

  private func store(_ text: String = text, name: String = "d") throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "first\n", .load)
    try script.replace(0..<6, text, .typing)
    return try RealStore(script.entries, document: name)
  }

  private func render(_ arguments: [String], of text: String = text) async throws -> String {
    let (printed, _, code) = try await store(text).run(RenderCommand.self, ["d"] + arguments)
    #expect(code == 0)
    return printed
  }

  @Test func `rows of any version`() async throws {
    #expect(
      try await render(["--width", "20"]) == """
        The quick brown fox
        jumps over the lazy
        dog.
        日本語 e\u{301} 👩‍👩‍👧‍👦


        """)
    #expect(try await render(["--at", "1"]) == "first\n\n")
    #expect(try await render(["--at", "0"]) == "\n")
    #expect(try await render(["--width", "20", "--from-row", "3", "--rows", "1"]) == "dog.\n")
    #expect(
      try await render(["--width", "20", "--line", "1:12", "--rows", "1"])
        == "The quick brown fox\n")
    #expect(
      try await render(["--width", "20", "--offset", "25", "--rows", "1"])
        == "jumps over the lazy\n")
    #expect(try await render(["--case", "upper"], of: "Straße") == "STRASSE\n")
    #expect(try await render(["--tab", "4"], of: "a\tb\u{1B}[1m") == "a   b␛[1m\n")
  }

  @Test func `starts that are not there are refused`() async throws {
    for (arguments, words) in [
      (["--from-row", "900"], "no row 900: the text has 3 rows"), (["--line", "9:1"], "line 9"),
      (["--paragraph", "9.9"], "no paragraph 9.9"), (["--offset", "900"], "after the text"),
    ] {
      let error = await #expect(throws: ProtocolError.self) {
        try await render(["--width", "80"] + arguments)
      }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(try await render(["--width", "20", "--line", "2", "--rows", "1"]).hasPrefix("日本語"))
  }

  @Test func `what the rules leave out is said`() async throws {
    let rules = "[links]\n"
    try await withTemporaryFile(Array(rules.utf8)) { path in
      let text = String(repeating: "a.org ", count: 4_000)
      let (_, noted, code) = try await store(text).run(
        RenderCommand.self, ["d", "--rules", path, "--rows", "1"])
      #expect(code == 0 && noted.contains("16,384 UTF-16 units have no styles"), "\(noted)")
    }
  }

  @Test func `a text is cut to rows`() async throws {
    #expect(
      try await render(["--width", "20", "--max-rows", "2"])
        == "The quick brown fox\njumps over the… more\n")
    #expect(try await render(["--max-rows", "1", "--more", "(1)"], of: "a\nb") == "a\n(1)\n")
  }

  @Test func `pages, columns and holes`() async throws {
    let (printed, noted, _) = try await store().run(
      RenderCommand.self, ["d", "--page", "20x2", "--pages", "1"])
    #expect(printed == "The quick brown fox\njumps over the lazy\n")
    #expect(noted == "not shown: 24 UTF-16 units in 3 paragraphs after the last page\n")
    #expect(
      try await render(["--page", "20x2", "--from-page", "2"])
        == "dog.\n日本語 e\u{301} 👩‍👩‍👧‍👦\n\u{C}\n")
    #expect(
      try await render(
        ["--page", "23x2", "--columns", "2", "--pages", "1"], of: "one two three four five six")
        == "one two     five six\nthree four\n")
    #expect(
      try await render(["--page", "11x2", "--hole", "5,1,3x1"], of: "one two three")
        == "one    two\nthree\n")
  }

  @Test func `JSON has all of the text`() async throws {
    let printed = try await render(["--format", "json", "--width", "20"])
    #expect(try await render(["--json", "--width", "20"]) == printed)
    let answer = try RenderAnswer.codec.decode(try JSON.parse(Array(printed.utf8)))
    let fragments = answer.sheets.flatMap(\.rows).flatMap(\.fragments)
    #expect(fragments.map { String($0.text) }.joined() == Self.text)
    #expect(answer.sheets[0].rows.count == 5 && answer.sheets[0].rows[4].fragments[0].runs.isEmpty)
    #expect(answer.work.windows == 3)
  }

  @Test func `files in HTML and SVG`() async throws {
    let html = try await render(["--format", "html"], of: "<b>&\n")
    #expect(html.hasPrefix("<!DOCTYPE html>") && html.contains("&lt;b&gt;&amp;"))
    let svg = try await render(["--format", "svg", "--page", "30x5"])
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
    let long = String(repeating: "\n", count: 20_001)
    let store = try store(long)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RenderCommand.self, ["d", "--format", "html"])
    }
    #expect(error?.exitCode == 64 && error?.message.contains("--rows") == true)
  }

  @Test func `rules style the text`() async throws {
    let folder = TemporaryFolder()
    try folder.write(
      """
      [[patterns]]
      name = "mention"
      match = '@\\w+'
      [styles]
      mention = { foreground = "#102030", bold = true }
      """, to: "rules.toml")
    let printed = try await render(
      ["--rules", folder.path("rules.toml"), "--format", "ansi"], of: "hi @ann")
    #expect(printed == "hi \u{1B}[1;38;2;16;32;48m@ann\u{1B}[0m\n")
    let store = try store()
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RenderCommand.self, ["d", "--rules", folder.path("none.toml")])
    }
    #expect(error?.exitCode == 66 && error?.message.contains("none.toml") == true)
    let markdown = try await render(["--grammar", "markdown", "--format", "ansi"], of: "# Title\n")
    #expect(markdown.contains("\u{1B}[1;"))
  }

  @Test(arguments: [
    ["--page", "0x5"], ["--page", "80"], ["--page", "9999x999"], ["--width", "0"],
    ["--width", "10001"], ["--columns", "65"], ["--max-rows", "0"], ["--pages", "2"],
    ["--page", "80x24", "--rows", "2"], ["--page", "80x24", "--width", "70"],
    ["--hole", "0,1,2x2"],
    ["--hole", "1,1"], ["--json", "--format", "svg"], ["--grammar", "cobol"], ["--tab", "0"],
    ["--from-row", "1", "--offset", "2"], ["--rows", "1", "--max-rows", "1"], ["--format", "pdf"],
  ])
  func `wrong options are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try RenderCommand.parse(["d"] + arguments) }
  }
}
