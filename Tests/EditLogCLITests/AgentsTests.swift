import EditJSON
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What `agents` prints of real stores.
@Suite struct AgentsTests {
  private func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "one\ntwo\nthree\n", .load, author: "ann")
    try script.replace(4..<7, "2\n\nzwei", .program, author: "lab/model-1")
    try script.replace(4..<4, "<", author: "ann")
    try script.replace(0..<0, "zero\n", .program, author: "claude AI")
    script.wait(seconds: 600)
    try script.replace(0..<2, "h", author: "ann")
    try script.replace(3..<4, "", .program, author: "claude AI")
    return try RealStore(script.entries)
  }

  @Test func `a table of agents`() async throws {
    let (printed, noted, code) = try await store().run(AgentsCommand.self, ["d"], width: 80)
    #expect(code == 0 && noted == "9 of the text's 22 units are by agents: 41 %\n")
    #expect(
      printed == """
        AGENT        EDITS  WROTE  KEPT         ITSELF  OTHERS  REPLACED  UNDONE
        lab/model-1      1      7     7  100 %       0       0         0       0
        claude AI        2      5     2   40 %       1       2         2       0

        """)
  }

  @Test func `JSON has a line for each agent`() async throws {
    let (printed, _, _) = try await store().run(
      AgentsCommand.self, ["d", "--at", "4", "--json"])
    #expect(
      printed == #"""
        {"v":1,"agent":"lab/model-1","edits":1,"undone":0,"inserted":7,"living":7,"takenBack":0,"deletedBySelf":0,"deletedByOthers":0,"replaced":0}
        {"v":1,"agent":"claude AI","edits":1,"undone":0,"inserted":5,"living":5,"takenBack":0,"deletedBySelf":0,"deletedByOthers":0,"replaced":0}

        """#)
  }

  @Test func `a trace record names lines`() async throws {
    let (printed, _, _) = try await store().run(
      AgentsCommand.self, ["d", "--format", "agent-trace"])
    let record = try JSON.parse(printed)
    try AgentTraceSchema.check(record)
    #expect(
      record["files"]?.description == #"""
        [{"path":"d","conversations":[{"contributor":{"type":"ai"},"ranges":[{"start_line":1,"end_line":1,"contributor":{"type":"mixed"}}]},{"contributor":{"type":"ai","model_id":"lab/model-1"},"ranges":[{"start_line":2,"end_line":2,"contributor":{"type":"mixed","model_id":"lab/model-1"}},{"start_line":3,"end_line":4}]}]}]
        """#)
    #expect(
      record["metadata"]?.description == #"""
        {"editlog":{"document":"d","sequence":6,"agents":[{"agent":"claude AI"},{"agent":"lab/model-1"}]}}
        """#)
    let (again, _, _) = try await store().run(
      AgentsCommand.self, ["d", "--format", "agent-trace"])
    #expect(again == printed)
    let (older, _, _) = try await store().run(
      AgentsCommand.self, ["d", "--format", "agent-trace", "--at", "1"])
    let first = try JSON.parse(older)
    try AgentTraceSchema.check(first)
    #expect(first["id"] != record["id"])
    #expect(first["files"]?.description == #"[{"path":"d","conversations":[]}]"#)
  }

  @Test(
    "each record is valid",
    arguments: [
      [], ["x"], ["\n"], ["\n\n", "a"], ["a\r\n", "\r\n", "b"], ["a\nb", "c\n", "d\u{0}\u{1B}"],
    ])
  func records(texts: [String]) async throws {
    var script = HistoryScript()
    for (index, text) in texts.enumerated() {
      try script.replace(
        0..<0, text, index == 1 ? .typing : .program, author: "a\n\u{0}\(index)")
    }
    script.note(.mark(label: "m", at: 0))
    let name = "file:///no/such folder/\u{1}x"
    let (printed, _, _) = try await RealStore(script.entries, document: name).run(
      AgentsCommand.self, [name, "--format", "agent-trace"])
    #expect(printed.split(separator: "\n").count == 1)
    try AgentTraceSchema.check(JSON.parse(printed))
  }

  @Test(
    "a path begins at the root of the repository",
    arguments: [
      ("file:///home/ann/repo/src/a.txt", "src/a.txt"), ("file:///work/b/c.txt", "b/c.txt"),
      ("file:///etc/x", "etc/x"), ("essay", "essay"), ("///", "///"), ("/a/b", "a/b"),
    ])
  func paths(document: String, path: String) throws {
    let found = AgentsCommand.path(
      of: try #require(DocumentID(document)), directory: "/work",
      isRoot: { $0 == "/home/ann/repo" })
    #expect(found == path)
  }

  @Test func `nothing and wrong arguments`() async throws {
    let store = try store()
    let (printed, noted, code) = try await store.run(AgentsCommand.self, ["d", "--at", "1"])
    #expect((printed, noted, code) == ("", "no edits of agents\n", 0))
    let (empty, _, _) = try await store.run(AgentsCommand.self, ["d", "--at", "0", "--json"])
    #expect(empty == "")
    for arguments in [["d", "--format", "png"], ["d", "--json", "--format", "agent-trace"], []] {
      await #expect(throws: (any Error).self) { try await store.run(AgentsCommand.self, arguments) }
    }
    for arguments in [["missing"], ["missing", "--format", "agent-trace"]] {
      let error = await #expect(throws: ProtocolError.self) {
        try await store.run(AgentsCommand.self, arguments)
      }
      #expect(error?.code == .unknownDocument)
    }
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(AgentsCommand.self, ["d", "--at", "99"])
    }
    #expect(error?.code == .unknownPoint)
  }
}

/// What the JSON Schema of the agent-trace specification, version 0.1.0, requires of a record.
private enum AgentTraceSchema {
  static func check(_ record: JSON) throws {
    let version = try text(record, "version")
    #expect(version.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    let id = try text(record, "id")
    #expect(
      id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
        != nil)
    #expect(Timestamp(rfc3339: try text(record, "timestamp")) != nil)
    _ = try text(try #require(record["tool"]), "name")
    _ = try text(try #require(record["tool"]), "version")
    _ = try record["metadata"]?.asObject()
    for file in try list(record, "files") {
      let path = try text(file, "path")
      #expect(!path.isEmpty && (!path.hasPrefix("/") || path == "///"))
      for conversation in try list(file, "conversations") {
        if let contributor = conversation["contributor"] { try check(contributor: contributor) }
        for range in try list(conversation, "ranges") {
          let first = try #require(range["start_line"]).asInteger(in: 1 ... .max)
          _ = try #require(range["end_line"]).asInteger(in: first ... .max)
          if let contributor = range["contributor"] { try check(contributor: contributor) }
        }
      }
    }
  }

  private static func check(contributor: JSON) throws {
    #expect(["human", "ai", "mixed", "unknown"].contains(try text(contributor, "type")))
    guard contributor["model_id"] != nil else { return }
    #expect(try text(contributor, "model_id").unicodeScalars.count <= 250)
  }

  private static func text(_ json: JSON, _ member: String) throws -> String {
    try #require(json[member], "\(member)").asString()
  }

  private static func list(_ json: JSON, _ member: String) throws -> [JSON] {
    guard case .array(let values) = try #require(json[member], "\(member)") else {
      Issue.record("\(member) is no array")
      return []
    }
    return Array(values)
  }
}
