import EditModel
import EditProtocol

// `-g` of `log`.
extension LogCommand {
  /// The edits after which a match of the pattern appeared or vanished; nil without a pattern.
  ///
  /// - Throws: `CommandError` (64) if the pattern cannot be used.
  func matchingEdits(in session: Session) async throws -> Set<SequenceNumber>? {
    guard let pattern else { return nil }
    try GrepRequest.check(pattern)
    let (after, through) = try await range(in: session)
    var (edits, at, skip, options) = (
      Set<SequenceNumber>(), PointExpression.latest, 0, reading
    )
    while true {
      let (point, first) = (at, skip)
      let part = try await session.ask(name, options) {
        GrepRequest(
          $0, at: point, pattern, after: after, through: through, skip: first,
          limit: GrepRequest.limitMax)
      }
      for match in part.matches {
        edits.insert(match.appeared.sequence)
        if let vanished = match.vanished { edits.insert(vanished.sequence) }
      }
      guard let next = part.next else { return edits }
      (at, skip, options) = (.sequence(part.sequence), next, reading.afterFirstPart)
    }
  }
}
