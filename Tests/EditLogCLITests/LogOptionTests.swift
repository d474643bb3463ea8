import ArgumentParser
import EditJSON
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `-o`, `-g`, `-n` and cursors of `log`.
@Suite struct LogOptionTests {
  /// Events before the first edit, between edits, several after one, and at the end.
  private static func history() throws -> HistoryScript {
    var script = HistoryScript()
    script.note(.closed(unsaved: true))
    try script.replace(0..<0, "one\n", .load)
    script.wait(seconds: 60)
    try script.type("two three\n", at: 4, author: "ann")
    script.note(.mark(label: "a", at: script.last))
    script.wait(seconds: 1)
    script.note(.mark(label: "b", at: script.last))
    script.wait(seconds: 60)
    try script.replace(4..<8, "", .removal, author: "ann")
    script.wait(seconds: 60)
    try script.replace(0..<3, "ONE", .paste, author: "bob")
    script.note(.closed(unsaved: false))
    return script
  }

  private static func cursor(_ printed: String) throws -> String {
    let line = try #require(printed.split(separator: "\n").last)
    let prefix = "-- cursor: "
    try #require(line.hasPrefix(prefix))
    return String(line.dropFirst(prefix.count))
  }

  private static func cursors(_ entries: [HistoryEntry]) -> [String] {
    var reader = CursorReader(after: 0, start: nil)
    return entries.map { entry in
      _ = reader.read([entry])
      return reader.newest?.text ?? ""
    }
  }

  @Test func `-o json is --json`() async throws {
    let store = try RealStore(try Self.history().entries)
    let (plain, _, _) = try await store.run(LogCommand.self, ["d", "--json"])
    let (other, _, _) = try await store.run(LogCommand.self, ["d", "-o", "json"])
    #expect(plain == other && plain.hasPrefix(#"{"v":1"#))
    let (short, _, _) = try await store.run(LogCommand.self, ["d", "-o", "short"])
    #expect(try await store.run(LogCommand.self, ["d"]).printed == short)
    #expect(throws: (any Error).self) { try LogCommand.parse(["d", "--json", "-o", "patch"]) }
    #expect(throws: (any Error).self) { try LogCommand.parse(["d", "-o", "tables"]) }
  }

  /// Each line of edits is followed by what `diff` prints for them.
  @Test(arguments: [[], ["-n", "2"], ["-r"]])
  func `a patch has the diff of each line`(options: [String]) async throws {
    let store = try RealStore(try Self.history().entries)
    let (patch, _, _) = try await store.run(LogCommand.self, ["d", "-o", "patch"] + options)
    var ranges = [(1, 1), (2, 11), (12, 12), (13, 13)]
    if options.contains("-n") { ranges = ranges.suffix(2) }
    if options.contains("-r") { ranges.reverse() }
    var rest = patch.split(separator: "\n")[...]
    for (first, last) in ranges {
      let (diff, _, _) = try await store.run(
        DiffCommand.self, ["d", "--from", "\(first - 1)", "--to", "\(last)"])
      let body = diff.split(separator: "\n").filter { !$0.hasPrefix("---") && !$0.hasPrefix("+++") }
      for line in body {
        let found = try #require(rest.firstIndex(of: line), "\(line)")
        rest = rest[(found + 1)...]
      }
    }
    #expect(patch.split(separator: "\n").count { $0.hasPrefix("@@") } == ranges.count)
  }

  /// Each entry is printed by exactly one of two runs, whatever the entry at which the first ended.
  @Test func `a cursor splits a history at any entry`() async throws {
    let entries = try Self.history().entries
    let cursors = Self.cursors(entries)
    let store = try RealStore(entries)
    let all = entries.map { "\($0.json)" }
    for (index, cursor) in cursors.enumerated() {
      func lines(_ options: String...) async throws -> [String] {
        try await store.run(LogCommand.self, ["d", "--json"] + options).printed
          .split(separator: "\n").map(String.init)
      }
      #expect(try await lines("--after-cursor", cursor) == Array(all[(index + 1)...]))
      #expect(try await lines("--cursor", cursor) == Array(all[index...]))
      #expect(
        try await lines("--cursor", cursor, "-r") == Array(all[index...].reversed()))
      let newest = try await lines("--cursor", cursor, "-n", "1")
      #expect(newest == Array(all[max(index, all.count - 2)...]) || index == all.count - 1)
    }
  }

  @Test(arguments: [
    [], ["-r"], ["-n", "1"], ["-o", "patch"], ["--edits"], ["-g", "two"], ["-n", "0"],
  ])
  func `--show-cursor names the newest entry`(options: [String]) async throws {
    let entries = try Self.history().entries
    for count in [1, 2, 3, entries.count - 1, entries.count] {
      let store = try RealStore(Array(entries.prefix(count)))
      let (printed, _, _) = try await store.run(LogCommand.self, ["d", "--show-cursor"] + options)
      #expect(try Self.cursor(printed) == Self.cursors(entries)[count - 1], "\(count)")
    }
  }

  /// New entries, events included, are printed once, and a run without new ones prints the cursor again.
  @Test func `a cursor goes on where it was`() async throws {
    let entries = try Self.history().entries
    let store = try RealStore(Array(entries.prefix(1)))
    let (printed, _, _) = try await store.run(LogCommand.self, ["d", "--show-cursor"])
    var cursor = try Self.cursor(printed)
    for start in stride(from: 1, to: entries.count, by: 3) {
      let next = Array(entries[start..<min(start + 3, entries.count)])
      try store.append(next, to: "d")
      let (json, _, _) = try await store.run(
        LogCommand.self, ["d", "--json", "--show-cursor", "--after-cursor", cursor])
      let lines = json.split(separator: "\n")
      #expect(lines.dropLast().map(String.init) == next.map { "\($0.json)" })
      let (again, _, _) = try await store.run(
        LogCommand.self, ["d", "--show-cursor", "--after-cursor", cursor])
      cursor = try Self.cursor(again)
      #expect(lines.last == #"{"v":1,"cursor":"\#(cursor)"}"#)
      let (same, _, _) = try await store.run(
        LogCommand.self, ["d", "--show-cursor", "--after-cursor", cursor])
      #expect(same == "-- cursor: \(cursor)\n")
    }
  }

  @Test func `a cursor of another history is refused`() async throws {
    let entries = try Self.history().entries
    let store = try RealStore(entries)
    var other = HistoryScript(at: "2026-11-21T14:04:00Z")
    try other.type("another text", at: 0)
    try store.append(other.entries, to: "other")
    let cursors = Self.cursors(entries)
    for cursor in [cursors[1], cursors[5], cursors[cursors.count - 1]] {
      await #expect {
        _ = try await store.run(LogCommand.self, ["other", "--after-cursor", cursor])
      } throws: {
        ($0 as? CommandError)?.exitCode == 66
      }
    }
    for text in ["", "12", String(cursors[0].dropLast()), "g" + cursors[0].dropFirst(), "é"] {
      #expect(throws: (any Error).self) { try LogCommand.parse(["d", "--cursor", text]) }
    }
    #expect(throws: (any Error).self) {
      try LogCommand.parse(["d", "--cursor", cursors[0], "--since", "1"])
    }
  }

  @Test func `a cursor is its text`() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let cursor = LogCursor(
        position: HistoryPosition(
          after: random.next() >> (random.next() % 64), events: Int(random.next() >> 40)),
        time: Timestamp(nanoseconds: Int64(bitPattern: random.next())))
      #expect(LogCursor(cursor.text) == cursor)
    }
  }

  /// Events that come with an edit, but before or after the times that are asked for, are not printed.
  @Test func `events have times of their own`() async throws {
    let script = try Self.history()
    let marks = script.entries.compactMap { (entry: HistoryEntry) -> HistoryEvent? in
      guard case .event(let event) = entry, case .mark = event.kind else { return nil }
      return event
    }
    let (a, b) = (try #require(marks.first?.time), try #require(marks.last?.time))
    let store = try RealStore(script.entries)
    for (options, hasA, hasB) in [
      (["-U", a.rfc3339], true, false), (["-U", b.rfc3339], true, true),
      (["-S", b.rfc3339], false, true), (["-S", b.rfc3339, "-r"], false, true),
    ] {
      let (json, _, _) = try await store.run(LogCommand.self, ["d", "--json"] + options)
      let found = (json.contains(#""label":"a""#), json.contains(#""label":"b""#))
      #expect(found == (hasA, hasB), "\(options): \(json)")
    }
    // The cursor does not pass what was not printed.
    for options in [[], ["-n", "1"]] {
      let (until, _, _) = try await store.run(
        LogCommand.self, ["d", "-U", a.rfc3339, "--show-cursor"] + options)
      let rest = ["d", "--json", "--after-cursor", try Self.cursor(until)]
      let (json, _, _) = try await store.run(LogCommand.self, rest)
      #expect(json.contains(#""label":"b""#) && !json.contains(#""label":"a""#), "\(json)")
    }
  }

  /// The edits of `-g` are those between whose versions the number of matches differs, as the texts show.
  @Test(arguments: ["two", "t[a-z]+", "ONE|one", "nothing", "e"])
  func `-g prints the edits that made or removed matches`(pattern: String) async throws {
    let entries = try Self.history().entries
    let store = try RealStore(entries)
    let (json, _, _) = try await store.run(LogCommand.self, ["d", "--json", "-g", pattern])
    let found = json.split(separator: "\n").map(String.init)
    var matches: [[String]] = [[]]
    for version in 1...13 {
      let (text, _, _) = try await store.run(ShowCommand.self, ["d", "--at", "\(version)"])
      let regex = try Regex(pattern)
      matches.append(text.matches(of: regex).map { String(text[$0.range]) })
    }
    let changed = entries.filter { entry in
      guard case .edit(let edit) = entry else { return false }
      return matches[Int(edit.sequence)] != matches[Int(edit.sequence) - 1]
    }
    let expected = changed.map { (entry: HistoryEntry) -> String in "\(entry.json)" }
    #expect(Set(expected).isSubset(of: found))
    let (lines, _, _) = try await store.run(LogCommand.self, ["d", "--edits", "-g", pattern])
    #expect(lines.split(separator: "\n").count { $0.hasPrefix("  ") } == found.count)
    let (newest, _, _) = try await store.run(
      LogCommand.self, ["d", "--json", "-g", pattern, "-n", "1"])
    #expect(newest.split(separator: "\n").map(String.init) == Array(found.suffix(1)))
    if pattern == "nothing" { #expect(found.isEmpty) }
  }

  @Test(arguments: [
    (["-g", "TWO"], 0), (["-g", "TWO", "-i"], 1), (["-g", "t.o"], 1), (["-g", "t.o", "-F"], 0),
    (["-g", "Two", "-i", "-F"], 1),
  ])
  func `-g takes the options of grep`(options: [String], minimum: Int) async throws {
    let store = try RealStore(try Self.history().entries)
    let (printed, _, _) = try await store.run(LogCommand.self, ["d", "--json"] + options)
    #expect(printed.isEmpty == (minimum == 0), "\(printed)")
  }

  /// Only the cursor is printed.
  @Test func `-n 0 --show-cursor prints the cursor alone`() async throws {
    let entries = try Self.history().entries
    let store = try RealStore(entries)
    let cursors = Self.cursors(entries)
    let options = ["d", "-n", "0", "--show-cursor"]
    let (printed, _, _) = try await store.run(LogCommand.self, options)
    let last = try #require(cursors.last)
    #expect(printed == "-- cursor: \(last)\n")
    let (same, _, _) = try await store.run(
      LogCommand.self, options + ["--after-cursor", cursors[2]])
    #expect(same == printed)
    #expect(try await store.run(LogCommand.self, ["d", "-n", "0"]).printed.isEmpty)
  }

  @Test func `a wrong pattern is refused`() async throws {
    let store = try RealStore(try Self.history().entries)
    await #expect {
      _ = try await store.run(LogCommand.self, ["d", "-g", "("])
    } throws: {
      ($0 as? CommandError)?.exitCode == 64
    }
    #expect(throws: (any Error).self) { try LogCommand.parse(["d", "-i"]) }
    #expect(throws: (any Error).self) { try LogCommand.parse(["d", "-F"]) }
    _ = try LogCommand.parse(["d", "-f", "-g", "a", "-i", "-F"])
    #expect(throws: (any Error).self) { try LogCommand.parse(["d", "-f", "--show-cursor"]) }
  }

  @Test func `marks and steps can be cut to the newest`() async throws {
    let store = try RealStore(try Self.history().entries)
    func labels(_ options: String...) async throws -> [String] {
      try await store.run(MarksCommand.self, ["d"] + options).printed
        .split(separator: "\n").dropFirst().compactMap {
          $0.split(separator: " ").dropFirst().first
        }
        .map(String.init)
    }
    #expect(try await labels() == ["mark:a", "mark:b"])
    #expect(try await labels("-n", "1") == ["mark:b"])
    #expect(try await labels("-r") == ["mark:b", "mark:a"])
    #expect(try await labels("-S", "12") == [])
    #expect(try await labels("-U", "11") == ["mark:a", "mark:b"])
    let (all, _, _) = try await store.run(UndoCommand.self, ["d", "--list", "--json"])
    let (two, _, _) = try await store.run(UndoCommand.self, ["d", "--list", "-n", "2", "--json"])
    let (allLines, twoLines) = (all.split(separator: "\n"), two.split(separator: "\n"))
    #expect(allLines.suffix(2) == twoLines[...])
    #expect(throws: (any Error).self) { try UndoCommand.parse(["d", "-n", "2"]) }
  }
}
