import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// `editlog/status` of a document over the socket.
@Suite(.timeLimit(.minutes(10))) struct DocumentStatusTests {
  @Test func undoableAndRedoableFollowTheTree() async throws {
    try await withClient { client, _ in
      var paste = put("one")
      paste.origin = .paste
      _ = try await client.append("a", paste)
      let reference = HistoryReference(document("a"))
      var status = try await client.call(DocumentStatusRequest(reference))
      #expect(status.sequence == 1 && status.isOpen == false && status.time != nil)
      #expect(status.undoableStep == 1 && status.redoableStep == nil)
      _ = try await client.call("editlog/undo", ["document": "a"])
      status = try await client.call(DocumentStatusRequest(reference))
      #expect(status.sequence == 2)
      #expect(status.undoableStep == nil && status.redoableStep == 1)
      _ = try await client.call("editlog/redo", ["document": "a"])
      status = try await client.call(DocumentStatusRequest(reference))
      #expect(status.undoableStep == 1 && status.redoableStep == nil)
      // Without a document, the answer is the store's.
      #expect(try await client.call(StatusRequest()).documentCount == 1)
      let unknown = await refusal {
        try await client.call(DocumentStatusRequest(HistoryReference(document("b"))))
      }
      #expect(unknown?.code == .unknownDocument)
    }
  }

  @Test func openFollowsTheEditor() async throws {
    let folder = TemporaryFolder()
    let name = "file:///none/note.md"
    try await withClient(in: folder) { client, daemon in
      let editor = FakeEditor(
        name, "text", socket: daemon.socket, spool: folder.path("spool"))
      try await until { (try? await client.text(of: name)) == "text" }
      let request = DocumentStatusRequest(HistoryReference(document(name)))
      let status = try await client.call(request)
      #expect(status.isOpen == true)
      // The editor has loaded the text.
      #expect(!status.isUndoable && !status.isRedoable)
      await editor.quit()
      try await until { try await client.call(request).isOpen == false }
    }
  }
}
