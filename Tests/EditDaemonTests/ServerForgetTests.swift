import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Removes documents for good, and checks that nothing else is removed, over the socket.
@Suite(.timeLimit(.minutes(10))) struct ServerForgetTests {
  private func forget(_ name: String, _ client: EditLogClient) async throws -> JSON {
    try await client.call("editlog/forget", ["document": JSON(name)])
  }

  @Test func `a forgotten document is gone, and its name can be used again`() async throws {
    let folder = TemporaryFolder()
    try await withClient(in: folder) { client, daemon in
      for text in ["nEEdle one", "nEEdle two"] { _ = try await client.append("secret", put(text)) }
      _ = try await client.append("other", put("kept"))
      let receipt = try await forget("secret", client)
      #expect(receipt["edits"] == 2 && receipt["journals"] == 1)
      #expect(receipt["sealedDocuments"] == 1)
      #expect(
        await refusal { try await client.text(of: "secret") }?.code == .unknownDocument)
      #expect(await refusal { try await forget("secret", client) }?.code == .unknownDocument)
      #expect(try await client.text(of: "other") == "kept")
      #expect(try await client.append("secret", put("new")).sequence == 1)
      #expect(try await client.text(of: "secret") == "new")
      #expect(try await client.call("editlog/verify")["sound"] == true)
    }
    let store = try Store.open(at: RunningDaemon.store(in: folder))
    #expect(try store.documents().map(\.document.name) == ["other", "secret"])
  }

  @Test func `a document that an editor has open is kept`() async throws {
    try await withClient { client, _ in
      _ = try await client.call("initialize", ["clientInfo": ["name": "an editor"]])
      let open = DidOpenParams(uri: document("untitled:a"), text: "text").json
      try await client.notify("textDocument/didOpen", open)
      let error = await refusal { try await forget("untitled:a", client) }
      #expect(error?.code == .overloaded)
      #expect(error?.message.contains("an editor has untitled:a open") == true)
      let closed = TextDocumentParams(uri: document("untitled:a")).json
      try await client.notify("textDocument/didClose", closed)
      #expect(try await forget("untitled:a", client)["edits"] == 1)
    }
  }

  /// D17: NUL and all other control characters.
  @Test func `no document is given a name with control characters`() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("known", put("x"))
      for value in [0, 9, 0xA, 0x1B, 0x7F, 0x80, 0x9F] as [UInt8] {
        let name = "a\(Unicode.Scalar(value))b"
        let open = DidOpenParams(uri: document(name), version: 1, text: "text").json
        let forward: JSON = [
          "session": "bridge", "counter": 1, "method": "textDocument/didOpen", "params": open,
        ]
        let rename: JSON = [
          "session": "bridge", "counter": 2, "method": "workspace/didRenameFiles",
          "params": ["files": [["oldUri": "known", "newUri": JSON(name)]]],
        ]
        for (method, params) in [
          ("editlog/append", ["document": JSON(name), "edits": [put("x").json]]),
          ("editlog/forward", forward), ("editlog/forward", rename),
        ] {
          let error = await refusal { try await client.call(method, params) }
          #expect(error?.code == .invalidParams, "\(method)")
          #expect(error?.message.contains("control character U+00") == true)
        }
        try await client.notify("textDocument/didOpen", open)
      }
      let listed = try await client.call("editlog/documents")["documents"]?.asArray() ?? []
      #expect(listed.map { $0["document"] } == ["known"])
      #expect(daemon.log.complaints.count == 7)
      daemon.log.forgetComplaints()
      _ = try await client.append("a b\u{A0}\u{202E}", put("these are allowed"))
    }
  }

  /// An import that failed removes what it has made, and never what others have added since.
  @Test func `a document with later edits stays`() async throws {
    try await withClient { client, _ in
      for text in ["one", "two"] { _ = try await client.append("a", put(text)) }
      for params in [
        ["document": "a", "upTo": 1], ["number": 1, "upTo": 1],
      ] as [JSON] {
        let error = await refusal { try await client.call("editlog/forget", params) }
        #expect(error?.code == .sequenceConflict && error?.details["latest"] == 2)
      }
      #expect(try await client.text(of: "a") == "twoone")
      _ = try await client.call("editlog/forget", ["document": "a", "upTo": 2])
      #expect(
        await refusal { try await client.call("editlog/state", ["document": "a"]) }?.code
          == .unknownDocument)
    }
  }

  /// D17: what an older version took can be read, and forgotten by its number.
  @Test func `a document is forgotten by its number`() async throws {
    let folder = TemporaryFolder()
    let writer = try StoreWriter(at: RunningDaemon.store(in: folder))
    for name in ["other", "a\0b"] {
      let action = EditAction(replacing: UTF16Range(0..<0), with: "text")
      _ = try writer.append([(document(name), [.edit(Edit(sequence: 1, action: action))])])
    }
    try writer.close()
    try await withClient(in: folder) { client, _ in
      let listed = try await client.call("editlog/documents")["documents"]?.asArray() ?? []
      #expect(listed.map { $0["number"] } == [2, 1], "in the order of names")
      #expect(try await client.text(of: "a\0b") == "text")
      #expect(try await client.append("a\0b", put("x")).sequence == 2)
      for params in [
        ["number": 2, "document": "other"], ["number": 0], ["number": "two"], [:],
      ] as [JSON] {
        let error = await refusal { try await client.call("editlog/forget", params) }
        #expect(error?.code == .invalidParams)
      }
      let unknown = await refusal { try await client.call("editlog/forget", ["number": 3]) }
      #expect(unknown?.code == .unknownDocument)
      #expect(try await client.call("editlog/forget", ["number": 2])["document"] == "a\0b")
      let left = try await client.call("editlog/documents")["documents"]?.asArray() ?? []
      #expect(left.map { $0["document"] } == ["other"])
    }
  }

  @Test func `a job under way is waited for`() async throws {
    try await withDaemon({ $0.ingest.sealAfter = 4 }) { daemon in
      let client = try await daemon.connect()
      for round in 0..<6 {
        for number in 0..<20 { _ = try await client.append("a\(number % 3)", put("x")) }
        #expect(try await forget("a\(round % 3)", client)["document"] != nil)
      }
      #expect(try await client.call("editlog/verify")["sound"] == true)
      await client.close()
    }
  }

  /// Every acknowledgement of requests that became one batch proves its own edit, before and after
  /// sealing, with the daemon and without.
  @Test func `heads of acknowledgements are confirmed`() async throws {
    let folder = TemporaryFolder()
    var heads: [JSON] = []
    try await withClient(in: folder) { client, _ in
      let results = try await withThrowingTaskGroup(of: AppendResult.self) { group in
        for number in 0..<40 {
          group.addTask { try await client.append("a@b:\(number % 2)", put("x")) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.count == 40)
      for name in ["a@b:0", "a@b:1"] {
        let result = try await client.append(name, put("y"), put("z"))
        let hex = try #require(result.head)
        let head = AcknowledgedHead(
          document: document(name), sequence: result.sequence, head: hex)
        heads.append(JSON("\(try #require(head))"))
      }
      let status = try await client.call("editlog/status", ["heads": true])
      #expect(status["heads"] == .array(heads))
      let verified = try await client.call("editlog/verify", ["heads": .array(heads)])
      #expect(verified["sound"] == true && verified["confirmed"] == 2)
      #expect(verified["heads"] == .array(heads))
    }
    let backend = try await makeStoreBackend(path: RunningDaemon.store(in: folder))
    let verify = try VerifyRequest(params: ["heads": .array(heads)])
    let verified = try await backend.ask(verify)
    #expect(verified.isSound && verified.confirmedCount == 2)
    _ = try await backend.perform(ForgetRequest(.name(document("a@b:1"))))
    let later = try await backend.ask(verify)
    #expect(!later.isSound && later.confirmedCount == 1)
    #expect(later.findings.first?.kind == .rewritten)
    await backend.close()
  }

  @Test func `each request of a batch is given its own head`() async throws {
    try await withClient { client, _ in
      let results = try await withThrowingTaskGroup(of: AppendResult.self) { group in
        for _ in 0..<60 { group.addTask { try await client.append("a", put("x")) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let heads = results.compactMap { result in
        result.head.map { JSON("a@\(result.sequence):\($0)") }
      }
      let verified = try await client.call("editlog/verify", ["heads": .array(heads)])
      #expect(verified["confirmed"] == 60 && verified["findings"] == [])
    }
  }

  @Test func `a changed segment is mended through the daemon`() async throws {
    let folder = TemporaryFolder()
    try await withClient(in: folder) { client, _ in
      _ = try await client.append("a", put("a text"))
    }
    let path = RunningDaemon.store(in: folder)
    let directory = try PosixFileSystem().directory(at: path).directory("documents")
    let file = try directory.open("00000000000000000001.segment", .write)
    let old = try file.read(1, at: 200)
    try file.writeAll(old.map { $0 ^ 4 }, at: 200)
    try await withClient(in: folder) { client, _ in
      let plan = try await client.call("editlog/repair", ["dryRun": true])
      #expect(plan["repairs"]?.firstElement?["document"] == "a" && plan["opening"] == [])
      let verified = try await client.call("editlog/verify")
      #expect(verified["findings"]?.firstElement?["kind"] == "repairable")
      #expect(verified["findings"]?.firstElement?["firstEdit"] == 1)
      let done = try await client.call("editlog/repair")
      #expect(done["repairs"] == plan["repairs"])
      #expect(try await client.call("editlog/repair")["repairs"] == [])
      let after = try await client.call("editlog/verify")
      #expect(after["sound"] == true && after["findings"]?.firstElement?["kind"] == "handled")
      // D12: what the histories have by now can be removed, and is reported no more.
      let cleared = try await client.call("editlog/repair", ["removeRecovered": true])
      #expect(cleared["removed"] == ["quarantine/00000000000000000001.mended"])
      #expect(cleared["findings"] == [])
      #expect(try await client.call("editlog/verify")["findings"] == [])
    }
  }
}
