import DaemonTestSupport
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditIngest

/// An editor opens a file that was moved while nothing recorded that.
@Suite(.timeLimit(.minutes(10))) struct MovedFileTests {
  @Test func `the editor is told which history has the text`() async throws {
    let folder = TemporaryFolder()
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    for (name, text) in [
      ("old one.md", "one\ntwo\n"), ("other.md", "three\n"), ("kept.md", "one\ntwo\n"),
    ] {
      let editor = try await EditorDriver(harness, .connection(1), "file://\(folder.path(name))")
      try await editor.open(text)
      try await editor.close()
    }
    _ = try folder.write("one\ntwo\n", to: "kept.md")
    let (old, new) = (folder.path("old one.md"), try folder.write("one\ntwo", to: "new.md"))
    let editor = try await EditorDriver(harness, .connection(2), "file://\(new)")
    let sent = AsyncStream<RPCMessage>.limited()
    await harness.ingest.setOutput(
      EditorOutput(source: 1) { sent.continuation.yield($0) }, of: editor.key)
    try await editor.open("one\ntwo")
    for await message in sent.stream {
      guard case .notification(let method, let params) = message else { continue }
      #expect(method == "window/showMessage")
      #expect(params["type"] == 3)
      let text = params["message"]?.anyString ?? ""
      // What was typed since is not removed.
      #expect(
        text.contains(
          "editlog forget '\(new)' --up-to 1 --yes && editlog rename '\(old)' '\(new)'"), "\(text)")
      break
    }
    try await harness.end()
  }

  /// It was moved and renamed at once, and two documents have its text.
  @Test func `a file with another name in another folder is found, and all that it may be`()
    async throws
  {
    let folder = TemporaryFolder()
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let old = [folder.path("a/b/old.md"), folder.path("c/older.md")]
    for (index, path) in (old + (0..<40).map { folder.path("d/\($0)") }).enumerated() {
      let editor = try await EditorDriver(harness, .connection(1), "file://\(path)")
      try await editor.open(index < 2 ? "one\n" : "other\n")
      try await editor.close()
    }
    let new = try folder.write("one\n", to: "new.md")
    let editor = try await EditorDriver(harness, .connection(2), "file://\(new)")
    let sent = AsyncStream<RPCMessage>.limited()
    await harness.ingest.setOutput(
      EditorOutput(source: 1) { sent.continuation.yield($0) }, of: editor.key)
    try await editor.open("one\n")
    for await message in sent.stream {
      guard case .notification(_, let params) = message else { continue }
      let text = params["message"]?.anyString ?? ""
      for path in old { #expect(text.contains("editlog rename '\(path)' '\(new)'"), "\(text)") }
      #expect(text.contains("\(old[0]) or \(old[1])"), "\(text)")
      break
    }
    try await harness.end()
  }

  @Test func `the likeliest names come first`() throws {
    func ids(_ names: [String]) throws -> [DocumentID] {
      try names.map { try #require(DocumentID("file://" + $0)) }
    }
    let names = ["/b/x.md", "/w/a/z.md", "/w/b/q.md", "/c/new.md", "/w/a/b/c.md"]
    let new = try #require(DocumentID("file:///w/a/new.md"))
    // Those with its name or in its folder, then those with the most of its path.
    #expect(
      MovedFile.likeliestFirst(try ids(names), for: new)
        == (try ids(["/c/new.md", "/w/a/b/c.md", "/w/a/z.md", "/w/b/q.md", "/b/x.md"])))
  }
}
