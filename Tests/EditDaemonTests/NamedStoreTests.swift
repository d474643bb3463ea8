import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditLogCommands

/// `EDITLOG_STORE` names a store: a daemon of another one is not asked, and gets no edits.
@Suite(.timeLimit(.minutes(10))) struct NamedStoreTests {
  private let folder = TemporaryFolder()

  private func run(
    _ arguments: [String], store: String, runtime: String
  ) async throws -> (status: TerminationStatus, error: String) {
    let result = try await Subprocess.run(
      .name("env"), arguments: Arguments([try ChildDaemon.program("editlog")] + arguments),
      environment: .inherit.updating([
        "EDITLOG_STORE": store, "XDG_RUNTIME_DIR": runtime, "EDITLOG_SPOOL": folder.path("spool"),
        "EDITLOG_SOCKET": nil,
      ]), input: .none, output: .discarded, error: .string(limit: 1 << 16))
    return (result.terminationStatus, result.standardError)
  }

  @Test func `a verb refuses a daemon of another store`() async throws {
    try await withClient(in: folder) { client, daemon in
      _ = try await client.append("a", put("one"))
      // Where verbs look for a socket that is not named.
      let runtime = folder.path("runtime")
      for path in [runtime, runtime + "/editlog"] { try #require(mkdir(path, 0o700) == 0) }
      try #require(symlink(daemon.socket, runtime + "/editlog/editlogd.sock") == 0)
      let file = folder.path("a.md")
      try DiskFile.replace(file, with: Array("text".utf8))
      let copy = folder.path("copy")
      let copying = try await Subprocess.run(
        .name("cp"), arguments: ["-a", daemon.store, copy], output: .discarded)
      try #require(copying.terminationStatus.isSuccess)
      for other in [folder.path("none"), copy] {
        for words in [
          ["watch", "--once", file], ["lsp"], ["mark", "--socket", daemon.socket, "a", "m"],
        ] {
          let (status, error) = try await run(words, store: other, runtime: runtime)
          #expect(status == .exited(64), "\(words): \(error)")
          #expect(error.contains("EDITLOG_STORE names the store \(other)"), "\(error)")
          #expect(error.contains(daemon.store), "\(error)")
        }
      }
      #expect(try await client.call(DocumentsRequest()).documents.count == 1)
      #expect(try await client.call(MarksRequest(HistoryReference(document("a")))).marks.isEmpty)
      // Another path of the same store.
      let link = folder.path("link")
      try #require(symlink(daemon.store, link) == 0)
      for store in [daemon.store, link] {
        let (status, error) = try await run(
          ["watch", "--once", file], store: store, runtime: runtime)
        #expect(status == .exited(0), "\(error)")
      }
      #expect(try await client.call(DocumentsRequest()).documents.count == 2)
    }
  }
}
