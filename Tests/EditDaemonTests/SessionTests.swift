import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// What the log says of the clients that made its entries.
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
  private func identity(
    _ session: String = "run", author: String? = "ann"
  ) throws -> ClientIdentity {
    let client = try #require(
      SessionDescription(client: "notes", version: "2.1", host: "desk", process: 4711))
    let session = try #require(SessionID(session))
    return try #require(ClientIdentity(session: session, client: client, author: author))
  }

  /// Each entry in short: `notes: ann, run, 0`, `ann, run, 1`, and so on.
  private func lines(_ client: EditLogClient, _ name: String) async throws -> [String] {
    try await client.entries(of: name).map { entry in
      switch entry {
      case .edit(let edit):
        return "\(edit.author ?? "-"), \(edit.session?.name ?? "-"), \(edit.counter)"
      case .event(let event):
        let source = "\(event.author ?? "-"), \(event.session?.name ?? "-"), \(event.counter)"
        if case .session(let client) = event.kind { return "\(client.client): \(source)" }
        return "\(event.kind.name): \(source)"
      }
    }
  }

  @Test func aClientIsDescribedOncePerDocument() async throws {
    let folder = TemporaryFolder()
    for run in 0..<2 {
      try await withClient(in: folder) { client, _ in
        try await client.introduce(try identity())
        let counter = UInt64(2 * run + 1)
        _ = try await client.append("a", put("1"), ticket: try ticket(counter))
        _ = try await client.append(
          AppendRequest(
            document: document("a"), ticket: try ticket(counter + 1), author: "bob",
            edits: [put("2")]))
        // It is sent again, and not logged again.
        let again = try await client.append("a", put("1"), ticket: try ticket(counter))
        #expect(again.duplicate)
      }
    }
    try await withClient(in: folder) { client, _ in
      #expect(
        try await lines(client, "a") == [
          "notes: ann, run, 0", "ann, run, 1", "bob, run, 2", "ann, run, 3", "bob, run, 4",
        ])
      let event = try await client.entries(of: "a")[0]
      #expect(
        event.json.description.hasPrefix(
          #"{"v":1,"event":"session","after":0,"client":"notes","version":"2.1","host":"desk","process":4711,"author":"ann","session":"run","counter":0,"#
        ))
    }
  }

  @Test func changesWithoutASessionBelongToThatOfTheConnection() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("before"))
      let other = try await daemon.connect()
      try await other.introduce(try identity())
      _ = try await other.append("a", put("1"), ticket: try ticket(7))
      _ = try await other.append("a", put("2"))
      _ = try await other.append("a", put("3"), ticket: try ticket(1, of: "another"))
      _ = try await other.call(MarkRequest(document("a"), label: "m"))
      _ = try await other.call(UndoRequest(HistoryReference(document("a"))))
      _ = try await other.call(RedoRequest(HistoryReference(document("a")), author: "bob"))
      _ = try await other.call(MarkRequest(document("a"), label: "n"))
      #expect(
        try await lines(client, "a") == [
          "-, -, 0", "notes: ann, run, 0", "ann, run, 7", "ann, run, 7", "-, another, 1",
          "mark: ann, run, 7", "undo: ann, run, 7", "ann, run, 7", "undo: bob, run, 7",
          "bob, run, 7",
          "mark: ann, run, 7",
        ])
      // The request of this number is still known as the same one.
      let again = try await other.append("a", put("4"), ticket: try ticket(8))
      #expect(!again.duplicate)
      await other.close()
    }
  }

  /// A mark may be the first entry of a session, and an edit of a past time its first edit.
  @Test func theDescriptionIsNoOlderThanWhatItPrecedes() async throws {
    try await withClient { client, daemon in
      let past = AppendEdit(
        action: EditAction(replacing: UTF16Range(0..<0), with: "x"),
        time: Timestamp(nanoseconds: 1_000))
      try await client.introduce(try identity(author: nil))
      _ = try await client.append(AppendRequest(document: document("a"), edits: [past]))
      let times = try await client.entries(of: "a").map { entry in
        switch entry {
        case .edit(let edit): edit.time.nanoseconds
        case .event(let event): event.time.nanoseconds
        }
      }
      #expect(times == [1_000, 1_000])
      let other = try await daemon.connect()
      try await other.introduce(try identity("second"))
      _ = try await other.call(MarkRequest(document("a"), label: "m"))
      #expect(
        try await lines(client, "a") == [
          "notes: -, run, 0", "-, run, 0", "notes: ann, second, 0", "mark: ann, second, 0",
        ])
      await other.close()
    }
  }

  /// The acknowledgements of batches that are logged together, with descriptions between them.
  @Test func runsOfSeveralSessionsAreAcknowledgedRightly() async throws {
    try await withDaemon { daemon in
      let clients = try await daemon.connected(4)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, client) in clients.enumerated() {
          let name = "run \(number)"
          let identity = try identity(name)
          group.addTask {
            try await client.introduce(identity)
            for counter in 1...50 as ClosedRange<UInt64> {
              let edit = put("\(number)\(counter)")
              let result = try await client.append("a", edit, ticket: try ticket(counter, of: name))
              let edits = try await client.call(
                LogRequest(
                  HistoryReference(document("a")),
                  HistoryPart(after: result.first - 1, through: result.sequence)))
              let logged = edits.entries.compactMap {
                if case .edit(let edit) = $0 { edit } else { nil }
              }
              #expect(logged.map(\.action) == [edit.action])
              #expect(logged.first?.session?.name == name)
            }
          }
        }
        try await group.waitForAll()
      }
      let entries = try await clients[0].call(
        LogRequest(HistoryReference(document("a")), HistoryPart(limit: 1_000))
      ).entries
      #expect(entries.count == 204)
      for client in clients { await client.close() }
    }
  }

  @Test func statusShowsWhoIsConnected() async throws {
    try await withClient { client, daemon in
      let other = try await daemon.connect()
      try await other.introduce(try identity())
      let second = try await daemon.connect()
      try await second.introduce(try identity())
      let daemonStatus = try await client.call(StatusRequest()).daemon
      #expect(daemonStatus?.clients == [ConnectedClient(try identity())])
      await second.close()
      await other.close()
      while try await client.call(StatusRequest()).daemon?.clients.isEmpty == false {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  @Test func aBridgeDescribesItsEditor() async throws {
    let name = "file:///none/note.md"
    try await withClient { client, daemon in
      func initialize(_ open: [JSON]) -> JSON {
        [
          "processId": 4711, "clientInfo": ["name": "Neovim", "version": "0.7.2"],
          "initializationOptions": [
            "editlog": [
              "session": "lsp-1", "open": .array(open), "host": "desk", "author": "ann",
            ]
          ],
        ]
      }
      func forward(_ counter: UInt64, _ method: String, _ params: JSON) throws -> (String, JSON) {
        let ticket = try ticket(counter, of: "lsp-1")
        return (
          "editlog/forward", ForwardRequest(ticket: ticket, method: method, params: params).json
        )
      }
      let open = DidOpenParams(uri: document(name), text: "one")
      let change = DidChangeParams(
        uri: document(name), changes: [.init(range: nil, text: "one two")])
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send([
        ("initialize", initialize([])), try forward(1, "textDocument/didOpen", open.json),
      ])
      for _ in 0..<2 { #expect(await raw.next()?["error"] == nil) }
      let clients = try await client.call(StatusRequest()).daemon?.clients ?? []
      #expect(clients.map(\.openCount) == [1])
      #expect(clients.first?.identity.client.version == "0.7.2")
      try await raw.close()
      raw = try await RawClient(to: daemon.socket)
      try await raw.send([
        ("initialize", initialize([JSON(name)])),
        try forward(2, "textDocument/didChange", change.json),
        try forward(3, "textDocument/didClose", TextDocumentParams(uri: document(name)).json),
      ])
      for _ in 0..<3 { #expect(await raw.next()?["error"] == nil) }
      try await raw.close()
      #expect(
        try await lines(client, name) == [
          "Neovim: ann, lsp-1, 0", "ann, lsp-1, 1", "baseline: -, lsp-1, 1", "ann, lsp-1, 2",
          "closed: -, lsp-1, 3",
        ])
    }
  }

  /// The description precedes the event of a rename, also of a document that is not in memory.
  @Test(arguments: [false, true])
  func aRenameIsDescribed(isRestarted: Bool) async throws {
    let folder = TemporaryFolder()
    let (old, new) = ("file:///none/a.md", "file:///none/b.md")
    let rename: JSON = ["files": [["oldUri": JSON(old), "newUri": JSON(new)]]]
    func renamed(_ client: EditLogClient) async throws {
      try await client.introduce(try identity())
      try await client.notify("workspace/didRenameFiles", rename)
      let change = DidOpenParams(uri: document(new), text: "onetwo")
      try await client.notify("textDocument/didOpen", change.json)
      #expect(
        try await lines(client, new) == [
          "-, -, 0", "notes: ann, run, 0", "renamed: -, run, 0", "ann, run, 0",
        ])
    }
    try await withClient(in: folder) { client, _ in
      _ = try await client.append(old, put("one"))
      if !isRestarted { try await renamed(client) }
    }
    if isRestarted { try await withClient(in: folder) { client, _ in try await renamed(client) } }
  }

  @Test func changesAreAnnotatedUntilThatEnds() async throws {
    try await withClient { client, _ in
      let name = "untitled:a"
      func change(_ text: String) async throws {
        let params = DidChangeParams(
          uri: document(name), changes: [.init(range: nil, text: UTF16Text(text))])
        try await client.notify("textDocument/didChange", params.json)
      }
      func annotate(origin: Origin? = nil, author: String? = nil, agent: String? = nil) async throws
      {
        _ = try await client.call(
          AnnotateRequest(document(name), origin: origin, author: author, agent: agent))
      }
      try await client.introduce(try identity())
      let open = DidOpenParams(uri: document(name), text: "")
      try await client.notify("textDocument/didOpen", open.json)
      try await change("a")
      try await annotate(origin: .paste)
      try await change("ab")
      try await change("abc")
      try await client.notify(
        "editlog/annotate", AnnotateRequest(document(name), agent: "claude").params)
      try await change("abcd")
      try await annotate(origin: .format, agent: "claude")
      try await change("abcde")
      try await annotate(author: "bob")
      try await change("abcd")
      try await annotate()
      try await change("abcde")
      let edits = try await client.edits(of: name)
      #expect(
        edits.map { "\($0.origin.name) \($0.author ?? "-")" } == [
          "typing ann", "paste ann", "paste ann", "program claude", "format claude", "removal bob",
          "typing ann",
        ])
      let error = await refusal {
        for number in 0...1_024 {
          _ = try await client.call(AnnotateRequest(document("d\(number)"), origin: .paste))
        }
      }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func aNativeClientIsDescribedToo() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello("run", author: "ann", of: try identity().client)
      try await connection.send(try NativeConnection.batch("a", 1, [put("1")]))
      guard case .ack(let ack)? = await connection.settled() else {
        return #expect(Bool(false), "no ack")
      }
      #expect(ack.edits == 1...1)
      #expect(try await lines(client, "a") == ["notes: ann, run, 0", "ann, run, 1"])
      try await connection.close()
    }
  }

  @Test(
    arguments: [
      (["author": ""], "author must be a name of 1 to 1024 bytes"),
      (["host": ""], "host must be a name of 1 to 256 bytes"),
      (
        ["client": .string(JSONString(String(repeating: "a", count: 257)))], "client must be a name"
      ),
      (["process": 0], "process must be"), (["process": 4_294_967_296], "process must be"),
      (["session": ""], "session must be"),
    ] as [(JSON, String)])
  func otherDescriptionsAreRefused(members: JSON, message: String) async throws {
    try await withClient { client, _ in
      var editlog: JSONObject = ["session": "run", "client": "notes"]
      for member in try members.asObject().members { editlog[member.name] = member.value }
      let params: JSON = ["initializationOptions": ["editlog": .object(editlog)]]
      let error = await refusal { try await client.call("initialize", params) }
      #expect(error?.code == .invalidParams)
      #expect(
        error?.message.contains("params.initializationOptions.editlog." + message) == true,
        "\(error?.message ?? "")")
    }
  }
}

extension RunningDaemon {
  /// This number of connections.
  fileprivate func connected(_ count: Int) async throws -> [EditLogClient] {
    var clients: [EditLogClient] = []
    for _ in 0..<count { clients.append(try await connect()) }
    return clients
  }
}
