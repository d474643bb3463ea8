import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import Glibc
import Testing
import TestSupport

/// Editors on the socket: the subset of LSP.
@Suite(.timeLimit(.minutes(10))) struct ServerEditorTests {
  /// Not a file URI: nothing on this machine is compared with it.
  private static let note = "untitled:note.md"

  private func changed(_ name: String, _ changes: (Int, Int, Int, Int, String)...) -> JSON {
    DidChangeParams(
      uri: document(name),
      changes: changes.map { line, start, endLine, end, text in
        .init(
          range: LSPRange(
            start: LSPPosition(line: line, character: start),
            end: LSPPosition(line: endLine, character: end)), text: UTF16Text(text))
      }
    ).json
  }

  private func opened(_ name: String, _ text: String) -> JSON {
    DidOpenParams(uri: document(name), text: UTF16Text(text)).json
  }

  private func saved(_ name: String, _ text: String) -> JSON {
    DidSaveParams(uri: document(name), text: UTF16Text(text)).json
  }

  private func closed(_ name: String) -> JSON { TextDocumentParams(uri: document(name)).json }

  private func digest(_ text: String) throws -> ContentDigest {
    try #require(ContentDigest(bytes: SHA256.hash(Array(text.utf8))))
  }

  @Test func aWholeSessionEndsWithTheSameText() async throws {
    try await withClient { client, _ in
      _ = try await client.call("initialize", ["clientInfo": ["name": "an editor"]])
      try await client.notify("initialized")
      try await client.notify("textDocument/didOpen", opened(Self.note, "one\ntwo\n"))
      try await client.notify(
        "textDocument/didChange",
        changed(Self.note, (1, 3, 1, 3, " and a half"), (0, 0, 1, 0, "ONE\n")))
      try await client.notify("textDocument/didChange", changed(Self.note, (2, 0, 2, 0, "😀")))
      let text = "ONE\ntwo and a half\n😀"
      try await client.notify("textDocument/didSave", saved(Self.note, text))
      try await client.notify("textDocument/didClose", closed(Self.note))
      #expect(try await client.text(of: Self.note) == text)
      #expect(
        try await client.events(of: Self.note) == [
          .baseline(try digest("one\ntwo\n")), .saved(try digest(text)), .closed(unsaved: false),
        ])
      let edits = try await client.edits(of: Self.note)
      #expect(edits.map(\.transaction) == [1, 2, 2, 4])
      #expect(edits.map(\.origin) == [.load, .typing, .typing, .typing])
    }
  }

  /// If an editor ends without a message, its open documents are closed.
  @Test func aLostConnectionClosesItsDocuments() async throws {
    try await withClient { client, daemon in
      let editor = try await daemon.connect()
      _ = try await editor.call("initialize")
      for name in [Self.note, "untitled:other"] {
        try await editor.notify("textDocument/didOpen", opened(name, "text"))
      }
      try await editor.notify("textDocument/didChange", changed(Self.note, (0, 4, 0, 4, "!")))
      #expect(try await editor.text(of: Self.note) == "text!")
      await editor.close()
      for (name, unsaved) in [(Self.note, true), ("untitled:other", false)] {
        #expect(try await lastEvent(of: name, client) == .closed(unsaved: unsaved))
      }
    }
  }

  /// An edit from elsewhere is refused, and nothing is logged: the editor would not know of it.
  @Test func anAppendIsRefusedWhileAnEditorHasTheDocument() async throws {
    try await withClient { client, daemon in
      _ = try await client.append(Self.note, put("text"))
      let editor = try await daemon.connect()
      _ = try await editor.call("initialize", ["clientInfo": ["name": "Neovim"]])
      try await editor.notify("textDocument/didOpen", opened(Self.note, "text"))
      #expect(try await editor.text(of: Self.note) == "text")
      let request = AppendRequest(
        document: document(Self.note), origin: .external, edits: [put("new ")])
      let error = await refusal { try await client.append(request) }
      #expect(error?.code == .openInEditor)
      #expect(error?.message.contains("open in Neovim") == true)
      #expect(
        await refusal { try await client.call(UndoRequest(HistoryReference(document(Self.note)))) }?
          .code == .openInEditor)
      #expect(try await client.text(of: Self.note) == "text")
      // Another document is not concerned.
      var other = request
      other.document = document("untitled:other")
      _ = try await client.append(other)
      try await editor.notify("textDocument/didClose", closed(Self.note))
      #expect(try await lastEvent(of: Self.note, client) == .closed(unsaved: false))
      _ = try await client.append(request)
      #expect(try await client.text(of: Self.note) == "new text")
      await editor.close()
    }
  }

  /// The last event of a document, once there is one. The daemon is asked until it has noticed that
  /// the peer is gone.
  private func lastEvent(of name: String, _ client: EditLogClient) async throws
    -> HistoryEvent.Kind?
  {
    for _ in 0..<10_000 {
      let last = try await client.events(of: name).last
      if case .closed = last { return last }
      await Task.yield()
    }
    return nil
  }

  @Test func aRenamedDocumentKeepsItsHistory() async throws {
    let folder = TemporaryFolder()
    let new = "untitled:new.md"
    try await withClient(in: folder) { client, _ in
      _ = try await client.call("initialize")
      try await client.notify("textDocument/didOpen", opened(Self.note, "text"))
      let rename = DidRenameFilesParams.Rename(
        oldURI: document(Self.note), newURI: document(new))
      try await client.notify(
        "workspace/didRenameFiles", DidRenameFilesParams(files: [rename]).json)
      try await client.notify("textDocument/didChange", changed(new, (0, 4, 0, 4, "!")))
      #expect(try await client.text(of: new) == "text!")
      #expect(await refusal { try await client.text(of: Self.note) }?.code == .unknownDocument)
      #expect(
        try await client.events(of: new) == [
          .baseline(try digest("text")), .renamed(from: document(Self.note)),
        ])
      try await client.notify("textDocument/didClose", closed(new))
      // The old name is free for another document.
      _ = try await client.append(Self.note, put("another"))
    }
    try await withClient(in: folder) { client, _ in
      let texts = try await [client.text(of: new), client.text(of: Self.note)]
      #expect(texts == ["text!", "another"])
      let events = try await client.events(of: new)
      #expect(events.count == 3)
      // All of it was sealed when the first daemon stopped, under either name.
      let status = try await client.call("editlog/status")
      #expect(status["unsealedEntries"] == 0)
    }
  }

  @Test func aDocumentIsRenamedOnRequest() async throws {
    try await withClient { client, daemon in
      func rename(_ old: String, _ new: String) async -> ProtocolError? {
        await refusal { try await client.call(RenameRequest(document(old), to: document(new))) }
      }
      _ = try await client.append("a", put("text"))
      _ = try await client.append("b", put("other"))
      #expect(await rename("c", "d")?.code == .unknownDocument)
      #expect(await rename("a", "b")?.code == .invalidParams)
      #expect(await rename("a", "a")?.code == .invalidParams)
      let editor = try await daemon.connect()
      _ = try await editor.call("initialize", ["clientInfo": ["name": "Neovim"]])
      for name in ["a", "new"] {
        try await editor.notify("textDocument/didOpen", opened(name, name == "a" ? "text" : ""))
      }
      #expect(try await editor.text(of: "a") == "text")
      let error = await rename("a", "c")
      #expect(error?.code == .openInEditor)
      #expect(error?.message == "a is open in Neovim, so a keeps its name; close it there")
      #expect(await rename("b", "new")?.code == .openInEditor)
      await editor.close()
      try await until { await rename("a", "c") == nil }
      // In one write, and a document that was created a moment ago.
      let appended = AppendRequest(document: document("e"), edits: [put("new")])
      let renames = [("c", "d"), ("d", "a")].map { old, new in
        RenameRequest(document(old), to: document(new))
      }
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send(
        [(AppendRequest.method, appended.params)]
          + renames.map { (RenameRequest.method, $0.params) })
      for id in 1...3 {
        let answer = try #require(await raw.answer(to: id))
        #expect(answer["error"] == nil)
      }
      try await raw.close()
      _ = try await client.call(RenameRequest(document("e"), to: document("c")))
      let texts = try await [client.text(of: "a"), client.text(of: "b"), client.text(of: "c")]
      #expect(texts == ["text", "other", "new"])
      let from = try await client.events(of: "a").compactMap { event in
        if case .renamed(let from) = event { from.name } else { nil }
      }
      #expect(from == ["a", "c", "d"])
    }
  }

  /// "Save as", as Neovim and eglot tell it: a save under a name that is not open. The old document
  /// stays, and the new one names the version it begins with.
  @Test func aDocumentThatIsSavedUnderAnotherNameIsACopy() async throws {
    let folder = TemporaryFolder()
    let (old, new) = ("file://" + folder.path("old.md"), "file://" + folder.path("new.md"))
    try folder.write("one\n", to: "old.md")
    try await withClient(in: folder) { client, _ in
      _ = try await client.call("initialize", ["clientInfo": ["name": "Neovim"]])
      try await client.notify("textDocument/didOpen", opened(old, "one\n"))
      try await client.notify("textDocument/didChange", changed(old, (1, 0, 1, 0, "two\n")))
      try folder.write("one\ntwo\n", to: "new.md")
      try await client.notify("textDocument/didSave", saved(new, "one\ntwo\n"))
      try await client.notify("textDocument/didChange", changed(new, (0, 0, 0, 0, "new ")))
      #expect(try await client.text(of: new) == "new one\ntwo\n")
      #expect(try await client.text(of: old) == "one\ntwo\n")
      let digest = try digest("one\ntwo\n")
      let events = try await client.events(of: new)
      #expect(
        events == [.copied(from: document(old), at: 2), .baseline(digest), .saved(digest)])
      #expect(try await client.events(of: old).last == .closed(unsaved: true))
      // The old document is not open any more.
      _ = try await client.append(old, put("three\n", at: 8))
      let origins = try await client.edits(of: new).map(\.origin)
      #expect(origins == [.load, .typing])
    }
    try await withClient(in: folder) { client, _ in
      let (event, text) = (try await client.events(of: new).first, try await client.text(of: old))
      #expect(event == .copied(from: document(old), at: 2))
      #expect(text == "one\ntwo\nthree\n")
    }
  }

  /// "Save as", as lsp-mode tells it: a close, then an open.
  @Test func aDocumentThatIsOpenedWithTheTextOfOneJustClosedIsACopy() async throws {
    let folder = TemporaryFolder()
    let (old, new) = ("file://" + folder.path("old.md"), "file://" + folder.path("new.md"))
    let text = "one\n" + String(repeating: "A long line of a long text.\n", count: 40_000)
    try folder.write("one\n", to: "old.md")
    try await withClient(in: folder) { client, _ in
      _ = try await client.call("initialize")
      try await client.notify("textDocument/didOpen", opened(old, text))
      try await client.notify("textDocument/didClose", closed(old))
      try await client.notify("textDocument/didOpen", opened(new, text))
      #expect(try await client.events(of: new).first == .copied(from: document(old), at: 1))
      #expect(try await client.text(of: new) == text)
    }
  }

  /// A bridge forwards the messages of its editor, with tickets.
  private func forward(_ counter: UInt64, _ method: String, _ params: JSON) throws
    -> (method: String, params: JSON)
  {
    let request = ForwardRequest(
      ticket: try ticket(counter, of: "bridge"), method: method, params: params)
    return ("editlog/forward", request.json)
  }

  @Test func whatABridgeSendsAgainHappensOnce() async throws {
    let folder = TemporaryFolder()
    let attachment: JSON = [
      "initializationOptions": ["editlog": ["session": "bridge", "open": []]]
    ]
    let messages = try [
      forward(1, "textDocument/didOpen", opened(Self.note, "one\n")),
      forward(2, "textDocument/didChange", changed(Self.note, (1, 0, 1, 0, "two\n"))),
      forward(3, "textDocument/didChange", changed(Self.note, (0, 0, 0, 3, "ONE"))),
      forward(4, "textDocument/willSave", closed(Self.note)),
      forward(5, "textDocument/didSave", saved(Self.note, "ONE\ntwo\n")),
    ]
    var entries: [HistoryEntry] = []
    try await withDaemon(in: folder) { daemon in
      // Sent, and sent again over a second connection, each time from the start.
      for _ in 0..<2 {
        var raw = try await RawClient(to: daemon.socket)
        try await raw.send([("initialize", attachment)] + messages, from: 0)
        #expect(await raw.next()?["id"] == 0)
        for counter in 1...5 {
          let answer = await raw.next()
          #expect(answer?["id"] == JSON(counter))
          #expect(answer?["result"]?["counter"] == JSON(counter))
        }
        try await raw.close()
      }
      let client = try await daemon.connect()
      entries = try await client.entries(of: Self.note)
      #expect(try await client.text(of: Self.note) == "ONE\ntwo\n")
      await client.close()
    }
    #expect(entries.count == 5)
    // A restarted daemon has the text from the log; the bridge names its open documents.
    try await withDaemon(in: folder) { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let open: JSON = [
        "initializationOptions": ["editlog": ["session": "bridge", "open": [JSON(Self.note)]]]
      ]
      let more = try [
        messages[2], messages[4],
        forward(6, "textDocument/didChange", changed(Self.note, (2, 0, 2, 0, "three"))),
        forward(7, "textDocument/didClose", closed(Self.note)),
      ]
      try await raw.send([("initialize", open)] + more, from: 0)
      for id in 0...4 { #expect(await raw.next()?["error"] == nil, "answer \(id)") }
      try await raw.close()
      let client = try await daemon.connect()
      let later = try await client.entries(of: Self.note)
      #expect(later.count == 7)
      #expect(later.starts(with: entries))
      #expect(try await client.text(of: Self.note) == "ONE\ntwo\nthree")
      await client.close()
    }
  }

  /// A change of a document that the bridge's editor never opened is logged whole, though one
  /// message then means an opening and a change.
  @Test func aForwardedChangeOpensItsDocument() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let whole = DidChangeParams(
        uri: document(Self.note),
        changes: [
          .init(range: nil, text: "first"),
          .init(
            range: LSPRange(
              start: LSPPosition(line: 0, character: 5), end: LSPPosition(line: 0, character: 5)),
            text: " second"),
        ])
      let message = try forward(1, "textDocument/didChange", whole.json)
      for id in 1...2 {
        try await raw.send([message], from: id)
        #expect(await raw.next()?["result"]?["durable"] == true)
      }
      let client = try await daemon.connect()
      #expect(try await client.text(of: Self.note) == "first second")
      await client.close()
      try await raw.close()
    }
  }

  /// To acknowledge what is not read would say that it is logged.
  @Test(arguments: [
    ("textDocument/didOpenn", false), ("editlog/append", false), ("textDocument/hover", false),
    ("initialize", false), ("initialized", false), ("shutdown", false), ("exit", false),
    ("", false), ("$", false),
    ("textDocument/willSave", true), ("workspace/didChangeConfiguration", true),
    ("workspace/didChangeWatchedFiles", true), ("workspace/didChangeWorkspaceFolders", true),
    ("workspace/didCreateFiles", true), ("workspace/didDeleteFiles", true),
    ("window/workDoneProgress/cancel", true), ("notebookDocument/didOpen", true),
    ("notebookDocument/didChange", true), ("notebookDocument/didSave", true),
    ("notebookDocument/didClose", true), ("$/setTrace", true), ("$/cancelRequest", true),
    ("$/progress", true), ("$/kite/whatever", true),
  ])
  func `only what an editor says is acknowledged`(method: String, isTaken: Bool) async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let open = try forward(2, "textDocument/didOpen", opened(Self.note, "one"))
      try await raw.send([try forward(1, method, ["any": "thing"]), open])
      let answer = await raw.answer(to: 1)
      if isTaken {
        #expect(answer?["result"] == ["counter": 1, "durable": true])
      } else {
        #expect(answer?["error"]?["data"]?["name"] == "invalidParams")
        let message = try answer?["error"]?["message"]?.asString() ?? ""
        #expect(message.contains(method.isEmpty ? "a name of 0 bytes" : method))
      }
      // A bridge continues after a request that is refused for good.
      #expect(
        await raw.answer(to: 2)?["result"] == [
          "counter": 2, "durable": true, "document": JSON(Self.note), "sequence": 1,
        ])
      try await raw.close()
    }
  }

  @Test func `a method's name that is none is not repeated`() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let text = String(repeating: "a\n", count: 50_000)
      try await raw.send([try forward(1, text, .null), (text, .null)])
      for id in 1...2 {
        let message = try await raw.answer(to: id)?["error"]?["message"]?.asString() ?? text
        #expect(message.contains("a name of 100000 bytes") && message.utf8.count < 200)
      }
      try await raw.close()
    }
  }

  /// A bridge's documents outlive its connection: only its own word closes them.
  @Test func aBridgesDocumentsStayOpen() async throws {
    try await withClient { client, daemon in
      let attachment: JSON = [
        "initializationOptions": ["editlog": ["session": "bridge", "open": []]]
      ]
      var raw = try await RawClient(to: daemon.socket)
      let open = try forward(1, "textDocument/didOpen", opened(Self.note, "one"))
      try await raw.send([("initialize", attachment), open])
      for _ in 0..<2 { _ = await raw.next() }
      try await raw.close()
      raw = try await RawClient(to: daemon.socket)
      let change = try forward(2, "textDocument/didChange", changed(Self.note, (0, 3, 0, 3, "!")))
      try await raw.send([("initialize", attachment), change])
      for _ in 0..<2 { _ = await raw.next() }
      #expect(try await client.text(of: Self.note) == "one!")
      #expect(try await client.events(of: Self.note).count == 1)
      try await raw.close()
    }
  }
}
