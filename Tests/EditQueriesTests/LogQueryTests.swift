import DaemonTestSupport
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Projections
import TestSupport
import Testing
import TextState

/// `editlog/log`: pages hold every entry once, whichever way they are turned.
@Suite struct LogQueryTests {
  private func entries(_ answer: JSONObject) throws -> [HistoryEntry] {
    try answer.array("entries") { (json) throws(ShapeError) in try HistoryEntry(json: json) }
  }

  private func place(_ entry: HistoryEntry) -> SequenceNumber {
    switch entry {
    case .edit(let edit): edit.sequence
    case .event(let event): event.after
    }
  }

  /// All pages from the params on.
  private func pages(_ bench: QueryBench, _ params: JSONObject) async throws -> [[HistoryEntry]] {
    var (params, pages): (JSONObject, [[HistoryEntry]]) = (params, [])
    let isNewestFirst = params["newestFirst"] == true
    while pages.count < 1_000 {
      let answer = try await bench.ask("log", params)
      pages.append(try entries(answer))
      guard let next = answer["next"] else { break }
      params[isNewestFirst ? "through" : "after"] = next
    }
    return pages
  }

  @Test(arguments: UInt64(0)..<3)
  func pagesCoverTheHistoryOnce(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let all = bench.mixed.entries
    let last = bench.states.count - 1
    for limit in [1, 2, 3, 7, 30, last - 1, last, last + 1, 10_000] {
      let forwards = try await pages(bench, ["limit": JSON(limit)])
      #expect(forwards.flatMap(\.self) == all, "limit \(limit)")
      let backwards = try await pages(bench, ["limit": JSON(limit), "newestFirst": true])
      #expect(backwards.flatMap(\.self) == all.reversed(), "limit \(limit), newest first")
      for page in forwards + backwards {
        let edits = page.filter { if case .edit = $0 { true } else { false } }
        #expect(edits.count <= limit && !page.isEmpty)
      }
    }
  }

  @Test(arguments: UInt64(0)..<3)
  func partsOfTheHistory(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 30)
    for (after, through) in [
      (0, 0), (0, 9), (9, 9), (9, 10), (9, 21), (20, 30), (20, 99), (30, 30),
    ] {
      let expected = bench.mixed.entries.filter { entry in
        let place = place(entry)
        return place <= through && (place > after || (after == 0 && place == 0))
      }
      for limit in [1, 4, 1_000] {
        var params: JSONObject = [
          "after": JSON(after), "through": JSON(through), "limit": JSON(limit),
        ]
        #expect(try await pages(bench, params).flatMap(\.self) == expected, "\(after)-\(through)")
        params["newestFirst"] = true
        #expect(
          try await pages(bench, params).flatMap(\.self) == expected.reversed(),
          "\(after)-\(through)")
      }
    }
    let answer = try await bench.ask("log", ["after": 9, "through": 8])
    #expect(answer == ["entries": []])
  }

  // MARK: Parts by size

  /// A history of edits with texts of these lengths, each followed by an event.
  private func bench(lengths: [Int]) throws -> QueryBench {
    let document = try #require(DocumentID(QueryBench.name))
    return try QueryBench(
      MixedHistory(
        lengths.enumerated().flatMap { index, length in
          let (sequence, time) = (UInt64(index + 1), Timestamp(nanoseconds: Int64(index)))
          let text = UTF16Text(units: Array(repeating: 0x61, count: length))
          return [
            HistoryEntry.edit(
              Edit(
                sequence: sequence, action: EditAction(replacing: UTF16Range(0..<0), with: text),
                time: time)),
            .event(HistoryEvent(kind: .renamed(from: document), after: sequence, time: time)),
          ]
        }))
  }

  @Test(arguments: [
    ([400_000, 400_000, 400_000, 1, 400_000], [[1, 2, 3], [4, 5]], [[5, 4, 3, 2], [1]]),
    ([3_000_000, 1, 3_000_000], [[1], [2, 3]], [[3], [2, 1]]),
    (
      [Int](repeating: 10, count: 100) + [2_000_000], [Array(1...101)],
      [[101], Array((1...100).reversed())]
    ),
    ([1_048_576, 1_048_576], [[1], [2]], [[2], [1]]),
  ])
  func `a part ends when its text is long`(
    lengths: [Int], forwards: [[Int]], backwards: [[Int]]
  ) async throws {
    let bench = try bench(lengths: lengths)
    for (expected, isNewestFirst) in [(forwards, false), (backwards, true)] {
      let pages = try await pages(bench, ["newestFirst": .bool(isNewestFirst)])
      let numbers = pages.map { page in
        page.compactMap { if case .edit(let edit) = $0 { Int(edit.sequence) } else { nil } }
      }
      #expect(numbers == expected)
      let all = bench.mixed.entries
      #expect(pages.flatMap(\.self) == (isNewestFirst ? all.reversed() : all))
    }
  }

  // MARK: Previews

  private func previews(
    _ bench: QueryBench, _ part: HistoryPart, textMax: Int
  ) async throws -> [[EntryPreview]] {
    var (part, pages): (HistoryPart, [[EntryPreview]]) = (part, [])
    let document = try #require(DocumentID(QueryBench.name))
    while pages.count < 1_000 {
      let request = LogPreviewRequest(HistoryReference(document), part, textMax: textMax)
      // As it is sent over the socket.
      let json = try await bench.engine.answer(LogPreviewRequest.method, request.params)
      let answer = try LogPreviewRequest.answer(json)
      pages.append(answer.entries)
      guard let next = answer.next else { break }
      if part.newestFirst { part.through = next } else { part.after = next }
    }
    return pages
  }

  /// The previews of a history, from its versions and its undo steps.
  private func expectedPreviews(_ bench: QueryBench, textMax: Int) throws -> [EntryPreview] {
    var (boundaries, previews) = (UndoBoundaries(), [EntryPreview]())
    var joined: Set<SequenceNumber> = []
    for entry in bench.mixed.entries {
      switch entry {
      case .event(let event):
        boundaries.note(event, at: event.after)
        previews.append(.event(event))
      case .edit(let edit):
        let before = bench.states[Int(edit.sequence) - 1]
        let isRemoval = edit.action.replacement != nil && !edit.action.range.isEmpty
        let continuation = boundaries.continuation(of: edit)
        if case .correction(let first) = continuation { joined.insert(first) }
        previews.append(
          .edit(
            EditPreview(
              edit, textMax: textMax, removed: isRemoval ? before.text(in: edit.action.range) : nil,
              isContinuation: continuation != nil)))
      }
    }
    return previews.map { preview in
      guard case .edit(var edit) = preview, joined.contains(edit.sequence) else { return preview }
      edit.isContinuation = true
      return .edit(edit)
    }
  }

  /// Where a part begins and ends does not matter, also for slips that are corrected at its joints.
  @Test(arguments: UInt64(0)..<4)
  func `previews have the steps of typing with slips`(seed: UInt64) async throws {
    let history = TypingHistory(seed: seed, editCount: 120)
    let bench = try QueryBench(MixedHistory(history.entries))
    for limit in [1, 2, 3, 7, 10_000] {
      for isNewestFirst in [false, true] {
        let pages = try await previews(
          bench, HistoryPart(limit: limit, newestFirst: isNewestFirst), textMax: 3)
        let starts = pages.flatMap(\.self).compactMap { entry -> SequenceNumber? in
          guard case .edit(let edit) = entry, !edit.isContinuation else { return nil }
          return edit.sequence
        }
        #expect(starts.sorted() == history.stepStarts, "seed \(seed), limit \(limit)")
      }
    }
  }

  /// D23: an edit's preview has the text that it removed, however the history is cut into parts.
  @Test(arguments: UInt64(0)..<4)
  func `previews have what was removed`(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    for textMax in [0, 3, 4_096] {
      let expected = try expectedPreviews(bench, textMax: textMax)
      for limit in [1, 2, 7, 30, 10_000] {
        let forwards = try await previews(bench, HistoryPart(limit: limit), textMax: textMax)
        #expect(forwards.flatMap(\.self) == expected, "limit \(limit)")
        let backwards = try await previews(
          bench, HistoryPart(limit: limit, newestFirst: true), textMax: textMax)
        #expect(backwards.flatMap(\.self) == expected.reversed(), "limit \(limit), newest first")
      }
    }
  }

  /// A part of previews ends by the length of its texts, not by what they could be.
  @Test(arguments: [
    ([Int](repeating: 10, count: 1_000), 1_000, 1),
    ([Int](repeating: 5_000, count: 600), 1_000, 5),
    ([Int](repeating: 10, count: 900) + [Int](repeating: 5_000, count: 300), 10_000, 2),
    ([Int](repeating: 10, count: 1_000), 300, 4),
  ])
  func `a part of previews ends when its text is long`(
    lengths: [Int], limit: Int, pageCount: Int
  ) async throws {
    let bench = try bench(lengths: lengths)
    let textMax = LogPreviewRequest.textMaxLimit
    let expected = try expectedPreviews(bench, textMax: textMax)
    let pages = try await previews(bench, HistoryPart(limit: limit), textMax: textMax)
    #expect(pages.flatMap(\.self) == expected)
    #expect(pages.count == pageCount)
    for page in pages {
      let length = page.reduce(0) {
        if case .edit(let edit) = $1 { $0 + (edit.text?.count ?? 0) } else { $0 }
      }
      #expect(length <= HistoryPart.textLengthMax)
    }
    let backwards = try await previews(
      bench, HistoryPart(limit: limit, newestFirst: true), textMax: textMax)
    #expect(backwards.flatMap(\.self) == expected.reversed())
  }

  /// An edit continues the one before it if and only if both are of one undo step.
  @Test(arguments: UInt64(0)..<4)
  func `previews continue as undo steps do`(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 200)
    let runner = try bench.mixed.entries.reduce(into: ProjectionRunner([UndoHistory()])) {
      try $0.apply($1)
    }
    let history = try #require(runner[UndoHistory.self]).tree
    let continued = try await previews(bench, HistoryPart(), textMax: 10).joined().compactMap {
      if case .edit(let edit) = $0 { edit.isContinuation } else { nil }
    }
    #expect(continued.contains(true) && continued.contains(false))
    for step in history.steps {
      for sequence in step.sequences {
        #expect(continued[Int(sequence) - 1] == (sequence > step.sequences.lowerBound))
      }
    }
  }

  /// If the text before an edit is lost, what the edit removed is not known, and all else is.
  @Test func `previews after damage lack what was removed`() async throws {
    let document = try #require(DocumentID(QueryBench.name))
    let folder = TemporaryFolder()
    var options = StoreWriter.Options()
    (options.segmentSizeMax, options.loneSegmentSizeMax) = (1, 0)
    let writer = try StoreWriter(at: folder.path("store"), options: options)
    for (index, (range, text)) in [(0..<0, "abc"), (0..<2, "x")].enumerated() {
      let action = EditAction(replacing: UTF16Range(range), with: UTF16Text(text))
      let edit = Edit(sequence: SequenceNumber(index + 1), action: action)
      _ = try writer.append([(document, [.edit(edit)])])
      try writer.seal(document)
    }
    try writer.close()
    func removed(isVerified: Bool) async throws -> [UTF16Text?] {
      let engine = QueryEngine(try StoreFiles(at: folder.path("store")))
      let history = HistoryReference(document, isVerified: isVerified)
      let request = LogPreviewRequest(history, HistoryPart(after: 1), textMax: 9)
      return try await engine.answer(request).entries.map { entry in
        if case .edit(let edit) = entry { edit.removed } else { nil }
      }
    }
    #expect(try await removed(isVerified: false) == ["ab"])
    #expect(try await removed(isVerified: true) == ["ab"])
    let number = "00000000000000000001"
    #expect(unlink(folder.path("store/documents/\(number)/\(number).segment")) == 0)
    #expect(try await removed(isVerified: false) == [nil])
    await #expect(throws: ProtocolError.self) { try await removed(isVerified: true) }
  }

  @Test func `a preview of a long edit is short`() async throws {
    let bench = try bench(lengths: [3_000_000])
    let params: JSONObject = ["document": JSON(QueryBench.name), "textMax": 100]
    let answer = try await bench.engine.answer("editlog/log", .object(params))
    #expect(answer.serialized().count < 1_000)
    let entry = try answer["entries"]?.asArray().first
    #expect(entry?["text"] == JSON(String(repeating: "a", count: 100)))
    #expect(entry?["changeInLength"] == 3_000_000)
  }

  /// A surrogate pair is not cut in two; a lone surrogate stays one.
  @Test(arguments: [("a😀b", 2, "a"), ("a😀b", 3, "a😀"), ("😀", 1, ""), ("ab", 1, "a")])
  func `a cut text is whole characters`(text: String, textMax: Int, cut: String) {
    #expect(UTF16Text(text).prefix(textMax) == UTF16Text(cut))
    #expect(UTF16Text(units: [0xD83D, 0x61]).prefix(1) == UTF16Text(units: [0xD83D]))
  }

  @Test func wrongParamsNameTheMember() async throws {
    let bench = try QueryBench(seed: 1, editCount: 5)
    let cases: [(String, String, JSON)] = [
      ("log", "after", -1), ("log", "after", "x"), ("log", "through", 1.5), ("log", "limit", 0),
      ("log", "limit", 10_001), ("log", "newestFirst", 1),
      ("log", "textMax", -1), ("log", "textMax", 4_097), ("log", "textMax", "x"),
      ("diff", "context", -1),
      ("diff", "context", "3"), ("undo", "list", "yes"), ("trace", "minLength", 0),
      ("trace", "minLength", []),
    ]
    for (method, member, value) in cases {
      let error = await bench.refusal(
        method, ["document": JSON(QueryBench.name), member: value])
      #expect(error?.code == .invalidParams, "\(method) \(member)")
      #expect(error?.message.contains("params.\(member)") == true, "\(error?.message ?? "")")
    }
    for method in ["state", "paragraphs", "log", "diff", "undo", "trace"] {
      for params in [.null, [], [:], ["document": 7], ["document": ""]] as [JSON] {
        let error = await bench.refusal(method, params)
        #expect(error?.code == .invalidParams, "\(method) \(params)")
        #expect(error?.message.contains("params") == true)
      }
      // Without a flag, `undo` is a change and not a question.
      let error = await bench.refusal(
        method, ["document": "no such", "dryRun": .bool(method == "undo")])
      #expect(error?.code == .unknownDocument, "\(method)")
    }
    #expect(await bench.refusal("none", [:])?.code == .methodNotFound)
  }
}
