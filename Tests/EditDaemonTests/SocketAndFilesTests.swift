import ArgumentParser
import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Each question of the command line, asked of a daemon and of its store's files: the same bytes.
@Suite(.timeLimit(.minutes(10))) struct SocketAndFilesTests {
  /// The arguments of each verb that reads documents.
  static let questions: [[String]] = [
    ["log", "a"], ["log", "a", "--edits"], ["show", "a"], ["show", "a", "--at", "7"],
    ["show", "a", "--step", "-1", "--by", "undo"], ["diff", "a", "--from", "3"],
    ["diff", "a", "--from", "3", "--paragraphs"], ["paragraphs", "a"],
    ["paragraphs", "a", "--dead", "--life", "--lineage"], ["outline", "a"],
    ["inspect", "a", "--offset", "0"], ["history", "a", "--lines", "1,2"], ["blame", "a"],
    ["blame", "a", "--last"], ["blame", "a", "--reverse", "--at", "9"],
    ["blame", "a", "--no-moves"], ["grep", "e"], ["grep", "-F", "one", "a"],
    ["grep", "o.*e", "--deleted"], ["undo", "a", "--list"],
    ["undo", "a", "--author", "ann", "--dry-run"], ["agents", "a"], ["activity", "a"],
    ["activity"], ["marks", "a"], ["trace", "a"], ["repro", "a", "--around", "5"],
    ["render", "a", "--format", "json"],
  ]

  /// What a verb prints.
  private func printed(_ arguments: [String], _ backend: any Backend) async throws -> String {
    let output = Output()
    let session = Session(
      backend: backend, output: output, diagnostics: Output(),
      now: Timestamp(nanoseconds: 2_000_000_000_000_000_000), utcOffset: { _ in 0 })
    let command = try #require(try EditLogCommand.parse(words: arguments) as? any Verb)
    do { try await command.run(in: session) } catch is ExitCode {}
    await backend.close()
    return String(decoding: output.captured, as: UTF8.self)
  }

  @Test func eachQuestionHasOneAnswer() async throws {
    let folder = TemporaryFolder()
    let daemon = try await RunningDaemon(in: folder)
    let clients = [try await daemon.connect(), try await daemon.connect()]
    for (client, name) in zip(clients, ["ann", "bot"]) {
      try await client.introduce(try ClientIdentity.run(of: "append", author: name))
    }
    var random = SplitMix64(seed: 7)
    var length = 0
    for count in 0..<60 {
      let start = Int.random(in: 0...length, using: &random)
      let end = min(length, start + Int.random(in: 0...4, using: &random))
      let text = ["one ", "e", "\n", "two\n", "👩‍👩‍👧", ""].randomElement(using: &random) ?? ""
      let action = EditAction(
        replacing: UTF16Range(start..<end), with: UTF16Text(text))
      let isAgents = count % 3 == 0
      _ = try await clients[isAgents ? 1 : 0].call(
        AppendRequest(
          document: document("a"), origin: isAgents ? .program : .typing,
          edits: [AppendEdit(action: action)]))
      length += text.utf16.count - (end - start)
    }
    for client in clients { await client.close() }
    for question in Self.questions {
      for form in [question, question + ["--json"]] {
        let asked = try await printed(form, SocketBackend(path: daemon.socket))
        let read = try await printed(form, try await makeStoreBackend(path: daemon.store))
        #expect(asked == read, "\(form)")
        #expect(!asked.isEmpty || ["marks", "trace"].contains(question[0]), "\(form)")
      }
    }
    try await daemon.stop()
  }
}
