import EditLog
import EditModel
package import EditProtocol
import Replay

extension GrepManyRequest: Question {
  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> ManyAnswer<GrepAnswer> {
    let problem = GrepRequest.problem(of: pattern, isFixed: isFixed, ignoresCase: ignoresCase)
    if let problem {
      throw ProtocolError(.invalidParams, "the pattern cannot be used: \(problem)")
    }
    return try await engine.answers(about: documents, after: after, through: through) {
      document, engine, history throws(ProtocolError) in
      let replay = Replay(history, isVerified: isVerified)
      return GrepRequest(
        HistoryReference(document, isVerified: isVerified), pattern, isFixed: isFixed,
        ignoresCase: ignoresCase, fate: fate,
        after: try engine.sequence(of: after, "after", replay),
        through: try engine.sequence(of: through, "through", replay), limit: limit)
    } size: { answer in
      answer.matches.isEmpty && answer.count == 0
        ? nil : answer.matches.reduce(0) { $0 + $1.answerSize }
    }
  }
}

extension ActivityManyRequest: Question {
  package func answer(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> ManyAnswer<ActivityAnswer> {
    try await engine.answers(about: documents, after: after, through: through) {
      document, engine, history throws(ProtocolError) in
      let replay = Replay(history, isVerified: isVerified)
      return ActivityRequest(
        HistoryReference(document, isVerified: isVerified),
        after: try engine.sequence(of: after, "after", replay) ?? 0,
        through: try engine.sequence(of: through, "through", replay), stretches: stretches)
    } size: {
      $0.answerSize
    }
  }
}

extension QueryEngine {
  /// Bytes of a history above which its document is asked about alone. With fewer, an answer needs less
  /// memory than those for which the daemon takes none from its budget.
  private static let historySizeMax = 64 << 10
  /// Bytes of answers after which the other documents are left to the next call, about.
  private static let answerSizeMax = 256 << 10

  /// The answers to a question about several documents. `question` makes it for one of them, and `size`
  /// returns the bytes of an answer, about; nil if the answer says nothing.
  ///
  /// - Throws: `ProtocolError`: `invalidParams` if there are too many documents, `requestCancelled`.
  ///   Documents about which there is another error are among those to ask about alone.
  fileprivate func answers<One: HistoryQuestion>(
    about documents: [DocumentID], after: PointExpression?, through: PointExpression?,
    _ question: (DocumentID, QueryEngine, History) throws(ProtocolError) -> One,
    size: (One.Answer) -> Int?
  ) async throws(ProtocolError) -> ManyAnswer<One.Answer> {
    guard documents.count <= ManyDocuments.countMax else {
      throw ProtocolError(
        .invalidParams,
        "params.documents has \(documents.count) names; the maximum is \(ManyDocuments.countMax)")
    }
    // A point that cannot be read is an error of the call, and not of each document.
    if let after { _ = try point(after, "after") }
    if let through { _ = try point(through, "through") }
    let engine = work.map { working(on: $0.withoutProgress) } ?? self
    var (result, total) = (ManyAnswer<One.Answer>(), 0)
    var position = 0
    while position < documents.count {
      let end = min(documents.count, position + source.readingCountMax)
      for reading in try await source.readings(of: Array(documents[position..<end])) {
        guard total < Self.answerSizeMax else {
          result.next = position
          return result
        }
        try work?.pass(Double(position) / Double(documents.count))
        position += 1
        do throws(ProtocolError) {
          guard let history = try await reading.open(),
            history.decodedSize <= Self.historySizeMax
          else {
            result.alone.append(reading.document)
            continue
          }
          let one = try question(reading.document, engine, history)
          var answer = try await one.answer(
            engine, Replay(history, isVerified: one.history.isVerified))
          answer.reservation = Self.reservation(
            about: history, isClosed: one.isClosed, reading.facts)
          guard let size = size(answer) ?? (answer.reservation == Reservation() ? nil : 0) else {
            continue
          }
          total += size + Self.itemSize
          total += answer.reservation.warnings.reduce(0) { $0 + $1.utf8.count }
          result.answers.append(.init(document: reading.document, answer: answer))
        } catch {
          if error.code == .requestCancelled { throw error }
          result.alone.append(reading.document)
        }
      }
    }
    return result
  }

  /// Bytes of an answer besides its lists, about.
  private static let itemSize = 256

  /// The version that a point of each document names; nil without one.
  fileprivate func sequence(
    of point: PointExpression?, _ member: String, _ replay: Replay
  ) throws(ProtocolError) -> SequenceNumber? {
    guard let point else { return nil }
    return try sequence(of: self.point(point, member), replay)
  }
}

extension ShownMatch {
  fileprivate var answerSize: Int {
    256 + 2 * (text.count + context.count + (last?.context.count ?? 0))
  }
}

extension ActivityAnswer {
  fileprivate var answerSize: Int {
    (quarters.count + shares.count + pauses.count) * 128 + stretches.count * 64
      + paragraphs.reduce(0) { $0 + 128 + 2 * $1.text.count }
  }
}
