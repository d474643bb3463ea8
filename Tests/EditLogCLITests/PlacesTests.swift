import ArgumentParser
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Points that are counted, marks, and the ways in which `diff` shows a difference.
@Suite struct PlacesTests {
  /// Two saves, two sessions and three undo steps.
  private func story() throws -> RealStore {
    var script = HistoryScript()
    let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
    let one = try #require(SessionDescription(client: "one"))
    let two = try #require(SessionDescription(client: "two"))
    script.note(.session(one))
    try script.replace(0..<0, "alpha\n", .paste)
    script.note(.saved(digest))
    script.wait(seconds: 60)
    try script.replace(6..<6, "beta\n", .paste)
    script.note(.mark(label: "draft", at: 2), author: "ann")
    script.note(.session(two))
    script.wait(seconds: 60)
    try script.replace(0..<5, "gamma", .paste)
    script.note(.saved(digest))
    script.note(.mark(label: "second", at: 1))
    return try RealStore(script.entries)
  }

  @Test(arguments: [
    ("save:1", "alpha\n"), ("save:2", "gamma\nbeta\n"), ("save:-1", "gamma\nbeta\n"),
    ("save:-2", "alpha\n"), ("session:1", ""), ("session:-1", "alpha\nbeta\n"),
    ("undo:-1", "alpha\nbeta\n"), ("undo:-3", ""), ("undo:2", "alpha\nbeta\n"),
    ("@2", "alpha\nbeta\n"), ("@{mark:draft}", "alpha\nbeta\n"), ("@mark:second", "alpha\n"),
    ("@{2026-11-20 14:04:30Z}", "alpha\n"),
  ])
  func `show takes counted points and the forms with @`(point: String, text: String) async throws {
    let (printed, _, status) = try await story().run(ShowCommand.self, ["d", "--at", point])
    #expect(printed == text && status == 0, "\(point)")
  }

  @Test(arguments: [
    ("save:3", "there is no save:3; the history has 2 saves"),
    ("session:-3", "there is no session:-3; the history has 2 sessions that are described"),
    ("undo:-4", "there is no undo:-4; the history has 3 undo steps"),
    ("undo:9", "there is no undo:9; the history has 3 undo steps"),
  ])
  func `a place that does not exist is an error that counts`(
    point: String, message: String
  ) async throws {
    let store = try story()
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(ShowCommand.self, ["d", "--at", point])
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.code == .unknownPoint)
  }

  @Test(arguments: ["save:", "save:0", "save:x", "undo:--1", "session:+1", "@{1", "@", "save:1.5"])
  func `a malformed place is a usage error`(point: String) async throws {
    let store = try story()
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ShowCommand.self, ["d", "--at", point])
    }
    #expect(error?.exitCode == 64)
  }

  @Test func `marks are listed in the order in which they were made`() async throws {
    let store = try story()
    let (printed, _, _) = try await store.run(MarksCommand.self, ["d"])
    #expect(
      printed == """
        VERSION  MARK         MADE                 BY
              2  mark:draft   2026-11-20 15:05:00  ann
              1  mark:second  2026-11-20 15:06:00

        """)
    let (narrow, _, _) = try await store.run(MarksCommand.self, ["d"], width: 40)
    #expect(
      narrow == """
        VERSION  MARK         BY
              2  mark:draft   ann
              1  mark:second

        """)
    let (json, _, _) = try await store.run(MarksCommand.self, ["d", "--json"])
    #expect(
      json == """
        {"v":1,"label":"draft","sequence":2,"time":"2026-11-20T14:05:00Z","author":"ann"}
        {"v":1,"label":"second","sequence":1,"time":"2026-11-20T14:06:00Z"}

        """)
  }

  @Test func `log from a session's start lists the edits after it`() async throws {
    let store = try story()
    for (since, sequences) in [("session:-1", [3]), ("undo:-2", [2, 3]), ("save:-2", [1, 2, 3])] {
      let (json, _, _) = try await store.run(LogCommand.self, ["d", "--json", "--since", since])
      let found = json.split(separator: "\n").compactMap { line -> Int? in
        line.firstMatch(of: /"sequence":(\d+)/).flatMap { Int($0.1) }
      }
      #expect(found == sequences, "\(since)")
    }
  }

  // MARK: diff

  @Test func `diff --stat counts lines`() async throws {
    let store = try story()
    let (printed, _, status) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--stat"])
    #expect(printed == "d, 1 to 3: 2 insertions(+), 1 deletion(-)\n" && status == 1)
    let (json, _, _) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--stat", "--json"])
    #expect(
      json == """
        {"v":1,"from":1,"to":3,"insertions":2,"deletions":1,"attributeChanges":0}

        """)
    let (none, _, equal) = try await store.run(DiffCommand.self, ["d", "--from", "3", "--stat"])
    #expect(none.isEmpty && equal == 0)
  }

  @Test func `diff --words marks the words that changed`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one two three\nsame\nlast", .load)
    try script.replace(4..<7, "2, two")
    try script.replace(22..<26, "+++ end")
    let store = try RealStore(script.entries)
    let (printed, _, status) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--words"])
    #expect(status == 1)
    #expect(
      printed.split(separator: "\n").dropFirst(2) == [
        "@@ -1,3 +1,3 @@", "one {+2, +}two three", "same", "[-last-]{++++ end+}",
      ])
  }

  @Test func `diff --paragraphs lists by identity`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "first\nsecond\nthird\nfourth\n", .load)
    // The second is cut, and pasted before the last; the third is edited; a blank one is added.
    try script.replace(6..<13, "")
    try script.replace(12..<12, "second\n", .paste)
    try script.replace(6..<11, "3rd")
    try script.replace(0..<0, "\n")
    let bold = AttributeRun(length: 5, attributes: ["bold": .bool(true)])
    try script.replace(1..<6, "first", attributes: .set([bold]))
    let store = try RealStore(script.entries)
    let (printed, _, status) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--paragraphs"])
    #expect(status == 1)
    let rows = printed.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(
      rows == [
        "CHANGE PARAGRAPH RANGE TEXT", #"added 5.0 {0, 1} "\n""#,
        #"attributes 0.0 {1, 6} "first\n""#, #"edited 1.1 {7, 4} "3rd\n""#,
        #"moved 3.0 from 1.0 {11, 7} "second\n""#,
      ], "\(printed)")
    let (json, _, _) = try await store.run(
      DiffCommand.self, ["d", "--from", "2", "--to", "1", "--paragraphs", "--json"])
    #expect(
      json == """
        {"v":1,"change":"added","id":"1.0","index":1,"location":6,"length":7,"text":"second\\n"}

        """)
  }

  @Test func `text that is pasted into an empty paragraph has moved too`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "first\nsecond\n", .load)
    try script.replace(0..<6, "")
    try script.replace(7..<7, "first", .paste)
    let store = try RealStore(script.entries)
    let (printed, _, _) = try await store.run(
      DiffCommand.self, ["d", "--from", "1", "--paragraphs"])
    let rows = printed.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(rows.dropFirst() == [#"moved 1.1 from 0.0 {7, 5} "first""#], "\(printed)")
  }

  @Test func `the parts of a long list of paragraphs are all of it`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, (0..<2_500).map { "line \($0)\n" }.joined(), .load)
    let store = try RealStore(script.entries)
    let (json, _, _) = try await store.run(
      DiffCommand.self, ["d", "--from", "0", "--paragraphs", "--json"])
    let lines = json.split(separator: "\n")
    #expect(lines.count == 2_501)
    #expect(Set(lines).count == lines.count)
  }

  @Test(arguments: [["--words", "--stat"], ["--paragraphs", "--words"], ["--words", "--json"]])
  func `forms that exclude each other`(options: [String]) {
    #expect(throws: (any Error).self) {
      try DiffCommand.parse(["d", "--from", "1"] + options)
    }
  }
}
