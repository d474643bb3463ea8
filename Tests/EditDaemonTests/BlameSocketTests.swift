import ArgumentParser
import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog blame` and `editlog/blame` with a real daemon, and with its store at rest.
@Suite(.timeLimit(.minutes(10))) struct BlameSocketTests {
  /// What `blame` prints.
  private func blame(_ arguments: [String], _ backend: any Backend) async throws -> String {
    let output = Output()
    let session = Session(
      backend: backend, output: output, diagnostics: Output(), now: Timestamp(nanoseconds: 0),
      utcOffset: { _ in 0 })
    let command = try #require(
      try BlameCommand.parseAsRoot(arguments + ["--json"]) as? BlameCommand)
    try await command.run(in: session)
    await backend.close()
    return String(decoding: output.captured, as: UTF8.self)
  }

  /// The pieces of an answer as the command line prints them.
  private func lines(_ answer: JSON) throws -> String {
    let pieces = try answer.asObject().array("pieces") { (json) throws(ShapeError) in
      try json.asObject()
    }
    return pieces.reduce(into: "") { lines, piece in
      var line: JSONObject = ["v": 1]
      for member in piece.members { line[member.name] = member.value }
      lines += "\(JSON.object(line))\n"
    }
  }

  @Test func socketFilesAndCommandLineAgree() async throws {
    let folder = TemporaryFolder()
    let daemon = try await RunningDaemon(in: folder)
    let client = try await daemon.connect()
    _ = try await client.append("a", put("one two\nthree\n"))
    _ = try await client.append("a", put("2", at: 4, over: 3))
    _ = try await client.append("a", put("four", at: 6))
    let writers: [String] = ["a"]
    let fates: [String] = ["a", "--reverse", "--at", "1"]
    let lines = try lines(try await client.call("editlog/blame", ["document": "a"]))
    let reverse = try self.lines(
      try await client.call("editlog/blame", ["document": "a", "at": 1, "reverse": true]))
    #expect(lines.split(separator: "\n").count == 5)
    #expect(reverse.split(separator: "\n").count == 4)
    #expect(try await blame(writers, SocketBackend(path: daemon.socket)) == lines)
    #expect(try await blame(fates, SocketBackend(path: daemon.socket)) == reverse)
    // In parts.
    let first = try await client.call(
      BlameRequest(HistoryReference(document("a")), BlamePart(limit: 2)))
    #expect(first.pieces.count == 2)
    #expect(first.next == first.pieces.last?.range.upperBound)
    await client.close()
    try await daemon.stop()
    let path = daemon.store
    #expect(try await blame(writers, makeStoreBackend(path: path)) == lines)
    #expect(try await blame(fates, makeStoreBackend(path: path)) == reverse)
  }
}
