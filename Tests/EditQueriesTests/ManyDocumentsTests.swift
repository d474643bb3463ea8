import EditLog
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing

/// Questions about several documents give what the question about each alone gives.
@Suite struct ManyDocumentsTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path("store") }

  /// A store of short documents, half of them sealed, and the name of one that it lacks.
  private func make(seed: UInt64, count: Int, editCount: Int = 12) throws -> [DocumentID] {
    let writer = try StoreWriter(at: path)
    let documents = (0..<count).map { name("file:///\($0).md") }
    for (number, document) in documents.enumerated() {
      let mixed = MixedHistory(seed: seed &* 1_000 &+ UInt64(number), editCount: editCount)
      _ = try writer.append([(document, mixed.entries)])
      if number.isMultiple(of: 2) { try writer.seal(document) }
    }
    try writer.close()
    return documents
  }

  private var engine: QueryEngine { get throws { QueryEngine(try StoreFiles(at: path)) } }

  /// All pages of an answer, and their number.
  private func all<Q: Question, One>(
    _ documents: [DocumentID], _ engine: QueryEngine, _ question: ([DocumentID]) -> Q
  ) async throws -> (answer: ManyAnswer<One>, pageCount: Int) where Q.Answer == ManyAnswer<One> {
    var (whole, rest, count) = (ManyAnswer<One>(), documents[...], 0)
    while !rest.isEmpty {
      let part = try await engine.answer(question(Array(rest)))
      let done = part.next ?? rest.count
      #expect((1...rest.count).contains(done))
      whole.answers += part.answers
      whole.alone += part.alone
      rest = rest.dropFirst(done)
      count += 1
    }
    return (whole, count)
  }

  @Test(arguments: UInt64(0)..<3)
  func `a search is that of each document`(seed: UInt64) async throws {
    let documents = try make(seed: seed, count: 50)
    let (engine, missing) = (try engine, name("missing"))
    let middle = PointExpression(
      Point.time(Timestamp(nanoseconds: MixedHistory.start + 5_000_000_000)))
    for (pattern, after, through) in [
      (#"\w"#, PointExpression?.none, PointExpression?.none), ("zzzz", nil, nil),
      ("a", middle, nil), (#"\w+"#, nil, middle),
    ] {
      let many: (answer: ManyAnswer<GrepAnswer>, pageCount: Int) = try await all(
        documents + [missing], engine
      ) {
        GrepManyRequest($0, pattern, after: after, through: through, limit: 7)
      }
      #expect(many.answer.alone == [missing], "seed \(seed)")
      var found = many.answer.answers[...]
      for document in documents {
        let history = HistoryReference(document)
        let one = try await engine.answer(
          GrepRequest(
            history, pattern,
            after: try await sequence(after, history, engine),
            through: try await sequence(through, history, engine), limit: 7))
        if one.count == 0 { continue }
        #expect(found.popFirst() == .init(document: document, answer: one), "seed \(seed)")
      }
      #expect(found.isEmpty)
    }
  }

  @Test(arguments: UInt64(3)..<5)
  func `activity is that of each document`(seed: UInt64) async throws {
    let documents = try make(seed: seed, count: 40)
    let engine = try engine
    for stretches in [false, true] {
      let many: (answer: ManyAnswer<ActivityAnswer>, pageCount: Int) = try await all(
        documents, engine
      ) {
        ActivityManyRequest($0, stretches: stretches)
      }
      var singles: [ManyAnswer<ActivityAnswer>.Item] = []
      for document in documents {
        let one = try await engine.answer(
          ActivityRequest(HistoryReference(document), stretches: stretches))
        singles.append(.init(document: document, answer: one))
      }
      #expect(many.answer == ManyAnswer(answers: singles), "seed \(seed)")
    }
  }

  /// The edit that a point names in one document.
  private func sequence(
    _ point: PointExpression?, _ history: HistoryReference, _ engine: QueryEngine
  ) async throws -> SequenceNumber? {
    guard let point else { return nil }
    return try await engine.answer(VersionRequest(history, at: point)).sequence
  }

  /// What could take much memory is left to a call of its own, and an answer ends after some bytes.
  @Test func `long histories are asked about alone, and answers are bounded`() async throws {
    let documents = try make(seed: 9, count: 30, editCount: 80)
    let (long, text) = (name("long"), String(repeating: "word ", count: 20_000))
    let writer = try StoreWriter(at: path)
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
    let edit = Edit(sequence: 1, action: action)
    _ = try writer.append([(long, [.edit(edit)])])
    try writer.close()
    let many: (answer: ManyAnswer<GrepAnswer>, pageCount: Int) = try await all(
      [long] + documents, engine
    ) {
      GrepManyRequest($0, #"."#, limit: 1_000)
    }
    #expect(many.answer.alone == [long])
    let matchCounts = many.answer.answers.map(\.answer.matches.count)
    #expect(many.answer.answers.count > 20)
    // A match takes at least 256 bytes of an answer, which ends when it has 256 KiB.
    #expect(many.pageCount > matchCounts.reduce(0, +) * 256 / (512 << 10))
    #expect(many.pageCount > 1)
  }

  @Test func `what is refused`() async throws {
    let documents = try make(seed: 5, count: 3)
    let engine = try engine
    for question in [
      GrepManyRequest(documents, "("),
      GrepManyRequest(Array(repeating: documents[0], count: 4_097), "a"),
      GrepManyRequest(documents, "a", after: PointExpression("nothing of the kind")),
    ] {
      let error = await #expect(throws: ProtocolError.self) { try await engine.answer(question) }
      #expect(error?.code == .invalidParams)
    }
  }

  /// The work is over between two documents, at any of them.
  @Test func `a cancelled search ends at the next document`() async throws {
    let documents = try make(seed: 6, count: 40)
    let engine = try engine
    for stop in [1, 2, 20, 40] {
      let calls = Mutex(0)
      let work = QuestionWork(giveWay: {
        calls.withLock { calls in
          calls += 1
          return calls < stop
        }
      })
      let error = await #expect(throws: ProtocolError.self) {
        try await engine.answer(GrepManyRequest(documents, "a"), work)
      }
      #expect(error?.code == .requestCancelled)
      #expect(calls.withLock { stop...stop + 2 ~= $0 })
    }
  }
}
