import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditQueries

/// The memory for answers, as it is known before the history is read.
@Suite struct AnswerCostTests {
  /// The costs of answers grow with what they are made of.
  @Test func `paragraphs and edits are in the bound of an answer`() async {
    func cost(_ request: any MethodRequest, paragraphs: Int = 1, edits: Int = 1) async -> Int {
      await AnswerCost(
        units: 1 << 20, paragraphs: paragraphs, runs: 1, edits: edits, history: { 1 << 20 }
      )
      .size(of: request)
    }
    let history = HistoryReference(TestSupport.document("a"))
    for request: any MethodRequest in [
      InspectRequest(history), OutlineRequest(history), DiffRequest(history, from: .latest),
    ] {
      #expect(
        await cost(request, paragraphs: 1_000_000) >= cost(request) + 64_000_000,
        "\(type(of: request).method)")
    }
    #expect(
      await cost(UndoStepsRequest(history), edits: 1_000_000) > cost(UndoStepsRequest(history))
        + 100
        << 20)
    // Rows are written while they are made.
    #expect(await cost(ParagraphsRequest(history), paragraphs: 1_000_000) < 16 << 20)
  }
}
