import ArgumentParser
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What is suggested for an argument that means no document.
@Suite struct NearDocumentsTests {
  @Test(arguments: [
    ("esay", ["essay"]), ("essya", ["essay"]), ("ESSAY", ["essay"]),
    ("notes.dm", ["notes.md", "/home/ada/notes.md"]),
    ("/home/ada/note.md", ["/home/ada/notes.md", "notes.md"]),
    // The same name in another folder.
    ("/elsewhere/notes.md", ["/home/ada/notes.md", "notes.md"]),
    ("chap", ["chapter 1", "chapter 2", "chapter 3"]), ("name:esay", ["essay"]),
    ("zzzzzz", []), ("x", []),
  ])
  func `the nearest names come first`(argument: String, expected: [String]) throws {
    let names = [
      "chapter 1", "chapter 2", "chapter 3", "chapter 4", "essay", "file:///home/ada/notes.md",
      "notes.md", "untitled://1",
    ]
    let documents = names.compactMap { DocumentID($0) }
    let found = NearDocuments.documents(for: argument, among: documents).map(\.argument)
    #expect(found == expected)
  }

  /// Of long paths, what differs is compared.
  @Test func `long paths`() {
    let folder = "file:///home/ada/" + String(repeating: "folder/", count: 60)
    let documents = ["essay.md", "other.md", "third.md"].compactMap { DocumentID(folder + $0) }
    let argument = String((folder + "esay.md").dropFirst("file://".count))
    #expect(NearDocuments.documents(for: argument, among: documents) == [documents[0]])
  }

  @Test func `at most three of very many`() {
    let documents = (0..<30_000).compactMap { DocumentID("note-\($0)") }
    #expect(NearDocuments.documents(for: "note-1x", among: documents).count == 3)
  }

  /// Every verb that takes a document says it.
  @Test(arguments: [
    ["log"], ["show"], ["render"], ["diff", "--from", "0"], ["paragraphs"], ["inspect"],
    ["history", "--lines", "1,1"], ["blame"], ["activity"], ["agents"], ["outline"], ["undo"],
    ["undo", "--list"], ["redo"], ["restore", "--at", "0"],
    ["style", "--range", "0,1", "--set", "b"],
    ["attachment"], ["trace"], ["marks"], ["repro", "--around", "1"], ["status"], ["du"],
    ["forget", "--yes"], ["export", "--format", "markdown"], ["export", "--format", "trace"],
    ["scrub", "--plain"], ["bisect", "--from", "0"],
  ])
  func `every verb suggests them`(words: [String]) async throws {
    var script = HistoryScript()
    try script.type("abc", at: 0)
    let store = try RealStore(script.entries, document: "essay")
    var arguments = [words[0], "esay"] + words.dropFirst()
    if words[0] == "bisect" { arguments += ["--", "true"] }
    let verb = try #require(try EditLogCommand.parseAsRoot(arguments) as? any Verb)
    let backend = try await makeStoreBackend(path: store.path)
    let error = await #expect(throws: (any Error).self) {
      try await verb.run(in: Bench(backend).session)
    }
    await backend.close()
    let ending = try #require(error.map { Ending($0) })
    #expect(ending.exitCode == 66, "\(ending)")
    #expect(ending.text.hasPrefix("editlog: there is no document esay"), "\(ending)")
    #expect(ending.text.hasSuffix("; did you mean essay?"), "\(ending)")
  }

  @Test func `several are listed as a sentence lists them`() async throws {
    var script = HistoryScript()
    try script.type("abc", at: 0)
    let store = try RealStore(script.entries, document: "note a")
    for name in ["note b", "note\tc"] { try store.append(script.entries, to: name) }
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(LogCommand.self, ["note x"])
    }
    let text = error?.message ?? ""
    #expect(text.hasSuffix(#"; did you mean note a, note b or "note\tc"?"#), "\(text)")
  }
}
