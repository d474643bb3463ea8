import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Foundation
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
      let text = String(repeating: "a.org ", count: 40_000)
      let (_, noted, code) = try await store(text).run(
        RenderCommand.self, ["d", "--rules", path, "--rows", "1"])
      #expect(
        code == 0 && noted.contains("styles of the rules in its first 131,072 UTF-16 units"),
        "\(noted)")
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
      mention = { foreground = "#d0e0f0", bold = true }
      """, to: "rules.toml")
    let printed = try await render(
      ["--rules", folder.path("rules.toml"), "--format", "ansi"], of: "hi @ann")
    #expect(printed == "hi \u{1B}[1;38;2;208;224;240m@ann\u{1B}[0m\n")
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

  /// Row 93: rendering changes no byte of the store, and what it makes cannot be edited.
  @Test(arguments: ["text", "ansi", "html", "svg", "json"], [[], ["--page", "20x2"]])
  func `what is rendered is read only`(format: String, page: [String]) async throws {
    let store = try store()
    func files() throws -> [String: [UInt8]] {
      var files: [String: [UInt8]] = [:]
      let paths = try FileManager.default.subpathsOfDirectory(atPath: store.path)
      for path in paths {
        if let data = FileManager.default.contents(atPath: store.path + "/" + path) {
          files[path] = Array(data)
        }
      }
      return files
    }
    let before = try files()
    #expect(before.count > 2)
    let (printed, _, code) = try await store.run(
      RenderCommand.self, ["d", "--format", format] + page)
    #expect(code == 0 && !printed.isEmpty)
    #expect(try files() == before)
    for word in ["contenteditable", "<input", "<textarea", "<form", "<script"] {
      #expect(!printed.contains(word))
    }
    #expect(!RenderRequest.definition.isChange)
  }

  /// An argument that is wrong for every text: status 64. The message names the option and what it takes.
  static let wrongArguments: [(arguments: String, words: String)] = [
    ("--page 0x0", "'--page <wxh>': give the cells in a row, 1 to 10000, and the rows, 1 to 1000"),
    ("--page 80", "such as 80x24"), ("--page 80x", "such as 80x24"),
    ("--page=-1x5", "such as 80x24"), ("--page 9999x999", "a page has at most 262144 cells"),
    ("--page 80x24 --width 70", "--page 80x24 and --width 70 differ"),
    ("--width 0", "--width takes a number from 1 to 10000"), ("--width 10001", "from 1 to 10000"),
    ("--width wide", "'wide' is invalid for '--width <count>'"),
    ("--tab 0", "--tab takes a number from 1 to 64"), ("--tab 65", "from 1 to 64"),
    ("--columns 0", "--columns takes a number from 1 to 64"),
    ("--columns 65", "--columns takes a number from 1 to 64"),
    ("--gap=-1 --columns 2", "--gap takes a number from 0 to 100"),
    ("--gap 101", "--gap takes a number from 0 to 100"),
    (
      "--columns 40 --page 80x24", "--columns 40 with --gap 2 needs rows of at least 118 cells, and"
    ),
    (
      "--columns 2 --gap 0 --width 1",
      "needs rows of at least 2 cells, and they have 1; give a larger"
    ),
    ("--hole 0,1,2x2", "'--hole <column,row,wxh>': give its first column and row, counted from 1"),
    ("--hole 1,1", "such as 60,1,20x5"), ("--hole 1,1,2", "such as 60,1,20x5"),
    ("--hole 1,1,1234567x2", "at most six digits"),
    (
      "--page 20x5 --hole 21,1,1x1",
      "--hole 21,1,1x1 is outside of the page of 20 columns and 5 rows"
    ),
    ("--page 20x5 --hole 1,1,1x1 --hole 1,6,3x1", "--hole 1,6,3x1 is outside"),
    ("--hole 1,1,0x5", "--hole 1,1,0x5 is outside of the page"), ("--hole 1,1,5x0", "is outside"),
    ("--hole 1,1,80x24", "the holes leave no cell of the page free"),
    (Array(repeating: "--hole 1,1,1x1", count: 257).joined(separator: " "), "at most 256 holes"),
    ("--from-page 0 --page 80x24", "--from-page takes a number from 1 to"),
    ("--pages 0 --page 80x24", "--pages takes a number from 1 to"),
    ("--pages 2", "--from-page and --pages need --page, --columns or --hole"),
    ("--from-page 2", "need --page, --columns or --hole"),
    ("--page 80x24 --rows 2", "are not for pages"), ("--columns 2 --offset 1", "are not for pages"),
    ("--max-rows 0", "--max-rows takes a number from 1 to 10000"),
    ("--rows 0", "--rows takes a number from 1 to"),
    ("--rows 1 --max-rows 1", "--rows and --max-rows exclude each other"),
    ("--from-row 0", "--from-row takes a number from 1 to"),
    ("--offset=-1", "--offset takes a number from 0 to"),
    ("--from-row 1 --offset 2", "at most one of --from-row, --offset, --line and --paragraph"),
    ("--line 0:1", "--line takes LINE:COLUMN, both counted from 1; found 0:1"),
    ("--line x", "--line takes LINE:COLUMN"),
    ("--paragraph 7", "--paragraph takes an identifier such as 12.0; found 7"),
    ("--more \(String(repeating: "m", count: 1_025))", "--more takes at most 1,024 bytes"),
    ("--format pdf", "text, ansi, html, svg"),
    ("--json --format svg", "--json excludes --format svg"),
    ("--case title", "'written', 'upper' or 'lower'"), ("--background red", "'dark' and 'light'"),
    ("--grammar cobol", "There is no built-in grammar cobol"),
    ("--follow --at 1", "--follow shows the newest version: leave out --at and --step"),
    ("--follow --step=-1", "--follow shows the newest version"),
    (
      "--follow --format html",
      "--follow shows one version after the other: --format html is for one"
    ),
    ("--by save", "--by goes with --step"), ("--step 1 --by verse", "--by takes"),
    ("--at noon-ish", "noon-ish"), ("--wide", "--wide"), ("more", "more"),
  ]

  /// A place or a version that this text does not have, and a file that is not there: status 66. Rules that
  /// are wrong: 65.
  static let missing: [(arguments: String, exitCode: Int32, words: String)] = [
    ("--at 900", 66, "900"), ("--at mark:none", 66, "none"),
    ("--from-row 900", 66, "there is no row 900: the text has 3 rows of this width"),
    ("--offset 900", 66, "the offset 900 is after the text, which has 64 UTF-16 units"),
    ("--line 9:1", 66, "line 9"), ("--line 1:900", 66, "900"),
    ("--paragraph 9.9", 66, "no paragraph 9.9"),
    ("--page 80x24 --from-page 9", 66, "there is no page 9: the text has 1 of this size"),
    ("--rules /none/rules.toml", 66, "/none/rules.toml"),
    ("--rules /dev/null/x", 66, "/dev/null/x"),
  ]

  private func ending(_ arguments: String) async throws -> Ending? {
    let list = ["d"] + arguments.split(separator: " ").map(String.init)
    do {
      _ = try await store().run(RenderCommand.self, list)
      return nil
    } catch { return Ending(error) }
  }

  @Test(arguments: wrongArguments)
  func `a wrong argument ends with 64`(arguments: String, words: String) async throws {
    let ending = try #require(try await ending(arguments))
    #expect(ending.exitCode == 64 && ending.text.contains(words), "\(ending)")
    // No words of the socket's protocol, and one line of message before the usage.
    #expect(!ending.text.contains("params"), "\(ending)")
  }

  @Test(arguments: missing)
  func `what is not there has its own status`(
    arguments: String, exitCode: Int32, words: String
  ) async throws {
    let ending = try #require(try await ending(arguments))
    #expect(ending.exitCode == exitCode && ending.text.contains(words), "\(ending)")
    #expect(!ending.text.contains("params"), "\(ending)")
  }

  @Test(arguments: [
    ("[[patterns]]\nname = 1\n", 65, "line 1, column 1"), ("grammar = \"none\"\n", 65, "none"),
    ("[links", 65, "line 1"), ("[colours]\n", 65, "colours"),
    ("grammars = [\"missing.toml\"]\n", 66, "missing.toml"),
  ])
  func `wrong rules end with 65, their file and their line`(
    rules: String, exitCode: Int32, words: String
  ) async throws {
    try await withTemporaryFile(Array(rules.utf8)) { path in
      let ending = try #require(try await ending("--rules \(path)"))
      #expect(ending.exitCode == exitCode && ending.text.contains(words), "\(ending)")
      #expect(exitCode == 66 || ending.text.contains(path), "\(ending)")
    }
  }
}
