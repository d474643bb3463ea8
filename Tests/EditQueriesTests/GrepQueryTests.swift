import EditModel
import EditProtocol
import EditQueries
import Testing
import TextState

/// Searches over a history: their parts, refusals and cancellation.
@Suite struct GrepQueryTests {
  private func history() throws -> HistoryReference {
    HistoryReference(try #require(DocumentID(QueryBench.name)))
  }

  @Test(arguments: UInt64(0)..<3)
  func theMatchesInParts(seed: UInt64) async throws {
    let (bench, history) = (try QueryBench(seed: seed), try history())
    let whole = try await bench.engine.answer(GrepRequest(history, #"\w"#, limit: 10_000))
    #expect(whole.next == nil && whole.count == whole.matches.count && whole.count > 3)
    var (matches, skip) = ([ShownMatch](), 0)
    while true {
      let part = try await bench.engine.answer(
        GrepRequest(history, at: .sequence(whole.sequence), #"\w"#, skip: skip, limit: 3))
      matches += part.matches
      guard let next = part.next else { break }
      skip = next
    }
    #expect(matches == whole.matches)
    for match in matches {
      let state = bench.states[Int(match.appeared.sequence)]
      let range = UTF16Range(match.location..<match.location + match.text.count)
      #expect(state.text(in: range) == match.text)
      #expect(state.paragraph(match.paragraph)?.descriptor.range.location ?? .max <= range.location)
    }
  }

  @Test func whatIsRefused() async throws {
    let (bench, history) = (try QueryBench(seed: 1), try history())
    for pattern in ["(", "", "(?=a)", String(repeating: "a", count: 5_000)] {
      let error = await #expect(throws: ProtocolError.self) {
        try await bench.engine.answer(GrepRequest(history, pattern))
      }
      #expect(error?.code == .invalidParams, "\(pattern)")
    }
    let work = QuestionWork()
    work.cancel()
    let error = await #expect(throws: ProtocolError.self) {
      try await bench.engine.answer(GrepRequest(history, "a"), work)
    }
    #expect(error?.code == .requestCancelled)
  }
}
