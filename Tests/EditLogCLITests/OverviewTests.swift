import ArgumentParser
import EditIngest
import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog` without a verb.
@Suite struct OverviewTests {
  @Test func `it is what the parser runs without a verb`() throws {
    #expect(try EditLogCommand.parseAsRoot([]) is OverviewCommand)
    let overview = try EditLogCommand.parseAsRoot(["--store", "D"]) as? OverviewCommand
    #expect(overview?.common.location() == .store("D"))
  }

  @Test func `it lists the documents that were edited last, and what to do next`() async throws {
    var script = HistoryScript(at: "2026-11-20T14:04:00Z")
    try script.type("abc", at: 0)
    let store = try RealStore(script.entries, document: "old")
    for (index, name) in ["b c", "it's", "d", "e", "newest"].enumerated() {
      var script = HistoryScript(at: "2026-11-21T1\(index):00:00Z")
      try script.type("text", at: 0)
      try store.append(script.entries, to: name)
    }
    let arguments = ["--store", store.path]
    let (printed, noted, status) = try await store.run(OverviewCommand.self, arguments)
    let lines = printed.split(separator: "\n").map(String.init)
    #expect(status == 0 && noted == "" && lines.count <= 12)
    #expect(lines[0] == "6 documents in the files of \(store.path)")
    #expect(lines[1].hasSuffix(" 4 edits  newest") && lines[1].contains("2026-11-21 15:00:00"))
    #expect(lines[2].hasSuffix("  e") && lines[3].hasSuffix("  d") && lines[4].hasSuffix("  it's"))
    #expect(lines[5] == "  and 2 more: `editlog documents`")
    #expect(lines.contains { $0.hasPrefix("  editlog log newest  ") })
    #expect(lines.contains { $0.hasPrefix("  editlog show newest --at 2  ") })
    let (json, _, _) = try await store.run(OverviewCommand.self, arguments + ["--json"])
    #expect(
      json.hasPrefix(#"{"v":1,"daemon":false,"documentCount":6,"recent":[{"document":"newest""#))
  }

  /// The commands can be pasted into a shell.
  @Test func `names are quoted`() async throws {
    var script = HistoryScript()
    try script.type("abc", at: 0)
    let store = try RealStore(script.entries, document: "it's $(here)\n")
    let (printed, _, _) = try await store.run(OverviewCommand.self, [])
    #expect(printed.contains(#"  editlog log '"it'\''s $(here)\n"'"#), "\(printed)")
  }

  @Test func `without a store and a daemon it says how to begin`() async throws {
    let folder = TemporaryFolder()
    for arguments in [
      ["--store", folder.path("none")], ["--socket", folder.path("none")],
      ["--socket", folder.path("none"), "--json"],
    ] {
      let overview = try OverviewCommand.parse(arguments)
      let backend = try await overview.openBackend()
      let bench = Bench(backend)
      try await overview.run(in: bench.session)
      await backend.close()
      if arguments.last == "--json" {
        #expect(bench.printed == #"{"v":1,"daemon":false,"documentCount":0,"recent":[]}"# + "\n")
      } else {
        let state =
          arguments.contains("--store")
          ? "Nothing is recorded yet: " : "It is not known what is recorded: "
        #expect(bench.printed.hasPrefix(state), "\(bench.printed)")
        #expect(bench.printed.contains("  editlog doctor"))
        #expect(bench.printed.split(separator: "\n").count <= 6)
      }
    }
  }

  /// The daemon that answers is not to be started again.
  @Test func `an empty store has three next steps`() async throws {
    for socket in [nil, "/s"] as [String?] {
      let bench = Bench(EmptyBackend(socket: socket), width: 40)
      try await OverviewCommand.parse([]).run(in: bench.session)
      let lines = bench.printed.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("  editlog") } == 3, "\(bench.printed)")
      #expect(lines.contains { $0.hasPrefix("  editlogd ") } == (socket == nil))
      #expect(lines.allSatisfy { $0.displayWidth <= 40 }, "\(bench.printed)")
    }
  }

  @Test func `the newest of many documents are found`() throws {
    var documents: [ListedDocument] = []
    for number in 0..<1_000 {
      let time = Int64(number * 7919 % 1009)
      documents.append(
        ListedDocument(
          document: try #require(DocumentID("\(number)")), number: UInt64(number), sequence: 1,
          size: 1, lastTime: number == 0 ? nil : Timestamp(nanoseconds: time)))
    }
    let times: [Int64] = documents.map { $0.lastTime?.nanoseconds ?? Int64.min }
    let newest = Array(times.sorted(by: >).prefix(OverviewCommand.recentMax))
    let recent = OverviewCommand.recent(documents)
    #expect(recent.map { $0.lastTime?.nanoseconds ?? Int64.min } == newest)
    #expect(OverviewCommand.recent([]).isEmpty)
    #expect(OverviewCommand.recent(Array(documents.prefix(1))) == Array(documents.prefix(1)))
  }
}

/// A store without documents, in the files or behind a daemon.
private struct EmptyBackend: Backend {
  let socket: String?

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    guard let answer = DocumentsAnswer(documents: []) as? Q.Answer else {
      throw ProtocolError.methodNotFound(Q.method)
    }
    return answer
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    throw ProtocolError.methodNotFound(C.method)
  }

  func close() async {}
}
