import ArgumentParser
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// D19: lines fit the terminal, and the last column is there.
@Suite struct WidthTests {
  static let names = [
    "d", "file:///home/ada/" + String(repeating: "folder/", count: 20) + "notes.md",
    "日本語の文書/とても長い名前の/" + String(repeating: "章", count: 60),
    "👩‍🚀🎉" + String(repeating: "🎈", count: 60),
  ]

  private static func store(_ name: String) throws -> RealStore {
    var script = HistoryScript()
    let line = "日本語の長い段落 👩‍🚀 and \"more\" of it, long enough for any terminal\n"
    try script.replace(0..<0, String(repeating: line, count: 300), .load)
    try script.type(line, at: 0, author: "a very long name of an author 日本語")
    try script.replace(0..<10_000, String(line.prefix(20)), .paste, author: "ann")
    script.note(.mark(label: String(repeating: "長", count: 60), at: 1), author: line)
    try script.replace(0..<5_000, "", .removal)
    return try RealStore(script.entries, document: name)
  }

  private static func verbs(_ name: String) -> [(any Verb.Type, [String])] {
    [
      (LogCommand.self, [name]), (LogCommand.self, [name, "--edits"]),
      (UsageCommand.self, [name]), (DocumentsCommand.self, []), (TraceCommand.self, [name]),
      (ParagraphsCommand.self, [name]), (BlameCommand.self, [name]),
      (UndoCommand.self, [name, "--list"]), (MarksCommand.self, [name]),
      (OutlineCommand.self, [name]), (ActivityCommand.self, [name]),
      (DiffCommand.self, [name, "--from", "1", "--paragraphs"]), (StatusCommand.self, []),
      (StatusCommand.self, [name]),
      (ParagraphsCommand.self, [name, "--life", "--dead"]),
      (GrepCommand.self, ["段落", name]), (GrepCommand.self, ["more", name, "--deleted"]),
      (HistoryCommand.self, [name, "--lines", "1,2"]),
    ]
  }

  @Test(arguments: names, [200, 80, 40, 24])
  func `lines fit the terminal`(name: String, width: Int) async throws {
    let store = try Self.store(name)
    for (verb, arguments) in Self.verbs(name) {
      let (printed, _, _) = try await store.run(verb, arguments, width: width)
      #expect(!printed.isEmpty)
      for line in printed.split(separator: "\n") {
        #expect(line.displayWidth <= width, "\(verb): \(line)")
      }
    }
  }

  /// Lines of any length are not cut in a pipe, and in the terminal around what changed.
  @Test(arguments: [nil, 200, 80, 40, 24, 10, 1])
  func `history cuts lines around the changes`(width: Int?) async throws {
    var script = HistoryScript()
    let words = String(repeating: "word ", count: 60)
    try script.replace(0..<0, words + "old" + words, .load)
    script.wait(seconds: 60)
    try script.replace(300..<303, "new", .paste)
    script.wait(seconds: 60)
    for location in [500, 100, 10] {
      try script.replace(location..<(location + 5), "more", .paste, isJoined: location < 500)
    }
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(
      HistoryCommand.self, ["d", "--lines", "1,1"], width: width)
    let lines = printed.split(separator: "\n").filter { $0.hasPrefix("    ") }
    try #require(lines.count == 3)
    guard let width else {
      let mark = "[-old-]{+new+}"
      #expect(lines[1].displayWidth == 4 + 600 + mark.count)
      return
    }
    for line in lines where width > 4 { #expect(line.displayWidth <= width, "\(line)") }
    #expect(width < 40 || lines[1].contains("word [-old-]{+new+}word"), "\(lines[1])")
    #expect(width < 40 || lines[0].contains("+}"), "\(lines[0])")
  }

  @Test(arguments: names, [80, 40, 24])
  func `the last column is there`(name: String, width: Int) async throws {
    let store = try Self.store(name)
    let (log, _, _) = try await store.run(LogCommand.self, [name], width: width)
    let runs = log.split(separator: "\n").filter { !$0.contains("──") && $0.hasPrefix(" ") }
    let numbers = runs.map { $0.split(separator: " ").last ?? "" }
    #expect(numbers.first == "1" && numbers.count >= 4, "\(log)")
    #expect(numbers.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "-") } })

    let (usage, _, _) = try await store.run(UsageCommand.self, [name], width: width)
    let (documents, _, _) = try await store.run(DocumentsCommand.self, [], width: width)
    for (printed, verb) in [(usage, "du"), (documents, "documents")] {
      let lines = printed.split(separator: "\n")
      #expect(lines[0].hasSuffix("DOCUMENT"))
      // The end of a path says most.
      let shown = lines[1].split(separator: " ").last ?? ""
      let isWhole = shown == name
      #expect(isWhole || (shown.hasPrefix("…") && name.hasSuffix(shown.dropFirst())), "\(verb)")
      #expect(isWhole || lines[1].displayWidth >= width - 1, "\(verb)")
    }

    let (trace, _, _) = try await store.run(TraceCommand.self, [name], width: width)
    let rows = trace.split(separator: "\n")
    #expect(rows[0].hasSuffix("RATIO"))
    #expect(rows[1].split(separator: " ").last?.contains(".") == true, "\(rows[1])")
  }

  @Test func `all columns are there if they are asked for`() async throws {
    let store = try Self.store("d")
    let (usage, _, _) = try await store.run(UsageCommand.self, ["d", "-v"], width: 40)
    #expect(
      usage.split(separator: "\n")[0].split(separator: " ") == [
        "DISK", "BLOCKS", "FOOTERS", "PARITY", "CHECKPOINTS", "ATTACHMENTS", "JOURNAL", "<1D",
        "<7D", "<30D", "OLDER", "EDITS", "B/EDIT", "DOCUMENT",
      ])
    let (trace, _, _) = try await store.run(TraceCommand.self, ["d", "-v"], width: 40)
    #expect(
      trace.split(separator: "\n")[0].split(separator: " ") == [
        "EDIT", "TIME", "ORIGIN", "UNITS", "PARAGRAPHS", "LOCATE", "TEXT", "ATTRIBUTES",
        "PARAGRAPHS", "NOTIFY", "TOTAL", "LINEAR", "RATIO",
      ])
  }

  /// Columns that can be cut are cut first, then columns of the lowest rank go.
  @Test(arguments: [
    (nil, "12345  abcdefghij  xyz"), (22, "12345  abcdefghij  xyz"), (18, "12345  abcde…  xyz"),
    (16, "12345  abc…  xyz"), (15, "abcdefghij  xyz"), (9, "abc…  xyz"), (7, "a…  xyz"),
    (3, "…"),
  ])
  func layout(width: Int?, line: String) {
    var table = Table(
      [.init(rank: 1), .init(cutWidth: 4), .init()], style: Style(isColoured: false), width: width,
      hasHeader: false)
    table.append([.init("12345"), .init("abcdefghij"), .init("xyz")])
    #expect(table.takeLines() == line + "\n")
  }

  @Test(arguments: [
    ("/a/b/c.md", 9, "/a/b/c.md"), ("/a/b/c.md", 5, "…c.md"), ("日本語", 5, "…本語"), ("日本語", 4, "…語"),
    ("abc", 1, "…"),
  ])
  func `a path loses its beginning`(path: String, width: Int, shown: String) {
    #expect(Excerpt.cutFront(path, to: width) == shown)
  }
}
