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
      #expect(
        text.contains("editlog forget '\(new)' --yes && editlog rename '\(old)' '\(new)'"),
        "\(text)")
      break
    }
    try await harness.end()
  }
}
