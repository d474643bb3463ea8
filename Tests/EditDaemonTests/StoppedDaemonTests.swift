import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditLogCommands

/// What verbs do while a daemon is stopped: its socket accepts connections, and nothing answers.
@Suite(.timeLimit(.minutes(10))) struct StoppedDaemonTests {
  private let folder = TemporaryFolder()

  /// Runs `editlog` with these arguments, and returns its status and what it printed on standard error.
  private func run(
    _ arguments: [String], environment: [Environment.Key: String?] = [:]
  ) async throws -> (status: TerminationStatus, output: String, error: String) {
    let result = try await Subprocess.run(
      .name("env"), arguments: Arguments([try ChildDaemon.program("editlog")] + arguments),
      environment: .inherit.updating(
        ["EDITLOG_SPOOL": folder.path("spool"), "EDITLOG_STORE": nil, "EDITLOG_SOCKET": nil]
          .merging(environment) { $1 }),
      input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    return (result.terminationStatus, result.standardOutput, result.standardError)
  }

  /// A line for each verb that asks a daemon.
  private var verbs: [[String]] {
    let file = folder.path("notes/a.md")
    return [
      ["log", "a"], ["log", "a", "-f"], ["show", "a"], ["scrub", "a", "--plain"], ["render", "a"],
      ["render", "a", "--follow"], ["diff", "a", "--from", "0"], ["paragraphs", "a"],
      ["inspect", "a", "--offset", "0"],
      ["history", "a", "--lines", "1,1"], ["blame", "a"], ["grep", "x"], ["activity"],
      ["agents", "a"], ["outline", "a"], ["undo", "a"], ["redo", "a"],
      ["restore", "a", "--at", "0"],
      ["attachment", "a"], ["trace", "a"], ["mark", "a", "m"], ["marks", "a"], ["documents"],
      ["export", "a", "--format", "jsonl"], ["status"], ["status", "a"], ["verify"], ["du"],
      ["forget", "a", "--yes"], ["rename", "a", "b"], ["watch", "--once", file], [],
      ["import", "text", file, "--document", "b"], ["attach", "a", file, "--type", "image/png"],
      ["repro", "a", "--around", "1"], ["bisect", "a", "--from", "0", "--", "true"],
      ["project", "sqlite", "--output", folder.path("rows.db")],
    ]
  }

  @Test func `every verb ends, and says what it waited for`() async throws {
    try await withStopped {
      let words = verbs
      for words in words {
        let line = words.joined(separator: " ")
        let wordCount = ["project", "import"].contains(words.first) ? 2 : 1
        let (status, _, error) = try await run(
          words.prefix(wordCount)
            + ["--socket", RunningDaemon.socket(in: folder), "--timeout", "0.4"]
            + words.dropFirst(wordCount))
        #expect(status == .exited(69), "\(line): \(error)")
        #expect(
          error.contains("waiting for the daemon at \(RunningDaemon.socket(in: folder))"),
          "\(line): \(error)")
        #expect(error.contains("has sent nothing for 0.4 s"), "\(line): \(error)")
      }
    }
  }

  @Test func `doctor does not wait, and says what is the matter`() async throws {
    try await withStopped {
      let (status, output, error) = try await run([
        "doctor", "--socket", RunningDaemon.socket(in: folder), "--timeout", "0.4",
      ])
      #expect(status == .exited(1), "\(error)")
      #expect(output.contains("a daemon accepts connections at "), "\(output)")
    }
  }

  @Test func `a language server says what it waits for before it gives up`() async throws {
    try await withStopped {
      let file = folder.path("notes/a.md")
      let messages = [
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        #"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file://\#(file)","#
          + #""languageId":"markdown","version":1,"text":"text"}}}"#,
      ]
      let input = messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
      let result = try await Subprocess.run(
        .name("env"),
        arguments: [
          try ChildDaemon.program("editlog"), "lsp", "--socket", RunningDaemon.socket(in: folder),
          "--timeout", "0.4",
        ],
        environment: .inherit.updating([
          "EDITLOG_SPOOL": folder.path("spool"), "EDITLOG_STORE": nil, "EDITLOG_SOCKET": nil,
        ]),
        input: .string(input), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      let said = "waiting for the daemon at \(RunningDaemon.socket(in: folder))"
      #expect(result.standardError.contains(said), "\(result.standardError)")
    }
  }

  /// Runs `body` while a daemon with a document is stopped.
  private func withStopped(_ body: () async throws -> Void) async throws {
    mkdir(folder.path("notes"), 0o700)
    try DiskFile.replace(folder.path("notes/a.md"), with: Array("text".utf8))
    _ = try await ChildDaemon(in: folder).run { daemon in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      _ = try await client.append("a", put("one"))
      await client.close()
      daemon(SIGSTOP)
      do { try await body() } catch {
        daemon(SIGCONT)
        throw error
      }
      daemon(SIGCONT)
      daemon(SIGTERM)
    }
  }

  /// A follower says that the daemon does not answer, and goes on when it does.
  @Test func `a follower says so, and loses nothing`() async throws {
    _ = try await ChildDaemon(in: folder).run { daemon in
      let socket = RunningDaemon.socket(in: folder)
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("a", put("one"))
      let (notes, feed) = AsyncStream<String>.limited()
      let document = try #require(DocumentID("a"))
      let follower = EditFollower(
        document, at: socket, from: HistoryPosition(), note: { feed.yield($0) },
        silence: SilenceLimits(silenceMax: .milliseconds(400)))
      let (entries, delivered) = AsyncStream<Int>.limited()
      let following = Task {
        for try await delivery in follower { delivered.yield(delivery.entries.count) }
      }
      var (received, said) = (entries.makeAsyncIterator(), notes.makeAsyncIterator())
      #expect(await received.next() != nil)
      daemon(SIGSTOP)
      #expect(await said.next() == "the daemon at \(socket) does not answer; waiting for it")
      daemon(SIGCONT)
      #expect(await said.next() == "the daemon is back")
      _ = try await client.append("a", put("two"))
      #expect(await received.next() != nil)
      following.cancel()
      await client.close()
      daemon(SIGTERM)
    }
  }
}
