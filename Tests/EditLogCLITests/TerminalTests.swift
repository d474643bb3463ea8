import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import Testing

@testable import EditLogCommands

/// What the command line does for people at a terminal.
@Suite struct TerminalTests {
  private static let forms =
    "the forms are trace, git, jsonl, text, markdown, html, xml, attributed-json, paragraphs"

  /// D21.
  @Test(arguments: [
    (["frobnicate", "boat"], "there is no verb frobnicate; `editlog --help` lists all verbs"),
    (
      ["my essay"],
      """
      there is no verb my essay; `editlog show 'my essay'` shows the document of this name; `editlog --help` \
      lists all verbs
      """
    ),
    (["logg"], "there is no verb logg; did you mean `log`? `editlog --help` lists all verbs"),
    (["verif"], "there is no verb verif; did you mean `verify`? `editlog --help` lists all verbs"),
    (["udno"], "there is no verb udno; did you mean `undo`? `editlog --help` lists all verbs"),
    (["shwo"], "there is no verb shwo; did you mean `show`? `editlog --help` lists all verbs"),
    (["help", "zzzzz"], "there is no verb zzzzz; `editlog --help` lists all verbs"),
    (
      ["import", "txt", "a.txt", "--document", "a"],
      "import has no form txt; did you mean `text`? \(forms)"
    ),
    (["help", "import", "patch"], "import has no form patch; \(forms)"),
  ])
  func `an unknown verb is named`(arguments: [String], message: String) {
    let error = #expect(throws: CommandError.self) { try UnknownVerb.check(arguments) }
    #expect(error?.message == message && error?.exitCode == 64)
  }

  @Test(arguments: [
    [], ["--help"], ["help"], ["help", "show"], ["show", "x"], ["du"], ["import"],
    ["import", "--help"], ["import", "text", "a"], ["help", "import", "git"],
  ])
  func `known verbs pass`(arguments: [String]) throws { try UnknownVerb.check(arguments) }

  /// D20.
  @Test(arguments: [
    ("sh", true), ("nosuch-pager -R", false), ("/bin/sh", true), ("/nowhere/less", false),
    ("LESS=R less", true), ("", false),
  ])
  func `a pager that is not there is not started`(command: String, isThere: Bool) {
    #expect(Pager.isThere(command, path: "/nowhere:/bin") == isThere)
  }

  @Test(
    arguments: [
      ([:], "less -FRSX"), (["PAGER": "more"], "more"), (["PAGER": ""], nil),
      (["PAGER": "cat"], nil),
      (["EDITLOG_PAGER": "less", "PAGER": "more"], "less"),
      (["EDITLOG_PAGER": "", "PAGER": "more"], nil),
    ] as [([String: String], String?)])
  func `the environment names the pager, and an empty variable turns it off`(
    variables: [String: String], command: String?
  ) {
    #expect(Pager.command(cutsLines: true) { variables[$0] } == command)
    let ofText = Pager.command(cutsLines: false) { variables[$0] }
    #expect(ofText == (variables.isEmpty ? "less -FRX" : command))
  }

  /// D7: a list shows times cut to seconds, and such a time means the end of its second.
  @Test func `a time without a fraction is a whole second`() throws {
    let parser = PointParser(now: time("2026-11-20T15:04:05Z"), utcOffset: { _ in 0 })
    for (text, end) in [
      ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00.999999999Z"),
      ("10:00:00", "2026-11-20T10:00:00.999999999Z"),
      ("2026-11-20T10:00:00.5Z", "2026-11-20T10:00:00.5Z"),
      ("2026-11-20", "2026-11-20T00:00:00Z"), ("now", "2026-11-20T15:04:05Z"),
    ] {
      #expect(try parser.parse(text, endsSecond: true) == .time(time(end)), "\(text)")
    }
    #expect(try parser.parse("10:00:00") == .time(time("2026-11-20T10:00:00Z")))
  }

  /// D8: which version a time named, if it is before the first edit or after the last one.
  @Test func `a time outside the history is said`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let edit: JSON = [
        "actions": ["characters"], "location": 0, "length": 0, "changeInLength": 1, "text": "x",
        "time": "2026-11-20T10:00:00.5Z",
      ]
      try await backend.call("editlog/append", ["document": "d", "edits": [edit]])
      for (at, printed, noted) in [
        ("2026-11-20T09:00:00Z", "", "before the first edit"),
        ("2026-11-20T10:00:00Z", "x", "after the last edit"), ("now", "x", "after the last edit"),
        ("2026-11-20T10:00:00.5Z", "x", ""), ("1", "x", ""), ("latest", "x", ""),
      ] {
        let bench = Bench(backend)
        try await ShowCommand.parse(["d", "--at", at]).run(in: bench.session)
        #expect(bench.printed == printed, "\(at)")
        #expect(noted.isEmpty ? bench.noted.isEmpty : bench.noted.contains(noted), "\(at)")
      }
      await backend.close()
    }
  }

  /// D13: an undo is taken back by a redo, and by nothing once another edit was made.
  @Test func `redo takes an undo back`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      func type(_ text: String, at location: Int) async throws {
        let edit: JSON = [
          "actions": ["characters"], "location": JSON(location), "length": 0,
          "changeInLength": JSON(text.utf16.count), "text": JSON(text), "origin": "paste",
        ]
        try await backend.call("editlog/append", ["document": "d", "edits": [edit]])
      }
      func text() async throws -> JSON? {
        try await backend.call("editlog/state", ["document": "d"])["text"]
      }
      func redo() async throws -> String {
        let bench = Bench(backend)
        try await RedoCommand.parse(["d"]).run(in: bench.session)
        return bench.printed
      }
      try await type("one ", at: 0)
      try await type("two ", at: 4)
      let error = await #expect(throws: ProtocolError.self) { try await redo() }
      #expect(error?.code == .unknownPoint)
      for _ in 0..<2 { try await backend.call("editlog/undo", ["document": "d"]) }
      #expect(try await text() == "")
      #expect(try await redo() == "redid step 1; now at version 5\n")
      #expect(try await text() == "one ")
      #expect(try await redo() == "redid step 2; now at version 6\n")
      #expect(try await text() == "one two ")
      try await backend.call("editlog/undo", ["document": "d"])
      try await type("three ", at: 4)
      await #expect(throws: ProtocolError.self) { try await redo() }
      #expect(try await text() == "one three ")
      await backend.close()
    }
  }

  /// D24: tools of other languages end a line at these.
  @Test func `a line of JSON has one line end`() throws {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{2027}é\u{C2}€"
    let line = String(decoding: JSON(text).serialized(), as: UTF8.self)
    #expect(line == "\"a\\u2028b\\u2029c\\u0085d\u{2027}é\u{C2}€\"")
    #expect(try JSON.parse(Array(line.utf8)) == JSON(text))
  }

  /// The stream has an element once the handler is installed, and one after each change of the size.
  @Test func resizesAreTold() async {
    let resizes = TerminalResizes()
    var next = resizes.stream.makeAsyncIterator()
    #expect(await next.next() != nil)
    for _ in 0..<3 {
      #expect(kill(getpid(), SIGWINCH) == 0)
      #expect(await next.next() != nil)
    }
  }
}
