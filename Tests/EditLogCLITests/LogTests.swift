import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// What `log` prints of real stores.
@Suite struct LogTests {
  private static func essay() throws -> HistoryScript {
    var script = HistoryScript()
    try script.replace(0..<0, "An earlier idea was bytes.\n", .load)
    script.wait(seconds: 60)
    try script.type("The cost", at: 0, author: "ann")
    script.note(.mark(label: "first draft", at: script.last), author: "ann")
    try script.replace(8..<19, "", .removal, author: "ann")
    script.wait(until: "2026-11-21T23:30:00Z")
    try script.replace(0..<3, "Layout: journal\n", .paste, author: "claude AI")
    script.wait(seconds: 10)
    try script.replace(0..<16, "", .undo)
    script.note(.closed(unsaved: true))
    return script
  }

  /// D23.
  @Test func `edits are grouped and show what they removed`() async throws {
    let store = try RealStore(try Self.essay().entries)
    let (printed, _, _) = try await store.run(LogCommand.self, ["d"])
    #expect(
      printed == #"""
        Fri 20 Nov 2026
          15:04             +27       loaded   "An earlier idea was bytes.\n"  1
          15:05  ann         +8       typed    "The cost"                      2-9
          15:05  ── mark:first draft at 9 by ann
          15:05  ann             -11  deleted  "An earlier "                   10
        Sun 22 Nov 2026
          00:30  claude AI  +16   -3  pasted   "Layout: journal\n" for "The"   11
          00:30                  -16  undid    "Layout: journal\n"             12
          00:30  ── closed unsaved at 12

        """#)
    let (turned, _, _) = try await store.run(LogCommand.self, ["d", "-r"])
    let lines = printed.split(separator: "\n")
    let (newer, older) = (Array(lines[6...].reversed()), Array(lines[1..<5].reversed()))
    #expect(turned.split(separator: "\n") == [lines[5]] + newer + [lines[0]] + older)
  }

  @Test func `edits have a line each if that is asked for`() async throws {
    let store = try RealStore(try Self.essay().entries)
    let (printed, _, _) = try await store.run(
      LogCommand.self, ["d", "--edits", "--since", "9", "--until", "10"])
    #expect(
      printed == """
        Fri 20 Nov 2026
          15:05:00  ann  +1       typed    "t"            9
          15:05:00  ── mark:first draft at 9 by ann
          15:05:00  ann      -11  deleted  "An earlier "  10

        """)
    let (verbose, _, _) = try await store.run(
      LogCommand.self, ["d", "-v", "--until", "9"], width: 20)
    #expect(
      verbose == #"""
        Fri 20 Nov 2026
          15:04:00       +27  loaded  {0, 0}  "An earlier idea was bytes.\n"  1
          15:05:00  ann   +8  typed   {0, 0}  "The cost"                      2-9
          15:05:00  ── mark:first draft at 9 by ann

        """#)
  }

  /// Runs of typing as an input method makes them, of deletions in both directions, and a transaction at several
  /// places. The type is written out: to infer it takes the compiler half a minute.
  static let runs: [(edits: [(Range<Int>, String)], isTransaction: Bool, shown: String)] = [
    ([(0..<0, "n"), (0..<1, "に"), (1..<1, "h"), (1..<2, "ほ")], false, #"+2  typed  "にほ""#),
    ([(3..<4, ""), (2..<3, ""), (1..<2, "")], false, #"-3  deleted  "bcd""#),
    ([(2..<3, ""), (2..<3, ""), (2..<3, "")], false, #"-3  deleted  "cde""#),
    ([(0..<1, "xx"), (5..<6, "yy")], true, #"+4  -2  typed  "xx … yy" for "a … e""#),
    ([(1..<4, "x"), (0..<3, "yz")], true, #"+2  -5  typed  "yz" for "abcde""#),
    ([(1..<4, ""), (0..<2, "q")], true, #"+1  -5  typed  "q" for "abcde""#),
  ]

  @Test(arguments: runs)
  func `a run is shown as what it did to the text`(
    edits: [(Range<Int>, String)], isTransaction: Bool, shown: String
  ) async throws {
    for arguments in [["d", "--since", "2"], ["d", "-n", "1"], ["d", "-rn", "1"]] {
      var script = HistoryScript()
      try script.replace(0..<0, "abcdefgh", .load)
      for (index, (range, text)) in edits.enumerated() {
        try script.replace(range, text, isJoined: isTransaction && index > 0)
      }
      let store = try RealStore(script.entries)
      let (printed, _, _) = try await store.run(LogCommand.self, arguments)
      let line = "  15:04  \(shown)  2-\(script.last)"
      #expect(printed == "Fri 20 Nov 2026\n\(line)\n", "\(arguments)")
    }
  }

  /// A transaction of more places than are kept still counts all of them.
  @Test func `many places are counted`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, String(repeating: "a ", count: 100), .load)
    for place in 0..<50 {
      try script.replace(place * 4..<place * 4 + 1, "b", .format, isJoined: place > 0)
    }
    let store = try RealStore(script.entries)
    for arguments in [["d", "--since", "2"], ["d", "-n", "1"]] {
      let (printed, _, _) = try await store.run(LogCommand.self, arguments)
      #expect(printed.contains("+50  -50  formatted"), "\(printed)")
      #expect(printed.contains(#""b … b … b … b" for "a … a … a … a""#), "\(printed)")
    }
  }

  /// The last session may have marks only, and so may the ones before it.
  @Test(arguments: [
    ("session:-1", ["three"], []), ("session:-2", ["two", "three"], ["one"]),
    ("session:-3", ["one", "two", "three"], []), ("session:3", ["two", "three"], ["one"]),
    ("session:4", ["three"], ["two"]), ("session:1", ["alpha", "one", "three"], []),
  ])
  func `a session is shown with its events`(
    since: String, shown: [String], hidden: [String]
  ) async throws {
    var script = HistoryScript()
    script.note(.session(try #require(SessionDescription(client: "editor"))))
    try script.replace(0..<0, "alpha\n", .paste)
    for label in ["one", "two", "three"] {
      script.wait(seconds: 60)
      script.note(.session(try #require(SessionDescription(client: "marking"))))
      script.note(.mark(label: label, at: 1))
    }
    let store = try RealStore(script.entries)
    for arguments in [["d", "--since", since], ["d", "--since", since, "--json"]] {
      let (printed, noted, _) = try await store.run(LogCommand.self, arguments)
      #expect(shown.allSatisfy { printed.contains($0) }, "\(printed) \(noted)")
      #expect(!hidden.contains { printed.contains($0) }, "\(printed)")
      #expect(!noted.contains("There are no edits"))
    }
  }

  /// An undo sets the attributes that were there before, not those that it takes back.
  @Test func `undone formatting has no names`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "abcdefgh", .load)
    let store = try RealStore(script.entries)
    for attribute in ["bold", "heading=1"] {
      _ = try await store.run(StyleCommand.self, ["d", "--range", "0,5", "--set", attribute])
    }
    _ = try await store.run(UndoCommand.self, ["d"])
    _ = try await store.run(RedoCommand.self, ["d"])
    let (printed, _, _) = try await store.run(LogCommand.self, ["d"])
    let lines = printed.split(separator: "\n").filter { !$0.contains("──") }.suffix(4).map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
    #expect(lines[0].contains("bold") && lines[1].contains("heading"), "\(printed)")
    #expect(lines[2].contains("undid formatting 4"), "\(printed)")
    #expect(lines[3].contains("redid formatting 5"), "\(printed)")
  }

  // MARK: Pages

  /// Runs of 37 keystrokes, 2,500 edits: more than two pages.
  private static func longHistory() throws -> HistoryScript {
    var script = HistoryScript()
    while script.last < 2_500 {
      let count = min(37, 2_500 - Int(script.last))
      try script.type(String(repeating: "x", count: count), at: Int(script.last))
      script.wait(seconds: 10)
    }
    return script
  }

  @Test func `runs reach over pages`() async throws {
    let store = try RealStore(try Self.longHistory().entries)
    func lines(_ arguments: String...) async throws -> [String] {
      let (printed, _, _) = try await store.run(LogCommand.self, ["d"] + arguments)
      return printed.split(separator: "\n").dropFirst().map { line in
        String(line.drop { $0 == " " }.dropFirst(5)).split(separator: " ").joined(separator: " ")
      }
    }
    let all = try await lines()
    #expect(all.count == 68)
    for (index, line) in all.enumerated() {
      let (first, last) = (index * 37 + 1, min(index * 37 + 37, 2_500))
      #expect(
        line.hasSuffix("\"\(String(repeating: "x", count: last - first + 1))\" \(first)-\(last)"))
    }
    #expect(try await lines("-r") == all.reversed())
    #expect(try await lines("-n", "40") == all.suffix(40))
    #expect(try await lines("-r", "-n", "40") == all.suffix(40).reversed())
    #expect(try await lines("-n", "9000") == all)
    #expect(try await lines("-n", "0").isEmpty)
    #expect(try await lines("--edits").count == 2_500)
    #expect(try await lines("--edits", "-n", "1500").count == 1_500)
  }

  @Test(arguments: [[], ["-r"], ["-n", "1500"], ["-rn", "1500"], ["-n", "3"], ["-n", "0"]])
  func `JSON is a line for each entry`(arguments: [String]) async throws {
    let script = try Self.longHistory()
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(LogCommand.self, ["d", "--json"] + arguments)
    let count = arguments.last.flatMap { Int($0) } ?? 2_500
    let expected = script.entries.suffix(count).map { "\($0.json)" }
    let lines = printed.split(separator: "\n").map(String.init)
    #expect(lines == (arguments.first?.hasPrefix("-r") == true ? expected.reversed() : expected))
  }

  // MARK: Texts

  /// D23 and D18: whatever a text and a name are, a line is one line and moves no cursor.
  @Test func `hostile text is shown as escapes`() async throws {
    let hostile = "\u{1B}[2J\u{7}\u{202E}\u{2066}a\u{2028}b\u{85}\r\n\u{0}\u{9B}31m\u{FEFF}"
    var script = HistoryScript()
    try script.replace(0..<0, hostile, .load, author: "\u{1B}[31m\u{202E}ann")
    try script.replace(0..<hostile.utf16.count, "", .removal)
    try script.replace(
      0..<0, "x", attributes: .set([AttributeRun(length: 1, attributes: ["\u{1B}": .bool(true)])]))
    try script.replace(0..<1, "", attributes: .remove(["\u{202E}"]))
    script.note(.mark(label: "\u{1B}[2J\u{2028}", at: script.last), author: "\u{7}")
    let store = try RealStore(script.entries)
    for arguments in [[], ["--edits"], ["-v"]] {
      for width in [nil, 80, 40] {
        let (printed, _, _) = try await store.run(
          LogCommand.self, ["d"] + arguments, width: width)
        #expect(printed.split(separator: "\n").count == 6, "\(printed)")
        for scalar in printed.unicodeScalars where scalar != "\n" { #expect(scalar.showsItself) }
      }
    }
  }

  /// An edit of a hundred megabytes is a short line, and comes as a short answer.
  @Test func `a long edit is a short line`() async throws {
    var script = HistoryScript()
    let text = String(repeating: "0123456789", count: 300_000)
    try script.replace(0..<0, text, .load)
    try script.replace(0..<3_000_000, "", .removal)
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(LogCommand.self, ["d"])
    let excerpt = "\"" + text.prefix(57) + "…\""
    #expect(
      printed == """
        Fri 20 Nov 2026
          15:04  +3,000,000              loaded   \(excerpt)  1
          15:04              -3,000,000  deleted  \(excerpt)  2

        """)
    let (json, _, _) = try await store.run(LogCommand.self, ["d", "--json"])
    #expect(json == script.entries.map { "\($0.json)\n" }.joined())
  }

  @Test func `a document without edits has its events`() async throws {
    var script = HistoryScript()
    script.note(.closed(unsaved: false))
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(LogCommand.self, ["d"])
    #expect(printed == "Fri 20 Nov 2026\n  15:04  ── closed at 0\n")
  }

  @Test func `points bound what is listed`() async throws {
    let store = try RealStore(try Self.essay().entries)
    func numbers(_ arguments: String...) async throws -> [String] {
      let (printed, _, _) = try await store.run(LogCommand.self, ["d", "--edits"] + arguments)
      return printed.split(separator: "\n").filter { !$0.contains("──") && $0.hasPrefix(" ") }
        .compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    #expect(try await numbers("-S", "8", "-U", "mark:first draft") == ["8", "9"])
    #expect(try await numbers("-S", "2026-11-21T23:30:00Z") == ["11", "12"])
    #expect(try await numbers("-S", "2026-11-21T23:30:05Z") == ["12"])
    #expect(try await numbers("-U", "2026-11-20T14:04:00Z") == ["1"])
  }
}
