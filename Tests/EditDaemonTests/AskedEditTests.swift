import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditModel
import EditProtocol
import Testing
import TestSupport

/// Changes from elsewhere to a document that is open in an editor go through that editor.
@Suite(.timeLimit(.minutes(10))) struct AskedEditTests {
  private static let note = "untitled:note.md"
  private let folder = TemporaryFolder()

  /// Runs `body` with a daemon, a client, and an editor that has the document open with a text.
  private func withEditor(
    _ text: String, _ manner: FakeEditor.Manner = .applies, client name: String = "helix",
    appliesEdits: Bool = true, showsDocuments: Bool = false, within seconds: Int64 = 60,
    seed: UInt64 = 1,
    _ body: (FakeEditor, EditLogClient) async throws -> Void
  ) async throws {
    try await withDaemon(in: folder, { $0.ingest.askingSeconds = seconds }) { daemon in
      let client = try await daemon.connect()
      let editor = FakeEditor(
        Self.note, text, manner: manner, client: name, appliesEdits: appliesEdits,
        showsDocuments: showsDocuments,
        socket: daemon.socket, spool: folder.path("spool"), seed: seed)
      try await until { (try? await client.text(of: Self.note)) == text }
      try await body(editor, client)
      await editor.quit()
      await client.close()
    }
  }

  private func request(
    _ edits: [AppendEdit], counter: UInt64 = 1, base: SequenceNumber? = nil,
    atRest: Bool = false
  ) throws -> AppendRequest {
    AppendRequest(
      document: document(Self.note), base: base,
      ticket: RequestTicket(session: try #require(SessionID("agent-1")), counter: counter),
      author: "agent", origin: .program, atRest: atRest, edits: edits)
  }

  private func replacement(_ range: Range<Int>, _ text: String) -> AppendEdit {
    AppendEdit(
      action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)), transaction: 0)
  }

  private func code(
    of request: AppendRequest, _ client: EditLogClient
  ) async throws -> ProtocolError? {
    do {
      _ = try await client.append(request)
      return nil
    } catch { return error as? ProtocolError }
  }

  private func expectOpen(_ request: AppendRequest, _ client: EditLogClient) async throws {
    let error = try await code(of: request, client)
    #expect(error?.code == .openInEditor)
  }

  @Test(arguments: ["helix", "emacs"], [true, false])
  func `the editor makes the edits, and they are logged as asked`(
    client name: String, isReportedFirst: Bool
  ) async throws {
    // CR LF, a lone CR, characters of every plane, an end of file with and without a newline.
    for (index, text) in ["one\r\ntwo", "a\u{1F600}b\rc\n\u{20B9F}d\n", "", "\n"].enumerated() {
      let test = AskedEditTests()
      try await test.withEditor(
        text, isReportedFirst ? .reportsFirst : .applies, client: name, seed: UInt64(index + 1)
      ) { editor, client in
        let end = text.utf16.count
        let first = try await client.append(
          try request([replacement(end..<end, "e\u{1F469}\r\nz")]))
        #expect(editor.text == text + "e\u{1F469}\r\nz")
        let second = try await client.append(
          try request([replacement(0..<0, "S"), replacement(1..<1, "T\n")], counter: 2))
        #expect(second.first == first.sequence + 1 && second.sequence == first.sequence + 2)
        #expect(editor.text == "ST\n" + text + "e\u{1F469}\r\nz")
        #expect(try await client.text(of: Self.note) == editor.text)
        let edits = try await client.edits(of: Self.note).suffix(3)
        #expect(edits.allSatisfy { $0.author == "agent" && $0.origin == .program })
        #expect(edits.map(\.counter) == [1, 2, 2])
        // Both edits of a request are one transaction.
        #expect(edits.map(\.transaction) == [first.sequence, second.first, second.first])
        // Sent again after a lost answer.
        let again = try await client.append(
          try request([replacement(0..<0, "S"), replacement(1..<1, "T\n")], counter: 2))
        #expect(again.sequence == second.sequence && editor.askedCount == 2)
        editor.type("x", at: 2)
        editor.report()
        try await until { try await client.text(of: Self.note) == editor.text }
      }
    }
  }

  /// An undo goes through the editor, which then selects what was selected before the edits.
  @Test(arguments: [false, true], ["helix", "emacs"])
  func `an undo gives the selection back to the editor`(
    shows: Bool, client name: String
  ) async throws {
    let text = "a\u{1F600}b\nsecond\n"
    try await withEditor(text, client: name, showsDocuments: shows) { editor, client in
      var edit = replacement(7..<10, "X")
      edit.selection = try EditSelection(
        before: [SelectedRange(7..<10)], after: [SelectedRange(8..<8), SelectedRange(1..<3)])
      _ = try await client.append(try request([edit]))
      let history = HistoryReference(document(Self.note))
      let undone = try await client.call(UndoRequest(history))
      #expect(editor.text == text && undone.selection == [SelectedRange(7..<10)])
      let redone = try await client.call(RedoRequest(history))
      #expect(redone.selection == [SelectedRange(8..<8), SelectedRange(1..<3)])
      let logged = try await client.edits(of: Self.note).suffix(3).map(\.selection)
      #expect(logged.first == edit.selection)
      #expect(logged.dropFirst().map { $0?.after } == [undone.selection, redone.selection])
      guard shows else { return #expect(editor.shown.isEmpty) }
      try await until { editor.shown.count == 3 }
      let columns = [3...3, 2...5, 3...3]
      let places = columns.map { columns in
        LSPRange(
          start: LSPPosition(line: 1, character: columns.lowerBound),
          end: LSPPosition(line: 1, character: columns.upperBound)
        ).json
      }
      #expect(editor.shown.map { $0["selection"] } == places)
      #expect(editor.shown.allSatisfy { $0["uri"] == JSON(Self.note) && $0["takeFocus"] == false })
    }
  }

  /// Attributes that an editor sets through its bridge are those of what is typed in it next.
  @Test func `an editor behind a bridge has typing attributes`() async throws {
    try await withEditor("one\n") { editor, client in
      func runs() async throws -> [Int] {
        try await client.call(StateRequest(HistoryReference(document(Self.note)))).attributeRuns
          .map { $0.attributes.isEmpty ? -$0.length : $0.length }
      }
      let bold: JSON = ["merge": ["bold": true]]
      let params: JSON = ["document": JSON(Self.note), "attributes": bold]
      #expect(try await editor.ask("editlog/typingAttributes", params) == ["attributes": bold])
      editor.type("bold", at: 3)
      editor.type("", at: 0, removing: 1)
      editor.report()
      try await until { try await client.text(of: Self.note) == "nebold\n" }
      #expect(try await runs() == [-2, 4, -1])
      #expect(
        try await editor.ask("editlog/typingAttributes", ["document": JSON(Self.note)]) == [:])
      editor.type("p", at: 0)
      editor.report()
      try await until { try await client.text(of: Self.note) == "pnebold\n" }
      #expect(try await runs() == [-3, 4, -1])
      for params in [
        ["document": JSON(Self.note), "attributes": bold, "origin": "paste"],
        ["document": JSON(Self.note), "attributes": ["bold": true]], [:],
      ] as [JSON] {
        let error = await #expect(throws: ProtocolError.self) {
          try await editor.ask("editlog/typingAttributes", params)
        }
        #expect(error?.code == .invalidParams)
      }
    }
  }

  /// Requests of one session that are acknowledged in another order than they were sent.
  @Test func `batches of the native dialect go through the editor`() async throws {
    try await withEditor("one\n", .reportsFirst) { editor, client in
      let appender = try await ResilientAppender.connect(
        to: RunningDaemon.socket(in: folder), session: SessionID.newRun(of: "test"))
      try await appender.append(
        AppendRequest(document: document(Self.note), edits: [replacement(4..<4, "two\n")]))
      for index in 0..<100 {
        try await appender.append(
          AppendRequest(document: document("b"), edits: [put("x", at: index)]))
      }
      try await appender.flush()
      #expect(editor.text == "one\ntwo\n" && editor.askedCount == 1)
      #expect(try await client.text(of: Self.note) == editor.text)
      #expect(try await client.text(of: "b").count == 100)
      try await appender.append(
        AppendRequest(
          document: document(Self.note), atRest: true, edits: [replacement(0..<0, "no")]))
      let error = await #expect(throws: ProtocolError.self) { try await appender.flush() }
      #expect(error?.code == .openInEditor)
      await appender.close()
    }
  }

  @Test func `undo and redo go through the editor`() async throws {
    try await withEditor("one\n") { editor, client in
      editor.type("two", at: 4)
      editor.report()
      try await until { try await client.text(of: Self.note) == "one\ntwo" }
      _ = try await client.call(UndoRequest(HistoryReference(document(Self.note))))
      #expect(editor.text == "one\n")
      _ = try await client.call(RedoRequest(HistoryReference(document(Self.note))))
      #expect(editor.text == "one\ntwo")
      #expect(try await client.text(of: Self.note) == "one\ntwo")
      #expect(
        try await client.edits(of: Self.note).map(\.origin) == [.load, .typing, .undo, .redo])
    }
  }

  @Test(arguments: [
    (FakeEditor.Manner.refuses, "it refused"), (.fails, "it refused"),
    (.ignores, "did not make them within 2 s"), (.lies, "did not make them within 2 s"),
    (.dies, "its connection ended"),
  ])
  func `an editor that does not make the edits is named`(
    manner: FakeEditor.Manner, words: String
  ) async throws {
    // Only an editor that takes too long is waited for in vain.
    let seconds: Int64 = words.contains("2 s") ? 2 : 60
    try await withEditor("one", manner, within: seconds) { editor, client in
      let error = try await code(of: request([replacement(0..<0, "x")]), client)
      #expect(error?.code == .openInEditor)
      let message = error?.message ?? ""
      // A bridge may close the document before its connection ends.
      let isWord = message.contains(words) || message.contains("it closed the document")
      #expect(message.contains("is open in helix") && isWord, "\(message)")
      if case .dies = manner { return }
      #expect(editor.text == "one")
      #expect(try await client.text(of: Self.note) == "one")
    }
  }

  @Test func `an editor that cannot is not asked, nor is any for a request at rest`() async throws {
    try await withEditor("one", appliesEdits: false) { editor, client in
      try await expectOpen(try request([replacement(0..<0, "x")]), client)
      #expect(editor.askedCount == 0)
    }
    let test = AskedEditTests()
    try await test.withEditor("one") { editor, client in
      let edits = [replacement(0..<0, "x")]
      try await expectOpen(try request(edits, atRest: true), client)
      // LSP has no position inside a surrogate pair, and no attributes.
      editor.type("\u{1F600}", at: 0)
      editor.report()
      try await until { try await client.text(of: Self.note) == "\u{1F600}one" }
      let half = [replacement(1..<1, "x")]
      try await expectOpen(try request(half, counter: 2), client)
      #expect(editor.askedCount == 0)
    }
  }

  @Test func `a second request for the document may be sent again, one at rest is refused`()
    async throws
  {
    try await withEditor("one", .ignores, within: 20) { editor, client in
      let first = try request([replacement(0..<0, "x")])
      async let error = code(of: first, client)
      try await until { editor.askedCount == 1 }
      // The same request, as after a lost answer, and another one.
      for counter in 1...2 as ClosedRange<UInt64> {
        let again = try request([replacement(0..<0, "x")], counter: counter)
        #expect(try await code(of: again, client)?.code == .overloaded)
      }
      var resting = try request([replacement(0..<0, "x")], atRest: true)
      // Later requests of the session wait for those that may be sent again.
      resting.ticket = nil
      try await expectOpen(resting, client)
      #expect(try await error?.code == .openInEditor)
      #expect(editor.askedCount == 1)
    }
  }

  @Test func `what is reported too late is the editor's own`() async throws {
    try await withEditor("one", .isLate(.seconds(4)), within: 2) { editor, client in
      try await expectOpen(try request([replacement(3..<3, "x")]), client)
      try await until { try await client.text(of: Self.note) == "onex" }
      let last = try await client.edits(of: Self.note).last
      #expect(last?.author == nil && last?.origin == .typing)
    }
  }

  @Test func `typing at the same time is never attributed to the requester`() async throws {
    try await withEditor("one", .typesBefore("ab")) { editor, client in
      try await expectOpen(try request([replacement(3..<3, "x")]), client)
      try await until { try await client.text(of: Self.note) == editor.text }
      #expect(try await client.edits(of: Self.note).allSatisfy { $0.author == nil })
      editor.set(.typesAfter("cd"))
      let result = try await client.append(try request([replacement(5..<5, "!")], counter: 2))
      try await until { try await client.text(of: Self.note) == editor.text }
      let edits = try await client.edits(of: Self.note)
      #expect(edits.filter { $0.author == "agent" }.map(\.sequence) == [result.sequence])
      #expect(edits.last?.origin == .typing && edits.last?.author == nil)
    }
  }

  /// The buffer is the log after every step, and each request is logged exactly as asked or not at all.
  @Test(arguments: seeds(8))
  func `an editor that types at random times`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let words = ["a", "\n", "\r\n", "\u{1F600}", "e\u{301}", "\u{20B9F}x", "word "]
    try await withEditor(
      "start\n", client: Bool.random(using: &random) ? "emacs" : "helix"
    ) { editor, client in
      var logged = 0
      for counter in 1...8 as ClosedRange<UInt64> {
        let known = Array(try await client.text(of: Self.note).utf16)
        let start = Self.whole(Int.random(in: 0...known.count, using: &random), known)
        let end = Self.whole(
          min(known.count, start + Int.random(in: 0...3, using: &random)), known)
        let word = words.randomElement(using: &random) ?? ""
        let base = try await client.edits(of: Self.note).last?.sequence
        let asked = try request(
          [replacement(start..<max(start, end), word)], counter: counter, base: base)
        let isQuiet = Bool.random(using: &random)
        let manners: [FakeEditor.Manner] = [
          .applies, .reportsFirst, .typesAfter("T"), .typesBefore("B"), .refuses,
        ]
        editor.set(isQuiet ? .applies : manners.randomElement(using: &random) ?? .applies)
        async let answer = code(of: asked, client)
        if !isQuiet {
          editor.type(
            words.randomElement(using: &random) ?? "",
            at: Int.random(in: 0...known.count, using: &random),
            removing: Int.random(in: 0...2, using: &random))
          if Bool.random(using: &random) { editor.report() }
        }
        let error = try await answer
        if error == nil { logged += 1 }
        #expect(
          error == nil || error?.code == .openInEditor || error?.code == .sequenceConflict,
          "seed \(seed), request \(counter): \(error?.message ?? "")")
        editor.report()
        try await until { try await client.text(of: Self.note) == editor.text }
        let own = try await client.edits(of: Self.note).filter { $0.author == "agent" }
        #expect(own.count == logged, "seed \(seed), request \(counter)")
        if error == nil { #expect(own.last?.action == asked.edits[0].action) }
      }
      #expect(logged > 0)
    }
  }

  /// The offset, not inside a surrogate pair.
  private static func whole(_ offset: Int, _ units: [UInt16]) -> Int {
    offset > 0 && offset < units.count && UTF16.isTrailSurrogate(units[offset])
      ? offset - 1 : offset
  }
}
