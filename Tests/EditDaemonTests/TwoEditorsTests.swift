import DaemonTestSupport
import EditClient
import EditDaemon
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

/// Two editors that have the same document open. Neither sees what is typed in the other, so the log has the
/// text of the one that was used last, and says when that is another text than the log's.
@Suite(.timeLimit(.minutes(10))) struct TwoEditorsTests {
  private let folder = TemporaryFolder()

  /// Runs `body` with a daemon, a client, and two editors that have the document open with this text.
  private func withEditors(
    of name: String, _ text: String,
    _ body: (FakeEditor, FakeEditor, EditLogClient) async throws -> Void
  ) async throws {
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      let editors = ["helix", "emacs"].enumerated().map { index, client in
        FakeEditor(
          name, text, client: client, socket: daemon.socket, spool: folder.path("spool"),
          seed: UInt64(index + 1))
      }
      try await until {
        let status = try await client.call(StatusRequest())
        return status.daemon?.clients.count { $0.openCount == 1 } == 2
      }
      try await body(editors[0], editors[1], client)
      for editor in editors { await editor.quit() }
      await client.close()
    }
  }

  private func divergences(of name: String, _ client: EditLogClient) async throws -> Int {
    try await client.events(of: name).count {
      if case .divergence = $0 { true } else { false }
    }
  }

  @Test func `a key in the other editor is logged in its own text`() async throws {
    let name = "untitled:a"
    try await withEditors(of: name, "abcdef\n") { one, two, client in
      two.type("12345", at: 0)
      two.report()
      try await until { try await client.text(of: name) == "12345abcdef\n" }
      one.type("F", at: 5, removing: 1)
      one.report()
      try await until { try await client.text(of: name) == "abcdeF\n" }
      #expect(try await divergences(of: name, client) == 1)
      let typed = try await client.edits(of: name).last
      #expect(typed?.action == EditAction(replacing: UTF16Range(5..<6), with: "F"))
      #expect(typed?.origin == .typing)
      two.type("Z", at: 3)
      two.report()
      try await until { try await client.text(of: name) == "123Z45abcdef\n" }
      #expect(try await divergences(of: name, client) == 2)
    }
  }

  /// After a restart of the daemon, both bridges connect again. The one whose editor was not used last
  /// changes nothing, whichever is first.
  @Test func `a restart of the daemon keeps the text that was typed last`() async throws {
    let name = "untitled:a"
    var editors: [FakeEditor] = []
    for round in 0..<8 {
      try await withDaemon(in: folder) { daemon in
        let client = try await daemon.connect()
        if round == 0 {
          editors = (1...2).map {
            FakeEditor(
              name, "abc\n", socket: daemon.socket, spool: folder.path("spool"), seed: $0)
          }
        }
        try await until {
          let status = try await client.call(StatusRequest())
          return status.daemon?.clients.count { $0.openCount == 1 } == 2
        }
        // The first that connects does not know of the other.
        if round > 0 {
          try await until { try await client.text(of: name) == editors[(round + 1) % 2].text }
        }
        editors[round % 2].type("\(round)", at: 0)
        editors[round % 2].report()
        try await until { try await client.text(of: name) == editors[round % 2].text }
        await client.close()
      }
    }
    for editor in editors { await editor.quit() }
  }

  @Test func `an editor that reads the other's text changes nothing`() async throws {
    let name = "untitled:a"
    try await withEditors(of: name, "abc\n") { one, two, client in
      two.type("1", at: 0)
      two.report()
      try await until { try await client.text(of: name) == "1abc\n" }
      one.load("1abc\n")
      one.type("2", at: 1)
      one.report()
      try await until { try await client.text(of: name) == "12abc\n" }
      #expect(try await divergences(of: name, client) == 0)
      #expect(try await client.edits(of: name).count == 3)
    }
  }

  @Test func `a save of the other editor's text is a divergence`() async throws {
    let path = folder.path("a.md")
    let name = "file://" + path
    try folder.write("abc\n", to: "a.md")
    try await withEditors(of: name, "abc\n") { one, two, client in
      two.type("1", at: 0)
      two.report()
      try await until { try await client.text(of: name) == "1abc\n" }
      one.save()
      try await until { try await client.text(of: name) == "abc\n" }
      #expect(try await divergences(of: name, client) == 1)
      two.type("2", at: 1)
      two.report()
      try await until { try await client.text(of: name) == "12abc\n" }
    }
  }

  /// After each message the log has the text of its sender.
  @Test(arguments: seeds(6))
  func `both are used at random`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let name = "untitled:a"
    let words = ["a", "\n", "\r\n", "\u{1F600}", "e\u{301}", "\u{20B9F}x", "word "]
    try await withEditors(of: name, "start\n") { one, two, client in
      for _ in 0..<40 {
        let (editor, other) = Bool.random(using: &random) ? (one, two) : (two, one)
        if Int.random(in: 0..<6, using: &random) == 0 {
          editor.load(other.text)
        } else {
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            editor.type(
              words.randomElement(using: &random) ?? "",
              at: Int.random(in: 0...editor.text.utf16.count, using: &random),
              removing: Int.random(in: 0...2, using: &random))
          }
          editor.report()
        }
        try await until { try await client.text(of: name) == editor.text }
      }
    }
  }
}
