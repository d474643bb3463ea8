import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

/// `editlog bisect` against a daemon, and ended by signals.
@Suite(.timeLimit(.minutes(2))) struct BisectSignalTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends the command and removes its file`(number: Int32) async throws {
    let folder = TemporaryFolder()
    let program = try ChildDaemon.program("editlog")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      let document = try #require(DocumentID("a.txt"))
      let edits = (0..<3).map {
        AppendEdit(action: EditAction(replacing: UTF16Range($0..<$0), with: UTF16Text("x")))
      }
      _ = try await client.call(AppendRequest(document: document, edits: edits))
      await client.close()
      let result = try await Subprocess.run(
        .name("env"),
        arguments: Arguments([
          "TMPDIR=" + folder.path, program, "bisect", "a.txt", "--socket", daemon.socket,
          "--from", "0", "--timeout", "100s", "--", "sh", "-c",
          "echo $$ > \(folder.path("started")); sleep 100; exit 0",
        ]), input: .none, output: .string(limit: 1 << 10), error: .string(limit: 1 << 16)
      ) { execution in
        while names(folder).count(where: { $0 == "started" || $0.hasSuffix(".txt") }) < 2 {
          try await Task.sleep(for: .milliseconds(20))
        }
        kill(execution.processIdentifier.value, number)
      }
      #expect(result.terminationStatus == .signaled(number))
      #expect(!names(folder).contains { $0.hasSuffix(".txt") })
    }
  }

  /// The names in a folder.
  private func names(_ folder: TemporaryFolder) -> [String] {
    guard let directory = opendir(folder.path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }
}
