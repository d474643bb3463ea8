import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing
import TextState

/// Rows and pages of versions: their parts, starts and refusals.
@Suite struct RenderQueryTests {
  private func history() throws -> HistoryReference {
    HistoryReference(try #require(DocumentID(QueryBench.name)))
  }

  /// All sheets of a call, part by part.
  private func parts(
    _ engine: QueryEngine, _ request: RenderRequest
  ) async throws -> [RenderAnswer] {
    var (request, parts) = (request, [RenderAnswer]())
    while true {
      let part = try await engine.answer(request)
      parts.append(part)
      guard let next = part.next else { return parts }
      request.at = .sequence(part.sequence)
      request.start = RenderStart(next: next)
    }
  }

  /// The texts of all fragments. Those of columns are side by side, so they are put in order.
  private func text(_ parts: [RenderAnswer]) -> UTF16Text {
    let fragments = parts.flatMap(\.sheets).flatMap(\.rows).flatMap(\.fragments)
      .sorted { $0.units.location < $1.units.location }
    return fragments.reduce(into: UTF16Text()) { $0.append($1.text) }
  }

  @Test(arguments: UInt64(0)..<4)
  func `the parts are the text of each version`(seed: UInt64) async throws {
    let (bench, history) = (try QueryBench(seed: seed), try history())
    var random = SplitMix64(seed: seed)
    for (version, state) in bench.states.enumerated() where version % 7 == 3 {
      let width = Int.random(in: 1...20, using: &random)
      var request = RenderRequest(
        history, at: .sequence(SequenceNumber(version)), layout: RenderLayout(width: width),
        limit: Int.random(in: 1...5, using: &random))
      let rows = try await parts(bench.engine, request)
      #expect(text(rows) == state.text, "seed \(seed), version \(version)")
      // Each part begins with the row whose number it says.
      var count = 0
      for part in rows {
        #expect(part.firstRow == count && part.isRowExact)
        count += part.sheets[0].rows.count
      }
      request.limit = 10_000
      let whole = try await bench.engine.answer(request)
      #expect(whole.sheets[0].rows == rows.flatMap { $0.sheets[0].rows }, "seed \(seed)")
      request.start = RenderStart(row: count / 2)
      let half = try await bench.engine.answer(request)
      #expect(half.sheets[0].rows == Array(whole.sheets[0].rows[(count / 2)...]), "seed \(seed)")

      request = RenderRequest(
        history, at: .sequence(SequenceNumber(version)),
        layout: RenderLayout(
          width: max(3, width), page: RenderLayout.Page(height: 3, columns: 2, gap: 1)), limit: 2)
      let pages = try await parts(bench.engine, request)
      #expect(text(pages) == state.text, "seed \(seed), version \(version)")
      var rest = state.length
      for part in pages {
        rest -= text([part]).count
        #expect((part.overflow?.units ?? 0) == rest)
      }
      request.start = RenderStart(page: pages.count - 1)
      let last = try await bench.engine.answer(request)
      #expect(last.sheets.first?.page == pages.count - 1)
    }
  }

  @Test func `a text is cut to rows`() async throws {
    let (bench, history) = (try QueryBench(seed: 1), try history())
    let layout = RenderLayout(width: 4)
    let whole = try await bench.engine.answer(RenderRequest(history, layout: layout, limit: 9_999))
    let count = whole.sheets[0].rows.count
    let cut = try await bench.engine.answer(
      RenderRequest(history, layout: layout, rowsMax: 2, more: "!"))
    #expect(count > 3 && cut.next == nil)
    #expect((2...3).contains(cut.sheets[0].rows.count))
    #expect(cut.sheets[0].rows.last?.more?.text == "!")
    let uncut = try await bench.engine.answer(
      RenderRequest(history, layout: layout, rowsMax: count))
    #expect(uncut.sheets == whole.sheets)
  }

  /// A start is found in the version itself, whatever it names.
  @Test(arguments: UInt64(0)..<4)
  func `starts name the same row`(seed: UInt64) async throws {
    let (bench, history) = (try QueryBench(seed: seed), try history())
    let state = try #require(bench.states.last)
    let layout = RenderLayout(width: 7)
    for (index, paragraph) in state.paragraphs.enumerated() {
      func rows(_ start: RenderStart) async throws -> [RenderedRow] {
        let request = RenderRequest(history, layout: layout, start: start, limit: 3)
        return try await bench.engine.answer(request).sheets[0].rows
      }
      let wanted = try await rows(RenderStart(paragraph: index))
      #expect(try await rows(RenderStart(id: paragraph.id)) == wanted)
      let position = state.position(at: paragraph.range.location)
      let place = TextPosition(line: position.line + 1, column: position.column + 1)
      #expect(
        try await rows(RenderStart(position: place))
          == rows(RenderStart(offset: paragraph.range.location)))
    }
    for start in [
      RenderStart(position: TextPosition(line: 1 << 30, column: 1)),
      RenderStart(id: ParagraphID(sequence: 1 << 30, ordinal: 0)),
    ] {
      let error = await #expect(throws: ProtocolError.self) {
        try await bench.engine.answer(RenderRequest(history, start: start))
      }
      #expect(error?.code == .unknownPoint)
    }
  }

  /// What is kept of a grammar makes no difference to an answer, whatever versions are asked for.
  @Test(arguments: UInt64(0)..<3)
  func `styles are those of an engine that knows nothing`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let pieces: [UTF16Text] = [
      "/* ", "*/\n", "let a = 1\n", "\"\"\"\n", "word\n", "\n", "// note\r\n", "x",
    ]
    var (entries, length) = ([HistoryEntry](), 0)
    for number in 1...120 {
      let location = Int.random(in: 0...length, using: &random)
      let end = min(length, location + Int.random(in: 0...5, using: &random))
      let action = EditAction(
        replacing: UTF16Range(location..<end),
        with: pieces[Int.random(in: 0..<pieces.count, using: &random)])
      length += action.changeInLength
      entries.append(
        .edit(
          Edit(
            sequence: SequenceNumber(number), action: action, origin: .typing,
            time: Timestamp(nanoseconds: Int64(number)))))
    }
    let (bench, history) = (try QueryBench(MixedHistory(entries)), try history())
    let rules = RenderRules(text: "", grammar: "swift")
    for _ in 0..<40 {
      let version = Int.random(in: 0..<bench.states.count, using: &random)
      let state = bench.states[version]
      let request = RenderRequest(
        history, at: .sequence(SequenceNumber(version)), layout: RenderLayout(width: 30),
        start: RenderStart(paragraph: Int.random(in: 0..<state.paragraphCount, using: &random)),
        limit: 4, rules: rules)
      let fresh = try QueryEngine(StoreFiles(at: bench.folder.path("store")))
      let known = try await bench.engine.answer(request)
      let wanted = try await fresh.answer(request)
      #expect(known.sheets == wanted.sheets, "seed \(seed), version \(version)")
      #expect(known.isStyleExact && wanted.isStyleExact)
    }
  }

  @Test func `what is refused`() async throws {
    let (bench, history) = (try QueryBench(seed: 1), try history())
    let page = RenderLayout.Page(height: 5)
    let paged = RenderLayout(page: page)
    let full = RenderRectangle(column: 0, row: 0, columns: 80, rows: 5)
    let below = RenderRectangle(column: 0, row: 5, columns: 80, rows: 5)
    for (request, word) in [
      (RenderRequest(history, start: RenderStart(offset: 0, row: 0)), "only one"),
      (RenderRequest(history, start: RenderStart(row: 1 << 30)), "rows of this width"),
      (RenderRequest(history, start: RenderStart(page: 0)), "page"),
      (RenderRequest(history, layout: paged, start: RenderStart(row: 0)), "pages"),
      (RenderRequest(history, layout: paged, rowsMax: 3), "pages"),
      (RenderRequest(history, start: RenderStart(offset: 1 << 30)), "offset"),
      (RenderRequest(history, start: RenderStart(paragraph: 1 << 30)), "paragraph"),
      (
        RenderRequest(history, layout: paged, start: RenderStart(page: 1 << 30)), "there is no page"
      ),
      (
        RenderRequest(
          history, layout: paged,
          start: RenderStart(next: RenderPlace(paragraph: 1 << 30, done: 0))), "paragraph"
      ),
      (
        RenderRequest(
          history, layout: RenderLayout(width: 10_000, page: RenderLayout.Page(height: 1_000))),
        "cells"
      ),
      (
        RenderRequest(
          history, layout: RenderLayout(page: RenderLayout.Page(height: 5, holes: [full]))), "free"
      ),
      (
        RenderRequest(
          history, layout: RenderLayout(page: RenderLayout.Page(height: 5, holes: [below]))),
        "holes[0] is outside of the page of 80 columns and 5 rows"
      ),
      (RenderRequest(history, rules: RenderRules(text: "[")), "rules"),
      (RenderRequest(history, rules: RenderRules(text: "grammar = \"my.toml\"")), "my.toml"),
    ] {
      let error = await #expect(throws: ProtocolError.self) {
        try await bench.engine.answer(request)
      }
      // What the version does not have is another error than what no version has.
      let isMissing = [
        "rows of this width", "offset", "paragraph", "there is no page",
      ].contains(word)
      #expect(error?.code == (isMissing ? .unknownPoint : .invalidParams), "\(word)")
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }
    let work = QuestionWork()
    work.cancel()
    let error = await #expect(throws: ProtocolError.self) {
      try await bench.engine.answer(RenderRequest(history, start: RenderStart(row: 1)), work)
    }
    #expect(error?.code == .requestCancelled)
  }

  /// Places that no answer named give the nearest rows, and never trap.
  @Test(arguments: UInt64(0)..<20)
  func `any place is taken`(seed: UInt64) async throws {
    let (bench, history) = (try QueryBench(seed: 2), try history())
    var random = SplitMix64(seed: seed)
    let state = try #require(bench.states.last)
    func number() -> Int { Int.random(in: 0...1, using: &random) == 0 ? 1 << 31 - 1 : 3 }
    let place = RenderPlace(
      paragraph: Int.random(in: 0..<state.paragraphCount, using: &random), done: number(),
      window: number(), part: RenderPlace.Part.allCases.randomElement(using: &random),
      page: number())
    for page in [nil, RenderLayout.Page(height: 3)] {
      _ = try await bench.engine.answer(
        RenderRequest(
          history, layout: RenderLayout(width: 5, page: page), start: RenderStart(next: place)))
    }
  }
}
