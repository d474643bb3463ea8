import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

/// `editlog bisect` against a daemon, and ended by signals.
@Suite(.timeLimit(.minutes(10))) struct BisectSignalTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends the command and removes its file`(number: Int32) async throws {
    let folder = TemporaryFolder()
    let result = try await bisect(
      in: folder, ["--run-timeout", "100s"],
      "echo $$ > \(folder.path("started")); sleep 100; exit 0"
    ) { execution in
      while names(folder).count(where: { $0 == "started" || $0.hasSuffix(".txt") }) < 2 {
        try await Task.sleep(for: .milliseconds(20))
      }
      kill(execution, number)
    }
    #expect(result.status == .signaled(number), "\(result.noted)")
    #expect(!names(folder).contains { $0.hasSuffix(".txt") })
  }

  /// The limit is long, because the machine may be slow.
  @Test func `a run that takes too long is bad, and ends`() async throws {
    let folder = TemporaryFolder()
    let result = try await bisect(
      in: folder, ["--run-timeout", "10s", "--json"],
      "[ $EDITLOG_SEQUENCE -lt 3 ] || sleep 100 | cat")
    #expect(result.status == .exited(0), "\(result.noted)")
    #expect(result.printed.contains(#""sequence":3,"#))
    #expect(result.noted.contains("took too long"))
    #expect(!names(folder).contains { $0.hasSuffix(".txt") })
  }

  /// Runs `editlog bisect` for a document of three edits of a daemon. `body` gets its process.
  private func bisect(
    in folder: TemporaryFolder, _ options: [String], _ script: String,
    _ body: @escaping (pid_t) async throws -> Void = { _ in }
  ) async throws -> (status: TerminationStatus, printed: String, noted: String) {
    let program = try ChildDaemon.program("editlog")
    var ended: (status: TerminationStatus, printed: String, noted: String)?
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
        arguments: Arguments(
          [
            "TMPDIR=" + folder.path, program, "bisect", "a.txt", "--socket", daemon.socket,
            "--from", "0",
          ] + options + ["--", "sh", "-c", script]), input: .none,
        output: .string(limit: 1 << 16), error: .string(limit: 1 << 16)
      ) { try await body($0.processIdentifier.value) }
      ended = (result.terminationStatus, result.standardOutput, result.standardError)
    }
    return try #require(ended)
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
