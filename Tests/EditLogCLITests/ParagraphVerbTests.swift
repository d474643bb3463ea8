import ArgumentParser
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What `inspect`, `paragraphs` and `history` print of real stores.
@Suite struct ParagraphVerbTests {
  private func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    let bold = AttributeRun(length: 5, attributes: ["bold": .bool(true)])
    try script.replace(0..<0, "alpha\nbeta\ngamma\n", .load, author: "ann")
    script.wait(seconds: 60)
    try script.replace(6..<11, "", .removal, author: "bob")
    script.wait(seconds: 10)
    try script.replace(0..<0, "beta\n", .paste, author: "bob")
    script.wait(seconds: 60)
    try script.type(" two", at: 4, author: "ann")
    try script.replace(9..<14, "alpha", attributes: .set([bold]))
    return try RealStore(script.entries)
  }

  @Test func `inspect shows a place`() async throws {
    let (printed, _, code) = try await store().run(InspectCommand.self, ["d", "--line", "2:2"])
    #expect(code == 0)
    #expect(
      printed == #"""
          place        offset 10 of 21, line 2, column 2
          version      8
          attributes   bold = true over {9, 5}
                       all of them over {9, 5}
          unit before  bold = true over {9, 5}
        paragraph 0.0
          index        1, range {9, 6}
          text         "alpha\n"
          born         with the document
          last edited  edit 8, 2026-07-01 12:02:10, typing
          edits        2 edits by ann

        """#)
    let (json, _, _) = try await store().run(
      InspectCommand.self, ["d", "--paragraph", "1.0", "--json"])
    #expect(json.contains(#""lastText":"beta\n""#) && json.contains(#""movedTo":"3.0""#))
  }

  @Test func `inspect shows runs`() async throws {
    let store = try store()
    let (printed, _, _) = try await store.run(InspectCommand.self, ["d", "--index", "1", "--runs"])
    #expect(
      printed.hasSuffix(
        """
        runs
                       bold = true over {9, 5}, in paragraphs over {9, 6}

        """), "\(printed)")
    let (json, _, _) = try await store.run(InspectCommand.self, ["d", "--runs", "--json"])
    #expect(
      json.contains(
        #""runs":[{"name":"bold","value":true,"location":9,"length":5,"expanded":{"location":9,"length":6}}]"#
      ))
    #expect(
      json.contains(
        #""identifierRuns":[{"id":"3.0","location":0,"length":9},{"id":"0.0","location":9,"length":6},{"id":"1.1","location":15,"length":6}]"#
      ))
  }

  @Test func `a version has its identifiers in JSON`() async throws {
    let store = try store()
    let arguments = ["d", "--format", "attributed-json"]
    let (json, _, _) = try await store.run(ExportCommand.self, arguments + ["--ids"])
    #expect(
      json.hasSuffix(
        #""identifierRuns":[{"id":"3.0","location":0,"length":9},{"id":"0.0","location":9,"length":6},{"id":"1.1","location":15,"length":6}]}"#
          + "\n"))
    let (plain, _, _) = try await store.run(ExportCommand.self, arguments)
    #expect(!plain.contains("identifierRuns"))
    #expect(throws: (any Error).self) {
      try ExportCommand.parse(["d", "--format", "xml", "--ids"])
    }
  }

  @Test func `history takes a part of the time`() async throws {
    let store = try store()
    func edits(_ options: [String]) async throws -> [Substring] {
      let (printed, _, _) = try await store.run(
        HistoryCommand.self, ["d", "--range", "0,21"] + options)
      return printed.split(separator: "\n").filter { $0.hasPrefix("edit") }
        .map { $0.split(separator: " ").prefix(2).joined(separator: " ")[...] }
    }
    let all = try await edits([])
    #expect(all == ["edit 8", "edits 4..7", "edit 3", "edit 2", "edit 1"])
    #expect(try await edits(["--since", "3"]) == ["edit 8", "edits 4..7", "edit 3"])
    #expect(try await edits(["--until", "3"]) == ["edit 3", "edit 2", "edit 1"])
    #expect(
      try await edits(["--since", "2", "--until", "3", "--reverse"]) == ["edit 2", "edit 3"])
    #expect(try await edits(["--since", "2026-07-01T10:02:00Z"]) == ["edit 8", "edits 4..7"])
  }

  @Test func `inspect refuses what is outside`() async throws {
    let store = try store()
    for arguments in [
      ["--offset", "22"], ["--index", "9"], ["--line", "5:1"], ["--range", "3,400"],
      ["--paragraph", "77.0"],
    ] {
      let error = await #expect(throws: ProtocolError.self) {
        try await store.run(InspectCommand.self, ["d"] + arguments)
      }
      #expect(error?.code == .unknownPoint, "\(arguments)")
    }
    for arguments in [["--line", "0:1"], ["--range", "3"], ["--paragraph", "x"]] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(InspectCommand.self, ["d"] + arguments)
      }
      #expect(error?.exitCode == 64, "\(arguments)")
    }
    for arguments in [["--offset", "1", "--index", "2"], ["--offset", "-1"]] {
      await #expect(throws: (any Error).self) {
        try await store.run(InspectCommand.self, ["d"] + arguments)
      }
    }
  }

  @Test func `paragraphs shows lives, lineage and the dead`() async throws {
    let store = try store()
    let (printed, _, _) = try await store.run(
      ParagraphsCommand.self, ["d", "--life", "--lineage", "--dead"])
    #expect(
      printed == #"""
        PARAGRAPH  RANGE    BORN  LAST EDITED  EDITS  AUTHORS   MOVED     DIED  TIME                 TEXT
        3.0        {0, 9}      3            7      5  bob, ann  from 1.0        2026-07-01 12:02:10  "beta two\n"
        0.0        {9, 6}      0            8      2  ann                       2026-07-01 12:02:10  "alpha\n"
        1.1        {15, 6}     1            1      1  ann                       2026-07-01 12:00:00  "gamma\n"
        1.2        {21, 0}     1            1      1  ann                       2026-07-01 12:00:00  ""
        1.0                    1            1      1  ann       to 3.0       2  2026-07-01 12:01:00  "beta\n"

        """#)
    let (plain, _, _) = try await store.run(ParagraphsCommand.self, ["d", "--json"])
    #expect(
      plain.hasPrefix(
        #"{"v":1,"index":0,"id":"3.0","location":0,"length":9,"text":"beta two\n"}"# + "\n"))
    let (rows, _, _) = try await store.run(
      ParagraphsCommand.self, ["d", "--json", "--life", "--lineage", "--dead", "--positional"])
    for member in [
      "positional", "born", "lastEdited", "editCount", "authors", "children", "absorbed",
      "movedFrom", "movedTo", "died", "lastText",
    ] {
      #expect(rows.contains("\"\(member)\":"), "\(member)")
    }
  }

  @Test func `the pieces of a range`() async throws {
    let store = try store()
    for (treatment, ranges) in [
      ("keep", [(0, 9), (9, 0)]), ("drop", [(0, 9)]), ("merge", [(0, 9), (9, 6)]),
    ] {
      let (printed, _, _) = try await store.run(
        ParagraphsCommand.self, ["d", "--range", "0,3", "--ranges", treatment, "--json"])
      let expected = ranges.map { "\"location\":\($0.0),\"length\":\($0.1)," }
      let lines = printed.split(separator: "\n")
      #expect(lines.count == expected.count)
      for (line, part) in zip(lines, expected) { #expect(line.contains(part)) }
    }
  }

  @Test func `history shows the versions of a paragraph`() async throws {
    let store = try store()
    let (printed, _, _) = try await store.run(HistoryCommand.self, ["d", "--paragraph", "3.0"])
    #expect(
      printed == """
        edits 4..7  2026-07-01 12:02:10  ann  typing
            beta{+ two+}

        edit 3  2026-07-01 12:01:10  bob  paste
          paragraph 3.0 inserted
          paragraph 3.0 moved: the text of 1.0
            {+beta↵+}

        edit 2  2026-07-01 12:01:00  bob  removal
          paragraph 1.0 removed
            [-beta↵-]

        edit 1  2026-07-01 12:00:00  ann  load
          paragraph 1.0 inserted
            {+beta↵+}


        """)
    let (lines, _, _) = try await store.run(
      HistoryCommand.self, ["d", "--lines", "1,1", "-n", "1", "--json"])
    #expect(lines.split(separator: "\n").count == 1)
    #expect(lines.hasPrefix(#"{"v":1,"first":4,"sequence":7,"#))
    let (turned, _, _) = try await store.run(
      HistoryCommand.self, ["d", "--range", "0,2", "--reverse"])
    #expect(turned.hasPrefix("edit 1 "))
    await #expect(throws: (any Error).self) { try await store.run(HistoryCommand.self, ["d"]) }
  }
}
