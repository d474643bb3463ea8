import EditClient
import EditModel
import EditProtocol
import EditQueries

// `render --follow`.
extension RenderCommand {
  /// Shows the newest version, and again whenever edits were logged, until it is interrupted. On a
  /// terminal, each version takes the place of the one before.
  func followDocument(in session: Session) async throws {
    guard let socket = session.backend.socket else {
      throw ProtocolError(
        .unreachable,
        """
        --follow needs the daemon, which tells what is logged; start editlogd, or leave out --store
        """)
    }
    var document: DocumentID?
    var shown = try await session.ask(name, reading) { reference in
      document = reference.document
      return StateRequest(reference, VersionPart(at: .latest, limit: 1))
    }.sequence
    guard let document else { return }
    let follower = EditFollower(
      document, at: socket, from: HistoryPosition(after: shown),
      note: { session.note("editlog: \($0)") }, silence: session.silence)
    shown = try await show(session)
    for try await delivery in follower {
      let last = delivery.entries.reduce(SequenceNumber(0)) { last, entry in
        if case .edit(let edit) = entry { max(last, edit.sequence) } else { last }
      }
      // It may have been shown together with edits before it.
      if last > shown { shown = try await show(session) }
    }
  }

  /// Shows the newest version, and returns its number.
  private func show(_ session: Session) async throws -> SequenceNumber {
    // Erases the screen, and begins at its top (ECMA-48, ED and CUP).
    if session.width != nil { try session.output.write("\u{1B}[2J\u{1B}[H") }
    let sequence = try await render(.latest, session).sequence
    try session.output.flush()
    return sequence
  }
}
