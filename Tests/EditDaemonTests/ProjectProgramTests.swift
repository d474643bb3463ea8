import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

/// `editlog project` becomes the program `editlog-project`.
@Suite struct ProjectProgramTests {
  private let folder = TemporaryFolder()

  /// The arguments of `editlog` that write the file.
  private func project(_ arguments: String...) -> [String] {
    ["project", "sqlite", "--output", folder.path("rows.db")] + arguments
  }

  @Test func `it keeps the process, its output and its signals`() async throws {
    let program = try ChildDaemon.program("editlog")
    let printed = folder.path("printed")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      _ = try await client.append("a", put("one"))
      let result = try await Subprocess.run(
        .name("sh"),
        arguments: Arguments(
          ["-c", #"printed=$1; shift; exec "$0" "$@" >"$printed""#, program, printed]
            + project("-f", "--json", "--socket", daemon.socket)),
        input: .none, output: .discarded, error: .string(limit: 1 << 16)
      ) { execution in
        let process = execution.processIdentifier.value
        do {
          try await until { text(printed).contains(#""edits":1,"newEdits":1,"#) }
          #expect(text("/proc/\(process)/comm") == "editlog-project\n")
          _ = try await client.append("a", put("two"))
          try await until { text(printed).contains(#""edits":2,"newEdits":1,"#) }
        } catch {
          kill(process, SIGKILL)
          throw error
        }
        kill(process, SIGTERM)
      }
      #expect(result.terminationStatus == .exited(0))
      #expect(result.standardError == "")
      await client.close()
    }
  }

  @Test(arguments: [
    (["--at", "now", "-f"], Int32(64), "editlog: -f excludes --at."),
    (["--nonsense"], 64, "editlog: Unknown option '--nonsense'"),
    (["--store", "/nowhere", "-f"], 69, "editlog: -f needs the daemon"),
  ])
  func `its errors are those of editlog`(
    arguments: [String], status: Int32, start: String
  ) async throws {
    let result = try await Subprocess.run(
      .name("env"),
      arguments: Arguments([try ChildDaemon.program("editlog")] + project() + arguments),
      input: .none, output: .string(limit: 1 << 10), error: .string(limit: 1 << 16))
    #expect(result.terminationStatus == .exited(status))
    #expect(result.standardOutput == "")
    #expect(result.standardError.hasPrefix(start), "\(result.standardError)")
  }

  @Test func `without that program it says what to install`() async throws {
    let alone = folder.path("editlog")
    let copying = try await Subprocess.run(
      .name("cp"), arguments: [try ChildDaemon.program("editlog"), alone], output: .discarded)
    try #require(copying.terminationStatus.isSuccess)
    let result = try await Subprocess.run(
      .name("env"), arguments: Arguments([alone] + project()), input: .none,
      output: .string(limit: 1 << 10), error: .string(limit: 1 << 16))
    #expect(result.terminationStatus == .exited(69))
    #expect(
      result.standardError == """
        editlog: cannot run \(alone)-project, which performs this verb: No such file or directory; \
        install editlog-project there

        """)
  }

  /// The text of a file; empty if there is none.
  private func text(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
