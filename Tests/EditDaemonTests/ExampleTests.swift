import DaemonTestSupport
import EditClient
import Glibc
import Subprocess
import TestSupport
import Testing

/// The clients in `Tools/examples`, as programs of other packages and languages would be written.
@Suite(.timeLimit(.minutes(10))) struct ExampleTests {
  /// Runs a client, and returns what it printed.
  private func run(
    _ program: Executable, _ arguments: [String]
  ) async throws -> String {
    let result = try await Subprocess.run(
      program, arguments: Arguments(arguments),
      input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
    return result.standardOutput
  }

  /// Appends, shows and follows with a client whose program takes `arguments` before those of a verb.
  /// Returns the lines of the edits that it printed.
  private func use(_ program: Executable, _ arguments: [String] = []) async throws -> [Substring] {
    var lines: [Substring] = []
    try await withClient { client, daemon in
      func run(_ verb: String...) async throws -> String {
        try await self.run(program, arguments + [daemon.socket] + verb)
      }
      #expect(try await run("append", "notes", "h\u{E9}\u{1F600}") == "1\n")
      _ = try await client.append("notes", put(" and", at: 4))
      #expect(try await run("append", "notes", " more") == "3\n")
      #expect(try await run("show", "notes") == "h\u{E9}\u{1F600} and more\n")
      lines = try await run("follow", "notes", "3").split(separator: "\n")
    }
    return lines
  }

  @Test func aPythonClientAppendsShowsAndFollows() async throws {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    let program = folder.joined(separator: "/") + "/Tools/examples/client.py"
    let lines = try await use(.name("python3"), [program])
    #expect(lines.count == 3)
    for (number, line) in zip(1..., lines) { #expect(line.contains("\"sequence\": \(number),")) }
  }

  /// It is built with the tools: `EDITLOG_TOOLS=1`.
  @Test(.enabled(if: getenv("EDITLOG_TOOLS") != nil))
  func aSwiftClientAppendsShowsAndFollows() async throws {
    let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false)
    let program = folder.dropLast().joined(separator: "/") + "/ClientExample"
    #expect(
      try await use(.name("env"), [program]) == [
        "1: 0, 0 units become \"h\u{E9}\u{1F600}\"", "2: 4, 0 units become \" and\"",
        "3: 8, 0 units become \" more\"",
      ])
  }
}
