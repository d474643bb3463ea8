import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import Testing

@testable import EditLogCommands

/// D16: what `log --json` prints, `append` takes.
@Suite struct HistoryCopyTests {
  private func edit(
    _ range: Range<Int>, _ text: String, transaction: Int64? = nil, origin: Origin? = nil,
    time: String? = nil
  ) -> AppendEdit {
    AppendEdit(
      action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)),
      time: time.flatMap { Timestamp(rfc3339: $0) }, origin: origin, author: "grace",
      transaction: transaction)
  }

  private func log(_ document: String, _ backend: any Backend) async throws -> [String] {
    let bench = Bench(backend)
    try await LogCommand.parse([document, "--json"]).run(in: bench.session)
    return bench.printed.split(separator: "\n").map(String.init)
  }

  private func append(
    _ lines: [String], to document: String, _ backend: any Backend
  ) async throws -> (bench: Bench, answers: [JSON]) {
    let bench = Bench(backend)
    try await withTemporaryFile(Array((lines.joined(separator: "\n") + "\n").utf8)) { path in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try await AppendCommand.parse([document]).run(
        in: bench.session, input: LineReader(descriptor: descriptor, sizeMax: 1 << 20))
    }
    let answers = try bench.printed.split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
    return (bench, answers)
  }

  @Test func `a copied history has the same edits, transactions and marks`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let document = try #require(DocumentID("a"))
      for edits in [
        [edit(0..<0, "one\u{2029}", time: "2023-11-14T22:13:20.915000001Z")],
        [
          edit(4..<4, "two", transaction: 7, origin: .paste),
          edit(0..<1, "O", transaction: 7, origin: .paste),
        ],
        [edit(1..<3, "", origin: .removal), edit(0..<0, "z")],
      ] {
        _ = try await backend.perform(AppendRequest(document: document, edits: edits))
      }
      _ = try await backend.perform(MarkRequest(document, label: "two", at: .sequence(3)))
      let original = try await log("a", backend)
      let (_, answers) = try await append(original, to: "b", backend)
      #expect(answers.map { $0["line"] } == [1, 2, 3, 4, 5, 6])
      #expect(answers.map { $0["sequence"] } == [1, 2, 3, 4, 5, 3])
      #expect(answers.map { $0["head"] == nil } == [false, true, false, false, false, true])
      #expect(answers.last?["event"] == "mark")
      // The mark is made now; all else is the same.
      #expect(try await log("b", backend).dropLast() == original.dropLast())
      let (mine, theirs) = try await (
        backend.call("editlog/state", ["document": "a", "at": "mark:two"]),
        backend.call("editlog/state", ["document": "b", "at": "mark:two"])
      )
      #expect(mine["text"] == theirs["text"] && mine["sequence"] == 3)

      // After other edits the versions have other numbers.
      _ = try await append(
        [edit(0..<0, "").json.description, edit(0..<0, "").json.description], to: "c", backend)
      let (_, shifted) = try await append(original, to: "c", backend)
      #expect(shifted.map { $0["sequence"] } == [3, 4, 5, 6, 7, 5])
      await backend.close()
    }
  }

  @Test func `other events are left out and counted`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let digest = String(repeating: "0", count: 64)
      let (bench, answers) = try await append(
        [
          #"{"v":1,"event":"mark","label":"m","at":0,"after":0,"time":"2026-01-01T00:00:00Z"}"#,
          edit(0..<0, "x").json.description,
          #"{"v":1,"event":"saved","after":1,"time":"2026-01-01T00:00:00Z","digest":"\#(digest)"}"#,
        ], to: "a", backend)
      #expect(
        answers.map(\.description) == [
          #"{"v":1,"line":1,"event":"mark","skipped":true}"#, answers[1].description,
          #"{"v":1,"line":3,"event":"saved","skipped":true}"#,
        ])
      #expect(bench.noted.hasPrefix("2 events left out: only edits, and marks after edits"))
      await backend.close()
    }
  }

  @Test(arguments: [
    (#"{"v":2,"sequence":1}"#, "which \"v\" makes it: v must be"),
    (#"{"v":1,"event":"party","after":0,"time":"2026-01-01T00:00:00Z"}"#, "event must be one of"),
    (#"{"v":1,"sequence":1,"actions":["characters"]}"#, "location must be"),
    (#"{"txt":"h"}"#, "line 1: an edit has no member txt; its members are actions, location,"),
  ])
  func `a line of another form is refused by name`(line: String, problem: String) throws {
    let error = #expect(throws: CommandError.self) {
      try AppendLine(ByteBuffer(string: line), line: 1)
    }
    #expect(error?.exitCode == 65 && error?.message.contains(problem) == true)
  }
}
