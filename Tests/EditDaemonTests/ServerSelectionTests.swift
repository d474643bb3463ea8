import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// Selections that are sent with edits, over a real socket in both dialects.
@Suite(.timeLimit(.minutes(10))) struct ServerSelectionTests {
  private func edit(
    _ range: Range<Int>, _ text: String, before: [Range<Int>] = [], after: [Range<Int>] = []
  ) throws -> AppendEdit {
    AppendEdit(
      action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)),
      selection: try EditSelection(
        before: before.map { SelectedRange($0) }, after: after.map { SelectedRange($0) }))
  }

  @Test(arguments: [false, true])
  func theyAreKeptThroughARestartAndGivenBack(isNative: Bool) async throws {
    let folder = TemporaryFolder()
    let edits = [
      try edit(0..<0, "one two", before: [0..<0], after: [7..<7]),
      AppendEdit(
        action: EditAction(replacing: UTF16Range(4..<7), with: "2"), origin: .paste,
        selection: try EditSelection(
          before: [SelectedRange(4..<7, isReversed: true)],
          after: [SelectedRange(5..<5), SelectedRange(0..<3, isReversed: true)])),
    ]
    try await withClient(in: folder) { client, daemon in
      for edit in edits {
        if isNative {
          let appender = try await ResilientAppender.connect(
            to: daemon.socket, session: SessionID.newRun(of: "test"))
          try await appender.append(AppendRequest(document: document("a"), edits: [edit]))
          try await appender.flush()
          await appender.close()
        } else {
          _ = try await client.append("a", edit)
        }
      }
    }
    try await withClient(in: folder) { client, _ in
      #expect(try await client.edits(of: "a").map(\.selection) == edits.map(\.selection))
      let history = HistoryReference(document("a"))
      let inspected = try await client.call(InspectRequest(history))
      #expect(inspected.selection == edits[1].selection?.after)
      let undone = try await client.call(UndoRequest(history))
      #expect(undone.selection == [SelectedRange(4..<7, isReversed: true)])
      let plan = try await client.call(UndoPlanRequest(history))
      #expect(plan.selection == [SelectedRange(0..<0)])
      let redone = try await client.call(RedoRequest(history))
      #expect(
        redone.selection == [SelectedRange(5..<5), SelectedRange(0..<3, isReversed: true)])
      #expect(try await client.text(of: "a") == "one 2")
      let start = try await client.call(UndoRequest(history, to: 0))
      #expect(start.selection == [SelectedRange(0..<0)])
      // It never changes a text or a paragraph.
      #expect(try await client.text(of: "a") == "")
      #expect(try await client.call(VerifyRequest()).isSound)
    }
  }

  /// An undo by conditions gives back what was selected at the first edit that it takes back and that has
  /// a selection, where it stands in the new text; with the directions.
  @Test func theyAreGivenBackByAnUndoOfConditions() async throws {
    try await withClient { client, _ in
      func append(
        _ range: Range<Int>, _ text: String, by author: String, before: [SelectedRange] = [],
        after: [SelectedRange] = []
      ) async throws {
        var edit = AppendEdit(
          action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)),
          origin: .paste, author: author)
        if !before.isEmpty || !after.isEmpty {
          edit.selection = try EditSelection(before: before, after: after)
        }
        _ = try await client.append("a", edit)
      }
      try await append(0..<0, "one two three", by: "ann")
      try await append(0..<0, "[", by: "ben")
      // "two", selected from right to left, with a caret at the end.
      try await append(
        5..<8, "2", by: "ben",
        before: [SelectedRange(5..<8, isReversed: true), SelectedRange(14..<14)],
        after: [SelectedRange(6..<6)])
      try await append(5..<5, "<", by: "ann")
      try await append(0..<0, "> ", by: "ann", after: [SelectedRange(2..<5, isReversed: true)])
      try await append(8..<9, "!", by: "cat", after: [SelectedRange(9..<9)])
      let history = HistoryReference(document("a"))
      var selection = UndoSelection()
      selection.author = "ben"
      let planned = try await client.call(UndoPlanRequest(history, selection: selection))
      let undone = try await client.call(UndoRequest(history, selection: selection))
      let text = try await client.text(of: "a")
      #expect(text == "> one <!two three")
      // The text of others at the place of what was selected is not selected.
      let expected = [SelectedRange(8..<11, isReversed: true), SelectedRange(17..<17)]
      #expect(undone.selection == expected && planned.selection == expected)
      #expect(try await client.edits(of: "a").last?.selection?.after == expected)
      // The unit before the caret is in the text no more: the caret is where it was.
      selection.author = "cat"
      let third = try await client.call(UndoRequest(history, selection: selection))
      #expect(try await client.text(of: "a") == "> one <two three")
      #expect(third.selection == [SelectedRange(7..<7)])
      // Edits without a selection have none to give back.
      selection = UndoSelection()
      (selection.author, selection.through) = ("ann", 1)
      #expect(try await client.call(UndoPlanRequest(history, selection: selection)).selection == [])
    }
  }

  @Test func hostileOnesAreRefusedAndNothingIsLogged() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("a\u{1F600}"))
      let fine: JSON = ["location": 0, "length": 0]
      func range(_ location: Int, _ length: Int) -> JSON {
        ["location": JSON(location), "length": JSON(length)]
      }
      for (selection, words) in [
        (["before": [range(4, 0)]], "ends at 4, but the text has 3"),
        (["after": [range(0, 5)]], "ends at 5, but the text has 4"),
        (["before": [range(2, 0)]], "between the halves of a surrogate pair"),
        (["after": [range(0, 3)]], "between the halves of a surrogate pair"),
        (["after": [fine, fine]], "overlap or are equal"),
        (["after": .array((0...256).map { range($0, 0) })], "an array of 1 to 256 ranges"),
        (["after": .array((0...9_999).map { range($0, 0) })], "an array of 10000"),
        (["before": []], "an array of 1 to 256 ranges"), ([:], "the selection has no range"),
        ("caret", "selection"), (["before": fine], "before"),
        (["after": [range(-1, 0)]], "location"),
        (["after": [range(1 << 40, 0)]], "location"), (["after": [3]], "after[0]"),
        (["after": [["location": 0, "length": 1, "reversed": 1]]], "reversed"),
      ] as [(JSON, String)] {
        let bad: JSON = [
          "actions": ["characters"], "location": 0, "length": 0, "changeInLength": 1, "text": "x",
          "selection": selection,
        ]
        let good: JSON = [
          "actions": ["characters"], "location": 0, "length": 0, "changeInLength": 1, "text": "y",
        ]
        for edits in [[bad], [bad, good]] as [JSON] {
          let error = await refusal {
            try await client.call("editlog/append", ["document": "a", "edits": edits])
          }
          #expect(error?.message.contains(words) == true, "\(selection): \(error?.message ?? "")")
        }
      }
      // The text before the second edit of a request is that after the first.
      let error = await refusal {
        _ = try await client.append(
          "a", AppendEdit(action: EditAction(replacing: UTF16Range(0..<3), with: "")),
          edit(0..<0, "x", before: [1..<1], after: [1..<1]))
      }
      #expect(error?.message.contains("params.edits[1]") == true)
      #expect(try await client.text(of: "a") == "a\u{1F600}")
      #expect(try await client.edits(of: "a").count == 1)
      _ = try await client.append(
        "a", AppendEdit(action: EditAction(replacing: UTF16Range(0..<3), with: "")),
        edit(0..<0, "x", before: [0..<0], after: [1..<1]))
      #expect(try await client.text(of: "a") == "x")
    }
  }

  /// A composition over the native dialect: its steps are one transaction, in one batch or several.
  @Test func compositionsAreSentInTheNativeDialect() async throws {
    try await withClient { client, daemon in
      let appender = try await ResilientAppender.connect(
        to: daemon.socket, session: SessionID.newRun(of: "test"))
      func step(_ range: Range<Int>, _ text: String, _ composition: String?) -> AppendEdit {
        AppendEdit(
          action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)),
          composition: composition)
      }
      for edits in [
        [step(0..<0, "[]", nil)], [step(1..<1, "ㅎ", "1")], [step(1..<2, "하", "1")],
        [step(1..<2, "한", "1"), step(2..<2, "ㄱ", "2")], [step(2..<3, "글", "2")],
        [step(3..<3, "x", nil)],
      ] { try await appender.append(AppendRequest(document: document("a"), edits: edits)) }
      try await appender.flush()
      await appender.close()
      #expect(try await client.text(of: "a") == "[한글x]")
      #expect(try await client.edits(of: "a").map(\.transaction) == [1, 2, 2, 2, 5, 5, 7])
    }
  }
}
