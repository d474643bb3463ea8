import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `status` of a document, read from files.
@Suite struct DocumentStatusTests {
  @Test func `a document can be undone, then redone, then neither`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one", .paste)
    let store = try RealStore(script.entries)
    let first = try await store.run(StatusCommand.self, ["d", "--json"])
    #expect(
      first.printed == """
        {"v":1,"sequence":1,"time":"2026-11-20T14:04:00Z","undoable":true,"redoable":false,"undoableStep":1}

        """)
    var undo = HistoryScript()
    try undo.replace(0..<0, "one", .paste)
    try undo.replace(0..<3, "", .undo)
    try store.append([undo.entries[1]], to: "d")
    let second = try await store.run(StatusCommand.self, ["d", "--json"])
    #expect(
      second.printed == """
        {"v":1,"sequence":2,"time":"2026-11-20T14:04:00Z","undoable":false,"redoable":true,"redoableStep":1}

        """)
    let shown = try await store.run(StatusCommand.self, ["d"])
    #expect(shown.exitCode == 0 && shown.noted.isEmpty)
    let lines = shown.printed.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.first == "version:  2")
    #expect(lines.dropFirst(2) == ["undo:  nothing to undo", "redo:  brings back step 1"])
  }

  @Test func `the loaded text is not offered for undo`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one", .load)
    let status = try await RealStore(script.entries).run(StatusCommand.self, ["d", "--json"])
    #expect(status.printed.contains(#""undoable":false,"redoable":false"#))
  }

  @Test func `an unknown document is an error with exit status 66`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one", .paste)
    let store = try RealStore(script.entries)
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(StatusCommand.self, ["none"])
    }
    #expect(error?.code == .unknownDocument && error?.code.exitStatus == 66)
  }

  @Test(arguments: [
    ["d", "--heads"], ["d", "--watch"], ["d", "--metrics"], ["--verified"],
    ["--head", "d@1:" + String(repeating: "0", count: 64)],
  ])
  func `options that exclude each other are a usage error`(arguments: [String]) {
    #expect(throws: (any Error).self) { try StatusCommand.parse(arguments) }
  }

  @Test(arguments: [#"{"document":"d","heads":true}"#, #"{"document":"d","metrics":true}"#])
  func `a call about a document and the store is refused`(params: String) throws {
    let params = try JSON.parse(params)
    let error = #expect(throws: ProtocolError.self) {
      try Methods.request("editlog/status", params)
    }
    #expect(error?.code == .invalidParams)
  }
}
