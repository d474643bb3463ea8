import EditModel
import EditProtocol

// `-g` of `log`.
extension LogCommand {
  /// The edits after which a match of the pattern appeared or vanished; nil without a pattern.
  ///
  /// - Throws: `CommandError` (64) if the pattern cannot be used.
  func matchingEdits(in session: Session) async throws -> Set<SequenceNumber>? {
    guard let pattern else { return nil }
    try GrepRequest.check(pattern, isFixed: isFixed, ignoresCase: ignoreCase)
    let (after, through) = try await range(in: session)
    return try await matchingEdits(after: after, through: through, at: .latest) { question in
      try await session.ask(name, reading, question)
    }
  }

  /// As `matchingEdits(in:)`, of some edits. `ask` asks about the document.
  func matchingEdits(
    after: SequenceNumber, through: SequenceNumber?, at version: PointExpression,
    _ ask: ((HistoryReference) -> GrepRequest) async throws -> GrepAnswer
  ) async throws -> Set<SequenceNumber> {
    var (edits, at, skip) = (Set<SequenceNumber>(), version, 0)
    while true {
      let (point, first) = (at, skip)
      let part = try await ask {
        GrepRequest(
          $0, at: point, pattern ?? "", isFixed: isFixed, ignoresCase: ignoreCase, after: after,
          through: through, skip: first, limit: GrepRequest.limitMax)
      }
      for match in part.matches {
        edits.insert(match.appeared.sequence)
        if let vanished = match.vanished { edits.insert(vanished.sequence) }
      }
      guard let next = part.next else { return edits }
      (at, skip) = (.sequence(part.sequence), next)
    }
  }
}
