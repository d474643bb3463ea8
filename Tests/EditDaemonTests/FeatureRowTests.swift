import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

/// Edits of clients as model edits: whole, on the text they were made for, with an origin. The rows are
/// those of `FeatureTableTests`.
@Suite(.timeLimit(.minutes(10))) struct FeatureRowTests {
  private func steps(_ client: EditLogClient, _ name: String) async throws -> [ShownUndoStep] {
    try await client.call(UndoStepsRequest(HistoryReference(document(name)))).steps
  }

  private func state(_ client: EditLogClient, _ name: String) async throws -> StateAnswer {
    try await client.call(StateRequest(HistoryReference(document(name))))
  }

  /// Row 38: an edit that was made for an older text is refused, and no part of it is applied.
  @Test(arguments: seeds(6))
  func staleEditsAreRefusedWhole(seed: UInt64) async throws {
    try await withClient { client, _ in
      var random = SplitMix64(seed: seed)
      var model = TextState()
      var refusals = 0
      for step in 0..<40 {
        let base = model.sequence - min(model.sequence, random.next() % 3)
        let length = base == model.sequence ? model.length : 0
        var edits: [AppendEdit] = []
        var next = model
        for _ in 0...random.next() % 3 {
          let limit = min(length, next.length)
          let location = limit == 0 ? 0 : Int(random.next() % UInt64(limit))
          let edit = put("\(step)\n", at: location)
          edits.append(edit)
          try next.apply(edit.action)
        }
        let request = AppendRequest(document: document("a"), base: base, edits: edits)
        let error = await refusal { try await client.append(request) }
        if base == model.sequence {
          #expect(error == nil)
          model = next
        } else {
          refusals += 1
          #expect(error?.code == .sequenceConflict)
          #expect(error?.details["latest"] == .integer(Int64(model.sequence)))
        }
        let state = try await state(client, "a")
        #expect(state.sequence == model.sequence && state.text == model.text)
      }
      #expect(refusals > 3)
    }
  }

  /// Row 39: a batch is one group: what its edits make one after the other, in one step of undo.
  @Test(arguments: seeds(6))
  func aBatchIsOneGroup(seed: UInt64) async throws {
    try await withClient { client, _ in
      var generator = EntryGenerator(seed: seed, hasSelections: false)
      let start = put("The first line.\nThe second one.\n")
      for name in ["batch", "single"] { _ = try await client.append(name, start) }
      var (text, edits) = (TextState(), [AppendEdit]())
      try text.apply(start.action)
      // The generator's first edits replace the text that it knows, which is empty.
      for _ in 0..<30 {
        let action = generator.action()
        _ = generator.edit(action)
        let replaced = action.range.length
        guard let replacement = action.replacement else { continue }
        let location = min(action.range.location, text.length)
        let range = UTF16Range(location..<min(text.length, location + replaced))
        let edit = AppendEdit(
          action: EditAction(replacing: range, with: replacement), origin: .program,
          transaction: 7)
        edits.append(edit)
        try text.apply(edit.action)
      }
      _ = try await client.append(AppendRequest(document: document("batch"), edits: edits))
      for edit in edits { _ = try await client.append("single", edit) }
      let (batch, single) = (try await state(client, "batch"), try await state(client, "single"))
      #expect(batch.text == text.text && single.text == text.text)
      #expect(batch.attributeRuns == single.attributeRuns)
      let logged = try await client.edits(of: "batch").dropFirst()
      #expect(Set(logged.map(\.transaction)) == [2])
      #expect(try await steps(client, "batch").count == 2)
      let undone = try await client.call(UndoRequest(HistoryReference(document("batch"))))
      #expect(undone.undone == SequenceSet([2...SequenceNumber(edits.count + 1)]))
      let before = try await client.text(of: "batch")
      #expect(before == "The first line.\nThe second one.\n")
    }
  }

  /// Row 43: each edit has its own origin. What states none is a removal if it only removes text, else
  /// typing, whatever was before it.
  @Test func originsAreStatedOrDerived() async throws {
    let bold = try EditAction(
      range: UTF16Range(0..<1), replacement: nil,
      attributes: .merge([AttributeRun(length: 1, attributes: ["bold": .bool(true)])]))
    func edit(_ action: EditAction, _ origin: Origin?) -> AppendEdit {
      AppendEdit(action: action, origin: origin)
    }
    let insert = EditAction(replacing: UTF16Range(0..<0), with: "ab")
    let remove = EditAction(replacing: UTF16Range(0..<1), with: "")
    let replace = EditAction(replacing: UTF16Range(0..<1), with: "x")
    let nothing = EditAction(replacing: UTF16Range(0..<0), with: "")
    let table: [(request: Origin?, edit: AppendEdit, logged: Origin)] = [
      (nil, edit(insert, nil), .typing), (nil, edit(insert, .paste), .paste),
      (nil, edit(insert, nil), .typing), (nil, edit(remove, nil), .removal),
      (nil, edit(replace, nil), .typing), (nil, edit(remove, .program), .program),
      (nil, edit(remove, nil), .removal), (.paste, edit(insert, nil), .paste),
      (.paste, edit(insert, .typing), .typing), (.paste, edit(remove, nil), .paste),
      (nil, edit(nothing, nil), .typing), (nil, edit(bold, .format), .format),
      (nil, edit(bold, nil), .typing), (.load, edit(insert, nil), .load),
      (.external, edit(remove, nil), .external), (nil, edit(insert, .undo), .undo),
      (nil, edit(insert, nil), .typing),
    ]
    try await withClient { client, _ in
      for (origin, edit, _) in table {
        _ = try await client.append(
          AppendRequest(document: document("a"), origin: origin, edits: [edit]))
      }
      #expect(try await client.edits(of: "a").map(\.origin) == table.map(\.logged))
      // The same in one request, without an origin of its own.
      let rows = table.filter { $0.request == nil }
      _ = try await client.append(AppendRequest(document: document("b"), edits: rows.map(\.edit)))
      #expect(try await client.edits(of: "b").map(\.origin) == rows.map(\.logged))
    }
  }

  /// Row 44: typing and removal make runs by kind, and a corrected slip belongs to the typing around it; paste
  /// and program never join a step.
  @Test(arguments: [
    ("ttt", 1), ("ppp", 3), ("ggg", 3), ("tpt", 3), ("tgt", 3), ("tttrrr", 2), ("trt", 1),
    ("ttrrt", 1), ("tttrrrt", 3), ("ttfft", 4), ("pttt", 2), ("eee", 3), ("", 0),
  ])
  func originsDecideAboutSteps(origins: String, count: Int) async throws {
    try await withClient { client, _ in
      var length = 0
      for (index, letter) in origins.enumerated() {
        let origin: Origin =
          switch letter {
          case "t": .typing
          case "r": .removal
          case "p": .paste
          case "g": .program
          case "f": .format
          default: .external
          }
        let isRemoval = origin == .removal
        // A time that is to come would be replaced by that of the clock, and the machine may be slow.
        let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000 + Int64(index) * 100_000_000)
        var edit = AppendEdit(
          action: EditAction(
            replacing: UTF16Range((isRemoval ? length - 1 : length)..<length),
            with: isRemoval ? "" : "x"), time: time, origin: origin)
        if origin == .format {
          edit.action = try EditAction(
            range: UTF16Range(0..<1), replacement: nil,
            attributes: .set([
              AttributeRun(length: 1, attributes: ["n": .integer(Int64(index))])
            ]))
        }
        length += edit.action.changeInLength
        _ = try await client.append("a", edit)
      }
      guard !origins.isEmpty else { return }
      #expect(try await steps(client, "a").count == count, "\(origins)")
    }
  }

  /// Row 47: what is pasted keeps its own attributes, whatever is around it and whatever typed text gets.
  @Test func pasteKeepsItsAttributes() async throws {
    let folder = TemporaryFolder()
    let (red, link): (AttributeSet, AttributeSet) = (
      ["foreground": .string("red")], ["link": .string("https://a.example")]
    )
    let pasted = [
      AttributeRun(length: 2, attributes: red), AttributeRun(length: 1, attributes: .empty),
      AttributeRun(length: 3, attributes: link),
    ]
    let bold: AttributeSet = ["bold": .bool(true)]
    let around = [AttributeRun(length: 4, attributes: bold)]
    let whole =
      [AttributeRun(length: 2, attributes: bold)] + pasted
      + [AttributeRun(length: 2, attributes: bold)]
    try await withClient(in: folder) { client, _ in
      let first = try EditAction(
        range: UTF16Range(0..<0), replacement: "abcd", attributes: .set(around))
      _ = try await client.append("a", AppendEdit(action: first))
      // Pending attributes are for what is typed.
      _ = try await client.call(
        TypingAttributesRequest(document("a"), .merge(["italic": .bool(true)])))
      let paste = try EditAction(
        range: UTF16Range(2..<2), replacement: "12-xyz", attributes: .set(pasted))
      _ = try await client.append("a", AppendEdit(action: paste, origin: .paste))
      #expect(try await state(client, "a").attributeRuns == whole)
      let history = HistoryReference(document("a"))
      _ = try await client.call(UndoRequest(history))
      #expect(try await state(client, "a").attributeRuns == around)
      _ = try await client.call(RedoRequest(history))
      #expect(try await state(client, "a").attributeRuns == whole)
      // A paste without attributes takes those of the place, as typing does.
      let bare = EditAction(replacing: UTF16Range(0..<0), with: "zz")
      _ = try await client.append("b", AppendEdit(action: bare, origin: .paste))
      #expect(
        try await state(client, "b").attributeRuns
          == [AttributeRun(length: 2, attributes: .empty)])
    }
    // Replayed from the log.
    try await withClient(in: folder) { client, _ in
      #expect(try await state(client, "a").attributeRuns == whole)
      let past = try await client.call(
        StateRequest(HistoryReference(document("a")), VersionPart(at: .sequence(2))))
      #expect(past.attributeRuns == whole && past.text == "ab12-xyzcd")
      #expect(try await client.edits(of: "a")[1].action.attributes == .set(pasted))
    }
  }
}
