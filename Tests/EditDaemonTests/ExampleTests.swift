import DaemonTestSupport
import EditClient
import Subprocess
import TestSupport
import Testing

/// The client in `Tools/examples`, as a program in another language would be written.
@Suite(.timeLimit(.minutes(10))) struct ExampleTests {
  /// Runs the client, and returns what it printed.
  private func run(_ daemon: RunningDaemon, _ arguments: String...) async throws -> String {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    let program = folder.joined(separator: "/") + "/Tools/examples/client.py"
    let result = try await Subprocess.run(
      .name("python3"), arguments: Arguments([program, daemon.socket] + arguments),
      input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
    return result.standardOutput
  }

  @Test func aPythonClientAppendsShowsAndFollows() async throws {
    try await withClient { client, daemon in
      #expect(try await run(daemon, "append", "notes", "h\u{E9}\u{1F600}") == "1\n")
      _ = try await client.append("notes", put(" and", at: 4))
      #expect(try await run(daemon, "append", "notes", " more") == "3\n")
      #expect(try await run(daemon, "show", "notes") == "h\u{E9}\u{1F600} and more\n")
      let lines = try await run(daemon, "follow", "notes", "3").split(separator: "\n")
      #expect(lines.count == 3)
      for (number, line) in zip(1..., lines) { #expect(line.contains("\"sequence\": \(number),")) }
    }
  }
}
