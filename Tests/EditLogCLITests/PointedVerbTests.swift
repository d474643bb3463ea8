import ArgumentParser
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// `DOCUMENT@POINT`, as `scrub` prints it on quit.
@Suite struct PointedVerbTests {
  private static func store() throws -> RealStore {
    var script = HistoryScript()
    try script.replace(0..<0, "one\n", .load)
    try script.replace(4..<4, "two\n", .paste)
    script.note(.mark(label: "a@b", at: 1))
    try script.replace(8..<8, "three\n", .paste)
    let store = try RealStore(script.entries, document: "essay")
    var other = HistoryScript()
    try other.replace(0..<0, "other\n", .load)
    for name in ["essay@3", "me@host", "file:///tmp/nosuch/a.txt"] {
      try store.append(other.entries, to: name)
    }
    return store
  }

  @Test(arguments: [
    ("essay@2", "one\ntwo\n"), ("essay@{1}", "one\n"), ("essay@0", ""), ("essay@@1", "one\n"),
    ("essay@latest", "one\ntwo\nthree\n"), ("essay@mark:a@b", "one\n"), ("me@host@1", "other\n"),
    ("\"essay\"@2", "one\ntwo\n"), ("name:essay@3", "other\n"), ("name:essay@2", "one\ntwo\n"),
    ("file:///tmp/nosuch/a.txt@0", ""), ("/tmp/nosuch/a.txt@0", ""),
    // The document of exactly this name.
    ("essay@3", "other\n"), ("me@host", "other\n"),
  ])
  func `show takes the document and the point in one`(argument: String, text: String) async throws {
    let (printed, _, _) = try await Self.store().run(ShowCommand.self, [argument])
    #expect(printed == text)
  }

  @Test func `a part after the name that is no point is named`() async throws {
    let store = try Self.store()
    for (argument, point) in [("essay@draft", "'draft' "), ("essay@", "'' is empty")] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(ShowCommand.self, [argument])
      }
      #expect(error?.exitCode == 64)
      #expect(error?.message.hasPrefix(point) == true)
      #expect(error?.message.contains("mark:LABEL") == true)
    }
    await #expect(throws: ProtocolError.self) {
      try await store.run(ShowCommand.self, ["none@draft"])
    }
  }

  @Test func `each verb with a point takes it`() async throws {
    let store = try Self.store()
    func same<V: Verb>(
      _ verb: V.Type, _ option: String = "--at", _ options: [String] = []
    ) async throws {
      let one = try await store.run(verb, ["essay@2"] + options)
      let two = try await store.run(verb, ["essay", option, "2"] + options)
      #expect(one == two && !(one.printed + one.noted).isEmpty, "\(verb)")
    }
    try await same(ShowCommand.self)
    try await same(ParagraphsCommand.self)
    try await same(InspectCommand.self)
    try await same(BlameCommand.self)
    try await same(BlameCommand.self, "--at", ["--reverse"])
    try await same(HistoryCommand.self, "--at", ["--lines", "1,1"])
    try await same(AgentsCommand.self)
    try await same(RenderCommand.self)
    try await same(ExportCommand.self, "--at", ["--format", "markdown"])
    try await same(DiffCommand.self, "--from")
    try await same(LogCommand.self, "--until")
    try await same(RestoreCommand.self, "--at", ["--dry-run"])
  }

  @Test(arguments: [["nothing@2"], ["@2"], ["nothing@"]])
  func `other arguments are names`(arguments: [String]) async throws {
    let error = await #expect(throws: ProtocolError.self) {
      try await Self.store().run(ShowCommand.self, arguments)
    }
    #expect(error?.code == .unknownDocument)
    #expect(error?.message.contains(arguments[0]) == true, "\(error?.message ?? "")")
  }

  @Test func `a point must go with the other options`() async throws {
    let store = try Self.store()
    for (verb, arguments) in [
      // It is given twice.
      (ShowCommand.self, ["essay@2", "--at", "1"]), (DiffCommand.self, ["essay@1", "--from", "2"]),
      (LogCommand.self, ["essay@2", "-f"]), (BlameCommand.self, ["me@host", "--reverse"]),
      (DiffCommand.self, ["me@host"]),
    ] as [(any Verb.Type, [String])] {
      await #expect(throws: ValidationError.self) { _ = try await store.run(verb, arguments) }
    }
  }
}
