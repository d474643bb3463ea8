import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// `editlog/typingAttributes`, compositions and `editlog/style` over a real socket.
@Suite(.timeLimit(.minutes(10))) struct TypingAttributesTests {
  private let bold: AttributeSet = ["bold": .bool(true)]

  private func runs(_ client: EditLogClient, _ name: String) async throws -> [String] {
    let state = try await client.call(StateRequest(HistoryReference(document(name))))
    return state.attributeRuns.map { run in
      "\(run.length) \(run.attributes.map { "\($0.name)" }.joined(separator: ","))"
    }
  }

  private func edit(
    _ range: Range<Int>, _ text: String, _ origin: Origin? = nil, composition: String? = nil
  ) -> AppendEdit {
    AppendEdit(
      action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)), origin: origin,
      composition: composition)
  }

  /// Only inserted units of typed edits, in a group too, and only those of this connection.
  @Test func typedUnitsGetTheAttributes() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("one two"))
      let answer = try await client.call(
        TypingAttributesRequest(document("a"), .merge(bold)))
      #expect(answer.attributes == .merge(bold))
      _ = try await client.append("a", edit(0..<0, "x"), edit(8..<8, "y"), edit(4..<5, ""))
      #expect(try await runs(client, "a") == ["1 bold", "6 ", "1 bold"])
      _ = try await client.append("a", edit(3..<3, "p", .paste), edit(3..<3, "q", .program))
      #expect(try await runs(client, "a") == ["1 bold", "8 ", "1 bold"])
      let other = try await daemon.connect()
      _ = try await other.append("a", edit(4..<4, "z"))
      await other.close()
      #expect(try await runs(client, "a") == ["1 bold", "9 ", "1 bold"])
      let own = try EditAction(
        range: UTF16Range(4..<4), replacement: "w",
        attributes: .set([AttributeRun(length: 1, attributes: ["own": .integer(1)])]))
      _ = try await client.append("a", AppendEdit(action: own))
      _ = try await client.append("b", put("other"))
      #expect(try await runs(client, "a") == ["1 bold", "3 ", "1 own", "6 ", "1 bold"])
      #expect(try await runs(client, "b") == ["5 "])
      #expect(try await client.call(TypingAttributesRequest(document("a"), nil)).attributes == nil)
      _ = try await client.append("a", edit(2..<2, "v"))
      #expect(try await runs(client, "a").first == "1 bold")
    }
  }

  @Test func eachKindOfChangeApplies() async throws {
    try await withClient { client, _ in
      let first = try EditAction(
        range: UTF16Range(0..<0), replacement: "ab",
        attributes: .set([
          AttributeRun(length: 2, attributes: ["bold": .bool(true), "x": .integer(1)])
        ]))
      _ = try await client.append("a", AppendEdit(action: first))
      for (intent, expected) in [
        (AttributeIntent.merge(["y": .integer(2)]), "1 bold,x,y"),
        (.set(["z": .bool(true)]), "1 z"),
        (.remove(["bold"]), "1 x"),
      ] {
        _ = try await client.call(TypingAttributesRequest(document("a"), intent))
        _ = try await client.append("a", edit(1..<1, "t"))
        #expect(try await runs(client, "a")[1] == expected)
        _ = try await client.append("a", edit(1..<2, ""))
      }
    }
  }

  /// Row 48: never silent.
  @Test func wrongStatesAreRefusedWithAReason() async throws {
    try await withClient { client, _ in
      for origin in [Origin.removal, .paste, .undo, .redo, .load, .format, .program, .external] {
        let error = await refusal {
          try await client.call(
            TypingAttributesRequest(document("a"), .merge(bold), origin: origin))
        }
        #expect(error?.code == .invalidParams)
        #expect(error?.message.contains("only typed text has pending attributes") == true)
        #expect(error?.message.contains(origin.name) == true)
      }
      _ = try await client.call(AnnotateRequest(document("a"), origin: .paste))
      let request = TypingAttributesRequest(document("a"), .merge(bold))
      let error = await refusal { try await client.call(request) }
      #expect(error?.message.contains("annotated with origin paste") == true)
      _ = try await client.call(AnnotateRequest(document("a")))
      _ = try await client.call(request)
      for params in [
        ["document": "a", "attributes": ["bold": true]], ["document": "a", "attributes": [:]],
        ["document": "a", "attributes": ["set": [:], "remove": []]], ["attributes": ["set": [:]]],
      ] as [JSON] {
        let error = await refusal { try await client.call("editlog/typingAttributes", params) }
        #expect(error?.code == .invalidParams, "\(params)")
      }
      let invalid = await refusal {
        try await client.call(
          TypingAttributesRequest(document("a"), .merge(["foreground": .string("notacolour")])))
      }
      #expect(invalid?.code == .invalidParams)
      #expect(invalid?.message.contains("foreground must be #rrggbb") == true)
      let long = AttributeSet(["x": .string(String(repeating: "y", count: 1 << 16))])
      #expect(
        await refusal { try await client.call(TypingAttributesRequest(document("a"), .set(long))) }?
          .code == .tooLarge)
      let many = await refusal {
        for number in 0...256 {
          _ = try await client.call(
            TypingAttributesRequest(document("d\(number)"), .merge(bold)))
        }
      }
      #expect(many?.code == .tooLarge)
    }
  }

  /// The Hangul syllables of 한글 as an input method makes them, each step its own request.
  private static let hangul: [(Range<Int>, String, String)] = [
    (1..<1, "ㅎ", "1"), (1..<2, "하", "1"), (1..<2, "한", "1"), (2..<2, "ㄱ", "2"),
    (2..<3, "그", "2"), (2..<3, "글", "2"),
  ]

  @Test(arguments: [false, true])
  func aCompositionIsOneStepAndKeepsItsAttributes(isEndedByView: Bool) async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("[]"), ticket: try ticket(1))
      _ = try await client.call(TypingAttributesRequest(document("a"), .merge(bold)))
      for (index, step) in Self.hangul.enumerated() {
        _ = try await client.append(
          "a", edit(step.0, step.1, composition: step.2), ticket: try ticket(UInt64(index) + 2))
        // A view ends its typing attributes after each step of a composition.
        if isEndedByView {
          _ = try await client.call(TypingAttributesRequest(document("a"), nil))
          let isLastOfFirst = index == 2
          if isLastOfFirst {
            _ = try await client.call(TypingAttributesRequest(document("a"), .merge(bold)))
          }
        }
      }
      #expect(try await client.text(of: "a") == "[한글]")
      #expect(try await runs(client, "a") == ["1 ", "2 bold", "1 "])
      let edits = try await client.edits(of: "a")
      #expect(edits.map(\.transaction) == [1, 2, 2, 2, 5, 5, 5])
      #expect(edits.dropFirst().allSatisfy { $0.origin == .typing })
      // Undo takes back whole syllables, never a step of one.
      _ = try await client.call("editlog/undo", ["document": "a"])
      let undone = try await client.text(of: "a")
      #expect(undone == "[한]" || undone == "[]" || undone.isEmpty)
    }
  }

  /// What is set in the middle of a composition is for what is typed after it.
  @Test func aCompositionThatBeganPlainStaysPlain() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", edit(0..<0, "ㅎ", composition: "1"), ticket: try ticket(1))
      _ = try await client.call(TypingAttributesRequest(document("a"), .merge(bold)))
      _ = try await client.append("a", edit(0..<1, "하", composition: "1"), ticket: try ticket(2))
      #expect(try await runs(client, "a") == ["1 "])
      _ = try await client.append("a", edit(1..<1, "x"), ticket: try ticket(3))
      _ = try await client.append("a", edit(2..<2, "ㄱ", composition: "1"), ticket: try ticket(4))
      #expect(try await runs(client, "a") == ["1 ", "2 bold"])
      #expect(try await client.edits(of: "a").map(\.transaction) == [1, 1, 3, 4])
    }
  }

  /// Edits of others, events, other names and other sessions end a composition.
  @Test func aCompositionIsContiguous() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", edit(0..<0, "ㅎ", composition: "c"), ticket: try ticket(1))
      let other = try await daemon.connect()
      let request = AppendRequest(
        document: document("a"),
        ticket: RequestTicket(session: try #require(SessionID("other")), counter: 1),
        edits: [edit(1..<1, "x", composition: "c")])
      _ = try await other.append(request)
      await other.close()
      _ = try await client.append("a", edit(0..<1, "하", composition: "c"), ticket: try ticket(2))
      _ = try await client.call("editlog/mark", ["document": "a", "label": "m"])
      _ = try await client.append("a", edit(0..<1, "한", composition: "c"), ticket: try ticket(3))
      _ = try await client.append(
        "a", edit(0..<1, "호", composition: "c"), edit(0..<1, "혼", composition: "c"),
        edit(1..<1, "y", composition: "d"), edit(1..<1, "z"), ticket: try ticket(4))
      #expect(
        try await client.edits(of: "a").map(\.transaction) == [1, 2, 3, 4, 4, 4, 7, 8])
      let error = await refusal {
        try await client.call(
          "editlog/append",
          [
            "document": "a",
            "edits": [
              [
                "actions": ["characters"], "location": 0, "length": 0, "changeInLength": 0,
                "composition": "",
              ]
            ],
          ])
      }
      #expect(error?.code == .invalidParams)
    }
  }

  /// A request that is sent again over a connection without the attributes is the same request.
  @Test func aTypedEditCanBeSentAgain() async throws {
    try await withClient { client, daemon in
      _ = try await client.call(TypingAttributesRequest(document("a"), .merge(bold)))
      let first = try await client.append("a", put("hello"), ticket: try ticket(1))
      let other = try await daemon.connect()
      let again = try await other.append("a", put("hello"), ticket: try ticket(1))
      #expect(again.duplicate && again.sequence == first.sequence)
      let error = await refusal {
        try await other.append("a", put("hullo"), ticket: try ticket(1))
      }
      #expect(error?.code == .sequenceConflict)
      await other.close()
      #expect(try await runs(client, "a") == ["5 bold"])
    }
  }

  @Test func changesOfAnEditorAreTypedToo() async throws {
    try await withClient { client, _ in
      let name = "untitled:a"
      let open = DidOpenParams(uri: document(name), text: "ab")
      try await client.notify("textDocument/didOpen", open.json)
      _ = try await client.call(TypingAttributesRequest(document(name), .merge(bold)))
      let change = DidChangeParams(uri: document(name), changes: [.init(range: nil, text: "axxb")])
      try await client.notify("textDocument/didChange", change.json)
      #expect(try await runs(client, name) == ["1 ", "2 bold", "1 "])
    }
  }

  /// A version leaves over the socket as the command line writes it.
  @Test func aVersionIsExported() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("a<b"))
      let history = HistoryReference(document("a"))
      _ = try await client.call(StyleRequest(history, UTF16Range(0..<1), .merge(bold)))
      let xml = try await client.call(
        ExportRequest(history, .xml, rule: ["root": nil, "other": nil, "styles": []]))
      #expect(
        xml
          == ExportAnswer(
            sequence: 2, content: "<p>a&lt;b</p>", losses: ["attributes left out: bold"]))
      let first = try await client.call(ExportRequest(history, at: .sequence(1), .markdown))
      #expect(first.content == "a\\<b\n" && first.sequence == 1)
      for params in [
        ["document": "a", "format": "odt"], ["document": "a", "format": "markdown", "rule": [:]],
        ["document": "a", "format": "xml", "rule": ["styles": [["tag": "1"]]]],
      ] as [JSON] {
        let error = await refusal { try await client.call("editlog/export", params) }
        #expect(error?.code == .invalidParams)
      }
    }
  }

  /// Rows 49 and 50.
  @Test func rangesAndParagraphsAreStyled() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("ab\ncd\r\nef\n"))
      func style(
        _ range: Range<Int>, _ intent: AttributeIntent, paragraphs: Bool = false
      ) async throws -> StyleAnswer {
        try await client.call(
          StyleRequest(
            HistoryReference(document("a")), UTF16Range(range), intent,
            isOfParagraphs: paragraphs))
      }
      #expect(
        try await style(1..<2, .merge(bold))
          == StyleAnswer(sequence: 2, isChanged: true, range: UTF16Range(1..<2)))
      #expect(try await runs(client, "a") == ["1 ", "1 bold", "8 "])
      #expect(
        try await style(1..<2, .merge(bold))
          == StyleAnswer(sequence: 2, isChanged: false, range: UTF16Range(1..<2)))
      let heading: AttributeSet = ["heading": .integer(1)]
      for (range, styled) in [
        (3..<3, 3..<7), (0..<3, 0..<3), (2..<4, 0..<7), (6..<6, 3..<7), (0..<10, 0..<10),
        (4..<8, 3..<10),
      ] {
        let answer = try await style(range, .merge(heading), paragraphs: true)
        #expect(answer.range == UTF16Range(styled), "\(range)")
        _ = try await style(0..<10, .remove(["heading"]))
      }
      #expect(try await runs(client, "a") == ["1 ", "1 bold", "8 "])
      for (range, isOfParagraphs, message) in [
        (1..<1, false, "range is empty"), (10..<10, true, "no units to style"),
        (9..<11, false, "ends after the text"), (11..<11, true, "ends after the text"),
      ] {
        let error = await refusal {
          try await style(range, .merge(heading), paragraphs: isOfParagraphs)
        }
        #expect(error?.code == .invalidParams && error?.message.contains(message) == true)
      }
      for (values, message) in [
        (["heading": .integer(99)], "heading must be from 1 to 6; found 99"),
        (["foreground": .string("notacolour")], "foreground must be #rrggbb"),
      ] as [(AttributeSet, String)] {
        let error = await refusal { try await style(0..<3, .set(values)) }
        #expect(error?.code == .invalidParams && error?.message.contains(message) == true)
      }
      let edits = try await client.edits(of: "a")
      #expect(edits.dropFirst().allSatisfy { $0.origin == .format })
      let stale = await refusal {
        try await client.call(
          StyleRequest(
            HistoryReference(document("a")), UTF16Range(0..<1), .merge(bold), base: 1))
      }
      #expect(stale?.code == .sequenceConflict)
    }
  }
}
