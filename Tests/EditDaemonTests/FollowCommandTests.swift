import ArgumentParser
import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Testing
import TestSupport

@testable import EditLogCommands

/// `editlog log -f` with a real daemon.
@Suite(.timeLimit(.minutes(10))) struct FollowCommandTests {
  /// Runs `log` with these arguments until `body` ends. Returns what it printed, and its notes.
  private func follow(
    _ arguments: [String], at socket: String, _ body: (@Sendable () -> String) async throws -> Void
  ) async throws -> (printed: String, noted: String) {
    let (output, diagnostics) = (Output(), Output())
    let session = Session(
      backend: try await SocketBackend(path: socket), output: output, diagnostics: diagnostics,
      now: Timestamp(nanoseconds: 0), utcOffset: { _ in 0 })
    let command = try #require(try LogCommand.parseAsRoot(arguments) as? LogCommand)
    let task = Task { try await command.run(in: session) }
    do { try await body { String(decoding: output.captured, as: UTF8.self) } } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    _ = await task.result
    await session.backend.close()
    return (
      String(decoding: output.captured, as: UTF8.self),
      String(decoding: diagnostics.captured, as: UTF8.self)
    )
  }

  @Test func whatIsLoggedIsPrintedThroughARestart() async throws {
    let folder = TemporaryFolder()
    var daemon = try await RunningDaemon(in: folder)
    let socket = daemon.socket
    let client = try await daemon.connect()
    for text in ["one", "two"] { _ = try await client.append("a", put(text)) }
    let (printed, noted) = try await follow(["-f", "a"], at: socket) { printed in
      try await until { printed().contains("two") }
      _ = try await client.append("a", put("", at: 0, over: 3))
      _ = try await client.call(MarkRequest(document("a"), label: "draft"))
      try await until { printed().contains("mark:draft") }
      await client.close()
      try await daemon.stop()
      daemon = try await RunningDaemon(in: folder)
      let client = try await daemon.connect()
      _ = try await client.append("a", put("late"))
      try await until { printed().contains("late") }
      await client.close()
    }
    try await daemon.stop()
    let lines = printed.split(separator: "\n").dropFirst()
    #expect(lines.count == 5)
    for (line, text) in zip(lines, ["one", "two", "deleted", "mark:draft at 3", "late"]) {
      #expect(line.contains(text), "\(line)")
    }
    #expect(
      noted == """
        editlog: the connection to the daemon was lost; waiting for it
        editlog: the daemon is back

        """)
  }

  @Test func jsonHasEachEntryOnce() async throws {
    try await withClient { client, daemon in
      for index in 0..<5 { _ = try await client.append("a", put("\(index)")) }
      let (printed, _) = try await follow(["-f", "-n", "2", "--json", "a"], at: daemon.socket) {
        printed in
        try await until { printed().contains("\"4\"") }
        _ = try await client.append("a", put("new"))
        try await until { printed().contains("new") }
      }
      let texts = printed.split(separator: "\n").map { line in
        line.split(separator: "\"text\":\"")[1].prefix { $0 != "\"" }
      }
      #expect(texts == ["3", "4", "new"])
    }
  }

  /// A match that comes letter by letter counts, and a mark does not.
  @Test(arguments: [[], ["--json"]])
  func `what follows is filtered by a pattern`(options: [String]) async throws {
    try await withClient { client, daemon in
      for text in ["one fish ", "two "] { _ = try await client.append("a", put(text)) }
      let arguments = ["-f", "-g", "FI[SN]", "-i", "--edits", "a"] + options
      let (printed, _) = try await follow(arguments, at: daemon.socket) { printed in
        try await until { printed().contains("fish") }
        for text in ["three ", "n", "i"] { _ = try await client.append("a", put(text)) }
        _ = try await client.call(MarkRequest(document("a"), label: "draft"))
        for text in ["f", " four "] { _ = try await client.append("a", put(text)) }
        _ = try await client.append("a", put("last fish"))
        try await until { printed().contains("last") }
      }
      let lines = printed.split(separator: "\n").filter { !options.isEmpty || $0.hasPrefix("  ") }
      #expect(lines.count == 3, "\(printed)")
      #expect(!printed.contains("three") && !printed.contains("draft"), "\(printed)")
    }
  }

  @Test func aFollowerNeedsADaemonAndALatestEnd() async throws {
    #expect(throws: (any Error).self) { try LogCommand.parseAsRoot(["-f", "--reverse", "a"]) }
    #expect(throws: (any Error).self) { try LogCommand.parseAsRoot(["-f", "--until", "3", "a"]) }
  }
}
