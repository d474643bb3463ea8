import EditLog
import EditModel
package import EditProtocol

extension DocumentsRequest: Question {
  /// The maximum number of documents for which files are opened to find damage, in about 50 ms.
  /// With more documents, only missing and truncated files are found.
  private static let openedCountMax = 1_000

  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> DocumentsAnswer {
    let summaries = try await engine.source.documents(openingUpTo: Self.openedCountMax)
    let documents = summaries.concurrentMap { summary in
      ListedDocument(
        document: summary.document, number: summary.number, sequence: summary.lastSequence,
        size: summary.sealedSize + summary.unsealedSize,
        problem: summary.problem.map { "\($0)" }, firstTime: summary.firstTime,
        lastTime: summary.lastTime)
    }
    return DocumentsAnswer(
      documents: documents.sorted { $0.document.name.precedesExactly($1.document.name) },
      reservation: await engine.reservationOfList())
  }
}

extension FormerNameRequest: Question {
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> FormerNameAnswer {
    FormerNameAnswer(documents: try await engine.source.documents(formerlyNamed: name))
  }
}
