import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What each verb prints for canned answers, to the character.
@Suite struct RenderingTests {
  private func run(
    _ verb: (some Verb).Type, _ arguments: [String], _ backend: FakeBackend,
    coloured: Bool = false, width: Int? = nil
  ) async throws -> (bench: Bench, exitCode: Int32) {
    let bench = Bench(backend, coloured: coloured, width: width)
    do {
      try await verb.parse(arguments).run(in: bench.session)
      return (bench, 0)
    } catch let code as ExitCode {
      return (bench, code.rawValue)
    }
  }

  @Test func documents() async throws {
    let backend = FakeBackend(
      "editlog/documents",
      [
        "documents": [
          [
            "document": "file:///home/ada/a.md", "number": 1, "sequence": 259_778, "bytes": 104_852,
            "firstTime": "2026-07-01T10:00:00Z", "lastTime": "2026-11-20T10:00:00Z",
          ],
          ["document": "evil\u{1B}[2J", "number": 2, "sequence": 0, "bytes": 12],
        ]
      ])
    let (bench, _) = try await run(DocumentsCommand.self, [], backend)
    #expect(
      bench.printed == """
          EDITS  FIRST                LAST                      SIZE  DOCUMENT
        259,778  2026-07-01 12:00:00  2026-11-20 11:00:00  102.4 KiB  /home/ada/a.md
              0                                                 12 B  "evil\\033[2J"

        """)
    let (json, _) = try await run(DocumentsCommand.self, ["--json"], backend)
    #expect(
      json.printed.hasSuffix(
        #"{"v":1,"document":"evil\u001b[2J","number":2,"sequence":0,"bytes":12}"# + "\n"))
    let (none, _) = try await run(
      DocumentsCommand.self, [], FakeBackend("editlog/documents", ["documents": []]))
    #expect(none.printed.isEmpty && none.noted == "There are no documents yet.\n")
  }

  @Test func damagedDocumentsAreSaid() async throws {
    let backend = FakeBackend(
      "editlog/documents",
      ["documents": [["document": "a", "number": 1, "sequence": 0, "bytes": 0, "problem": "bad"]]])
    let (bench, code) = try await run(DocumentsCommand.self, [], backend)
    #expect(code == 65 && bench.noted == "1 of them damaged; see `editlog verify`\n")
    #expect(bench.printed.contains("0 B  a"))
  }

  @Test func showAddsNothing() async throws {
    let text = UTF16Text(units: [0x61, 0x0A, 0xD83D, 0xDE00, 0x0D, 0xD800, 0x2029])
    let backend = FakeBackend("editlog/state", ["sequence": 3, "text": JSON(text)])
    let (bench, _) = try await run(ShowCommand.self, ["d", "--at", "3"], backend)
    #expect(bench.output.captured == Array("a\n😀\r\u{FFFD}\u{2029}".utf8))
    #expect(backend.calls == [#"editlog/state {"document":"d","at":"3","limit":1048576}"#])
    // D18: a terminal is shown no control character.
    let (shown, _) = try await run(ShowCommand.self, ["d"], backend, width: 3)
    #expect(shown.printed == "a\n😀\\r\u{FFFD}\\u{2029}")
    let (json, _) = try await run(ShowCommand.self, ["d", "--json"], backend)
    #expect(json.printed.contains(#""text":"a\n😀\r\ud800\u2029""#))
  }

  @Test func aPointThatIsNoneIsAUsageError() async throws {
    let error = await #expect(throws: CommandError.self) {
      try await run(ShowCommand.self, ["d", "--at", "25:00"], FakeBackend("", [:]))
    }
    #expect(error?.exitCode == 64)
  }

  @Test func diff() async throws {
    let unified = "--- d@1\n+++ d@2\n@@ -1,2 +1,2 @@\n same\r\n-old\n+--- new\n\\ No newline\n"
    let backend = FakeBackend("editlog/diff", ["from": 1, "to": 2, "unified": JSON(unified)])
    let (bench, code) = try await run(DiffCommand.self, ["d", "--from", "1", "--to", "2"], backend)
    #expect(code == 1)
    #expect(bench.printed == unified)
    #expect(
      backend.calls == [#"editlog/diff {"document":"d","from":"1","to":"2","part":0}"#])
    let (painted, _) = try await run(
      DiffCommand.self, ["d", "--from", "mark:a"], backend, coloured: true)
    #expect(
      painted.printed == "\u{1B}[1m--- d@1\u{1B}[0m\n\u{1B}[1m+++ d@2\u{1B}[0m\n"
        + "\u{1B}[36m@@ -1,2 +1,2 @@\u{1B}[0m\n same\r\n\u{1B}[31m-old\u{1B}[0m\n"
        + "\u{1B}[32m+--- new\u{1B}[0m\n\u{1B}[2m\\ No newline\u{1B}[0m\n")
    let equal = FakeBackend("editlog/diff", ["from": 1, "to": 2, "unified": ""])
    let (silent, same) = try await run(DiffCommand.self, ["d", "--from", "1"], equal)
    #expect(same == 0 && silent.printed.isEmpty)
  }

  @Test func paragraphs() async throws {
    let backend = FakeBackend(
      "editlog/paragraphs",
      [
        "sequence": 9,
        "paragraphs": [
          ["index": 0, "id": "1.0", "location": 0, "length": 6, "text": "\u{1B}[31m\n"],
          [
            "index": 1, "id": "12.1", "location": 6, "length": 30,
            "text": "日本語の長い段落 and \"more\" of it\r\n",
          ],
        ],
      ])
    let (bench, _) = try await run(ParagraphsCommand.self, ["d"], backend)
    #expect(
      bench.printed == #"""
        PARAGRAPH  RANGE    TEXT
        1.0        {0, 6}   "\u{1B}[31m\n"
        12.1       {6, 30}  "日本語の長い段落 and "more" of it\r\n"

        """#)
    let (narrow, _) = try await run(ParagraphsCommand.self, ["d"], backend, width: 40)
    #expect(narrow.printed.hasSuffix("\n12.1       {6, 30}  \"日本語の長い段落 …\"\n"))
    for line in narrow.printed.split(separator: "\n") { #expect(line.displayWidth <= 40) }
  }

  @Test func undoSteps() async throws {
    func step(_ step: Int, _ parent: Int, current: Bool = false, undone: Bool = false) -> JSON {
      [
        "step": JSON(step), "parent": JSON(parent), "first": JSON(step * 10),
        "last": JSON(step * 10 + step - 1), "origin": "typing", "edits": JSON(step),
        "inserted": 4, "deleted": JSON(step - 1), "time": "2026-11-20T10:00:00Z",
        "current": .bool(current), "undone": .bool(undone),
      ]
    }
    let backend = FakeBackend(
      "editlog/undo",
      [
        "steps": [
          step(1, 0), step(2, 1, undone: true), step(3, 2, undone: true), step(4, 1, current: true),
        ]
      ])
    let (bench, _) = try await run(UndoCommand.self, ["d", "--list"], backend)
    #expect(
      bench.printed == """
        STEP   FROM  EDITS   COUNT   TEXT  ORIGIN  TIME
        ○ 1          10          1     +4  typing  2026-11-20 11:00:00
        │ ◌ 2     1  20..21      2  +4 -1  typing  2026-11-20 11:00:00
        │ ◌ 3     2  30..32      3  +4 -2  typing  2026-11-20 11:00:00
        ● 4       1  40..43      4  +4 -3  typing  2026-11-20 11:00:00

        """)
    #expect(backend.calls == [#"editlog/undo {"document":"d","list":true}"#])
  }

  @Test func undoItself() async throws {
    let done = FakeBackend("editlog/undo", ["step": 4, "sequence": 51])
    let (bench, _) = try await run(UndoCommand.self, ["d"], done)
    #expect(bench.printed == "undid step 4; now at version 51\n")
    let plan = FakeBackend(
      "editlog/undo",
      [
        "step": 4, "base": 50,
        "edits": [
          [
            "actions": ["characters"], "location": 3, "length": 2, "changeInLength": -1,
            "text": "x", "origin": "undo",
          ]
        ],
      ])
    let (dry, _) = try await run(UndoCommand.self, ["d", "--dry-run"], plan)
    #expect(dry.printed == "1  undo  {3, 2}  -1  \"x\"\n")
    #expect(dry.noted == "Step 4 would be undone by:\n")
  }

  @Test func traces() async throws {
    func trace(_ sequence: Int, _ total: Int) -> JSON {
      [
        "sequence": JSON(sequence), "time": "2026-11-20T10:00:00Z", "origin": "removal",
        "units": 12_345, "paragraphs": 67, "unitsBefore": 20_000, "paragraphsBefore": 100,
        "phases": [
          "locate": 500, "text": 1500, "attributes": 2_500_000, "paragraphs": 0, "notify": 7,
        ], "total": JSON(total), "linear": 1_000_000,
      ]
    }
    let backend = FakeBackend(
      "editlog/trace",
      ["traces": [trace(7, 2_502_007), trace(1000, 12_000_000)], "chrome": ["traceEvents": []]])
    let (bench, _) = try await run(TraceCommand.self, ["d", "--min-length", "200"], backend)
    #expect(
      bench.printed == """
        EDIT  TIME                  UNITS  PARAGRAPHS    TOTAL  LINEAR  RATIO
           7  2026-11-20 11:00:00  12,345          67   2.5 ms  1.0 ms   2.50
        1000  2026-11-20 11:00:00  12,345          67  12.0 ms  1.0 ms  12.00

        2 DELETIONS  MEDIAN      P90      P99      MAX
        total        2.5 ms  12.0 ms  12.0 ms  12.0 ms
        ratio          2.50    12.00    12.00    12.00

        """)
    #expect(
      backend.calls == [
        #"editlog/trace {"document":"d","minLength":200,"format":"table","limit":1024}"#
      ])
    let (chrome, _) = try await run(TraceCommand.self, ["d", "--format", "chrome"], backend)
    #expect(chrome.printed == #"{"traceEvents":[]}"# + "\n")
  }

  @Test func mark() async throws {
    let backend = FakeBackend("editlog/mark", ["label": "a b", "sequence": 12])
    let (bench, _) = try await run(MarkCommand.self, ["d", "a b", "--at", "12"], backend)
    #expect(bench.printed == "mark:a b is version 12\n")
    #expect(backend.calls == [#"editlog/mark {"document":"d","label":"a b","at":"12"}"#])
  }

  @Test func status() async throws {
    let backend = FakeBackend(
      "editlog/status",
      [
        "documents": 3, "edits": 259_778, "journalBytes": 2048, "daemon": true,
        "started": "2026-11-20T10:00:00Z", "unsealedEntries": 7, "documentsInMemory": 2,
        "checked": 1,
      ])
    let (bench, _) = try await run(StatusCommand.self, [], backend)
    #expect(
      bench.printed == """
                    version:  0.1.0
                     daemon:  yes
                    started:  2026-11-20 11:00:00
                       path:  /s
                      store:  00
                  documents:  3
                      edits:  259,778
                     sealed:  0 B
                    journal:  2.0 KiB
            accepted losses:  0
                quarantined:  0
           unsealed entries:  7
        documents in memory:  2
                    checked:  1
                     damage:  none known; `editlog verify` reads every byte

        """)
  }

  @Test func verify() async throws {
    let backend = FakeBackend(
      "editlog/verify",
      [
        "sound": false, "documents": 1, "events": 2, "edits": 3,
        "findings": [["file": "journal/1", "offset": 77, "what": "checksum", "kind": "damaged"]],
      ])
    let (bench, code) = try await run(VerifyCommand.self, [], backend)
    #expect(code == 3)
    #expect(
      bench.printed == """
        journal/1, byte 77: damaged: checksum
        damaged: 1 document, 3 edits, 2 events checked

        """)
  }

  @Test(arguments: [
    ("plain", 5, "plain"), ("plain!", 5, "plai…"), ("日本語", 5, "日本…"), ("日本語", 6, "日本語"),
    ("a\tb\r\n", 9, #"a\tb\r\n"#), ("\u{1B}]0;x\u{7}", 40, #"\u{1B}]0;x\u{7}"#),
    ("a\u{202E}b", 40, #"a\u{202E}b"#), ("👩‍🚀x", 3, "👩‍🚀x"),
    ("e\u{301}\u{301}x", 2, "e\u{301}\u{301}x"),
    ("\u{2029}", 40, #"\u{2029}"#), ("xyz", 0, "…"),
  ])
  func excerpts(text: String, width: Int, shown: String) {
    #expect(Excerpt.line(text, width: width) == shown)
  }

  @Test func numbers() {
    #expect(Numbers.grouped(-1_234_567) == "-1,234,567")
    #expect(Numbers.grouped(Int64.min) == "-9,223,372,036,854,775,808")
    #expect(Numbers.size(1023) == "1023 B")
    #expect(Numbers.size(1536) == "1.5 KiB")
    #expect(Numbers.duration(1_500) == "1.5 µs")
    #expect(Numbers.duration(12_340_000_000) == "12.3 s")
    #expect(Numbers.decimal(0.05, 1) == "0.1")
    #expect(Numbers.decimal(1234.5, 0) == "1,235")
    #expect(ProgressBar.bar(0.5).count == 28)
    #expect(ProgressBar.bar(2) == String(repeating: "█", count: 28))
  }
}
