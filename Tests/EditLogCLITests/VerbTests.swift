import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import Testing

@testable import EditLogCommands

/// What each verb prints of real stores, to the character.
@Suite struct VerbTests {
  private func script(_ body: (inout HistoryScript) throws -> Void) throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try body(&script)
    return try RealStore(script.entries)
  }

  @Test func `documents lists arguments, counts and times`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    for name in ["file:///home/ada/a%20b.md", "evil\u{1B}[2J"] {
      var other = HistoryScript(at: "2026-11-20T10:00:00Z")
      try other.replace(0..<0, "x")
      try store.append(other.entries, to: name)
    }
    let (printed, _, exitCode) = try await store.run(DocumentsCommand.self, [])
    let lines = printed.split(separator: "\n").map(String.init)
    #expect(exitCode == 0 && lines.count == 4)
    #expect(lines[0] == "EDITS  FIRST                LAST                  LOG  DOCUMENT")
    #expect(lines[1].hasPrefix("    3  2026-07-01 12:00:00  2026-07-01 12:00:00  "))
    #expect(lines[1].hasSuffix("  d"))
    #expect(lines[2].hasSuffix("  \"evil\\033[2J\""))
    #expect(lines[3].hasPrefix("    1  2026-11-20 11:00:00  2026-11-20 11:00:00  "))
    #expect(lines[3].hasSuffix("  /home/ada/a b.md"))
    let (json, _, _) = try await store.run(DocumentsCommand.self, ["--json"])
    #expect(json.contains(#"{"v":1,"document":"evil\u001b[2J","number":3,"sequence":1,"#))
  }

  @Test func `show adds nothing`() async throws {
    let units: [UInt16] = [0x61, 0x0A, 0xD83D, 0xDE00, 0x0D, 0xD800, 0x2029]
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
    let store = try RealStore([.edit(Edit(sequence: 1, action: action))])
    let (plain, _, _) = try await store.run(ShowCommand.self, ["d", "--at", "1"])
    #expect(Array(plain.utf8) == Array("a\n😀\r\u{FFFD}\u{2029}".utf8))
    // D18: a terminal is shown no control character.
    let (shown, _, _) = try await store.run(ShowCommand.self, ["d"], width: 3)
    #expect(shown == "a\n😀\\r\u{FFFD}\\u{2029}")
    let (json, _, _) = try await store.run(ShowCommand.self, ["d", "--json"])
    #expect(json.contains(#""text":"a\n😀\r\ud800\u2029""#))
  }

  @Test func `JSON has no raw control character on a terminal`() async throws {
    let store = try script { try $0.replace(0..<0, "a\u{9B}31m\u{202E}b\u{E0001}é") }
    for (verb, arguments) in [
      (ShowCommand.self as any Verb.Type, ["d", "--json"]), (LogCommand.self, ["d", "--json"]),
    ] {
      let (shown, _, _) = try await store.run(verb, arguments, width: 80)
      #expect(shown.contains(#""text":"a\u009b31m\u202eb\udb40\udc01é""#))
      let (piped, _, _) = try await store.run(verb, arguments)
      #expect(piped.contains("\"text\":\"a\u{9B}31m\u{202E}b\u{E0001}é\""))
    }
  }

  @Test func `an empty range is said`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    for arguments in [["d", "-S", "99"], ["d", "-S", "2030-01-01"], ["d", "-S", "3", "-U", "1"]] {
      let (printed, noted, exitCode) = try await store.run(LogCommand.self, arguments)
      #expect(printed.isEmpty && exitCode == 0)
      #expect(noted == "There are no edits and no events in this range.\n")
    }
  }

  @Test func `a point that is none is a usage error`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ShowCommand.self, ["d", "--at", "25:00"])
    }
    #expect(error?.exitCode == 64)
  }

  @Test func `diff has git's colours and statuses`() async throws {
    let store = try script { script in
      try script.replace(0..<0, "same\r\nold\n", .load)
      try script.replace(6..<10, "--- new")
    }
    let (painted, _, exitCode) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--to", "2"], coloured: true)
    let time = "\t2026-07-01 12:00:00.000000000 +0200"
    #expect(exitCode == 1)
    #expect(
      painted == "\u{1B}[1m--- d@1\(time)\u{1B}[0m\n\u{1B}[1m+++ d@2\(time)\u{1B}[0m\n"
        + "\u{1B}[36m@@ -1,2 +1,2 @@\u{1B}[0m\n same\r\n\u{1B}[31m-old\u{1B}[0m\n"
        + "\u{1B}[32m+--- new\u{1B}[0m\n\u{1B}[2m\\ No newline at end of file\u{1B}[0m\n")
    let (silent, _, same) = try await store.run(DiffCommand.self, ["d", "--from", "2"])
    #expect(same == 0 && silent.isEmpty)
  }

  @Test func `paragraphs shows identifiers, ranges and excerpts`() async throws {
    let store = try script { script in
      try script.replace(0..<0, "\u{1B}[31m\n日本語の長い段落 and \"more\" of it\r\n", .load)
    }
    let (printed, _, _) = try await store.run(ParagraphsCommand.self, ["d"])
    #expect(
      printed == #"""
        PARAGRAPH  RANGE    TEXT
        0.0        {0, 6}   "\u{1B}[31m\n"
        1.0        {6, 27}  "日本語の長い段落 and "more" of it\r\n"
        1.1        {33, 0}  ""

        """#)
    let (narrow, _, _) = try await store.run(ParagraphsCommand.self, ["d"], width: 40)
    #expect(narrow.contains("\n1.0        {6, 27}  \"日本語の長い段落 …\"\n"))
    for line in narrow.split(separator: "\n") { #expect(line.displayWidth <= 40) }
  }

  @Test func `undo lists, plans, takes back, and redo brings back`() async throws {
    let store = try script { script in
      try script.replace(0..<0, "abc", .paste)
      script.wait(seconds: 60)
      try script.replace(1..<2, "xy", .paste)
    }
    let (steps, _, _) = try await store.run(UndoCommand.self, ["d", "--list"])
    #expect(
      steps == """
        STEP  FROM  EDITS  COUNT   TEXT  ORIGIN  TIME
        ○ 1         1          1     +3  paste   2026-07-01 12:00:00
        ● 2      1  2          1  +2 -1  paste   2026-07-01 12:01:00

        """)
    let (plan, note, _) = try await store.run(UndoCommand.self, ["d", "--dry-run"])
    #expect(
      plan == """
        @@ -1 +1 @@
        -axyc
        \\ No newline at end of file
        +abc
        \\ No newline at end of file

        """)
    #expect(note == "To undo step 2 would change:\n")
    let (undone, _, _) = try await store.run(UndoCommand.self, ["d"])
    #expect(undone == "undid step 2; now at version 3\n")
    #expect(try await store.run(ShowCommand.self, ["d"]).printed == "abc")
    let (redone, _, _) = try await store.run(RedoCommand.self, ["d"])
    #expect(redone == "redid step 2; now at version 4\n")
    #expect(try await store.run(ShowCommand.self, ["d"]).printed == "axyc")
  }

  @Test func `mark names a version`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    let (printed, _, _) = try await store.run(MarkCommand.self, ["d", "a b", "--at", "2"])
    #expect(printed == "mark:a b is version 2\n")
    #expect(try await store.run(ShowCommand.self, ["d", "--at", "mark:a b"]).printed == "ab")
  }

  @Test func `verify and repair name a damaged file by the same path`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    // A run that writes seals.
    _ = try await store.run(MarkCommand.self, ["d", "m"])
    let name = "documents/00000000000000000001.segment"
    let file = try #require(fopen(store.path + "/" + name, "r+"))
    fseek(file, 60, SEEK_SET)
    fputc(0x78, file)
    fclose(file)
    let (verdict, _, _) = try await store.run(VerifyCommand.self, [])
    #expect(verdict.hasPrefix("\(name): repairable: "))
    let (plan, _, _) = try await store.run(RepairCommand.self, ["--dry-run"])
    #expect(plan.hasPrefix("\(name): "))
    let (done, _, _) = try await store.run(RepairCommand.self, [])
    #expect(done.hasPrefix("\(name): "))
    #expect(try await store.run(ShowCommand.self, ["d"]).printed == "abc")
  }

  @Test func `status, verify and du of a sound store`() async throws {
    let store = try script { try $0.type("abc", at: 0) }
    let (status, _, _) = try await store.run(StatusCommand.self, [])
    let labels = status.split(separator: "\n").map {
      $0.prefix { $0 != ":" }.drop { $0 == " " }
    }
    #expect(
      labels == [
        "version", "path", "store", "documents", "edits", "sealed", "journal", "accepted losses",
        "quarantined", "free on the disk", "damage",
      ])
    #expect(status.contains("damage:  none known; `editlog verify` reads every byte\n"))
    let (verdict, _, exitCode) = try await store.run(VerifyCommand.self, [])
    #expect(exitCode == 0 && verdict == "sound: 1 document, 3 edits, 0 events checked\n")
    let (usage, _, _) = try await store.run(UsageCommand.self, [])
    #expect(usage.split(separator: "\n").count == 7)
    let (one, _, _) = try await store.run(UsageCommand.self, ["d", "--json"])
    #expect(one.split(separator: "\n").count == 1 && one.contains(#""document":"d""#))
    await #expect(throws: CommandError.self) { try await store.run(UsageCommand.self, ["none"]) }
  }
}
