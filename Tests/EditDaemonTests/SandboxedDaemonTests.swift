import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// The program after it has given up the rights that it does not need.
@Suite(.timeLimit(.minutes(10))) struct SandboxedDaemonTests {
  private let folder = TemporaryFolder()

  private func write(_ text: String, to name: String) throws -> String {
    "file://" + (try folder.write(text, to: name))
  }

  /// True if the daemon has read the file of a document: it knows then that the editor's text, which
  /// differs, was not saved.
  private func isRead(_ name: String, by client: EditLogClient) async throws -> Bool {
    let id = document(name)
    try await client.notify("textDocument/didOpen", DidOpenParams(uri: id, text: "mine").json)
    try await client.notify("textDocument/didClose", TextDocumentParams(uri: id).json)
    let events = try await client.events(of: name)
    return events.last == .closed(unsaved: true)
  }

  @Test(arguments: [true, false])
  func `files outside the store and the folder of texts cannot be read`(isOn: Bool) async throws {
    mkdir(folder.path("texts"), 0o700)
    let inside = try write("theirs", to: "texts/a")
    let outside = try write("theirs", to: "b")
    let (status, log) = try await ChildDaemon(in: folder).run(
      environment: [
        "EDITLOG_TEXT_FOLDER": folder.path("texts"), "EDITLOG_SANDBOX": isOn ? "on" : "off",
      ]
    ) { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      #expect(try await isRead(inside, by: client))
      #expect(try await isRead(outside, by: client) == !isOn)
      let threads = try ProcessThread.all(of: process.id)
      for thread in threads {
        #expect(thread.status.contains(isOn ? "Seccomp:\t2" : "Seccomp:\t0"))
        #expect(thread.status.contains(isOn ? "NoNewPrivs:\t1" : "NoNewPrivs:\t0"))
      }
      #expect(threads.count >= 4)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
    #expect(!log.contains("warning"))
  }
}
