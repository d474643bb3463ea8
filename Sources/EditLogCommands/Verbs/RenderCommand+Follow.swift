import EditClient
import EditModel
import EditProtocol
import EditQueries
import Glibc

// `render --follow`.
extension RenderCommand {
  /// Shows the newest version, and again whenever edits were logged or the terminal has another width, until it
  /// is interrupted. On a terminal, each version takes the place of the one before.
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
    let resizes = TerminalResizes()
    var width = session.width
    for try await last in Self.changes(follower, session.width == nil ? nil : resizes.stream) {
      let isResized = session.width != nil && Terminal.width(STDOUT_FILENO) != width
      // An edit may have been shown together with edits before it.
      guard last ?? 0 > shown || isResized else { continue }
      if isResized { width = Terminal.width(STDOUT_FILENO) }
      var session = session
      session.width = width
      shown = try await show(session)
    }
  }

  /// The last edit of each delivery, and nil after each change of the terminal's size.
  private static func changes(
    _ follower: EditFollower, _ resizes: AsyncStream<Void>?
  ) -> AsyncThrowingStream<SequenceNumber?, any Error> {
    AsyncThrowingStream { continuation in
      let work = Task {
        await withTaskGroup { group in
          group.addTask {
            do {
              for try await delivery in follower {
                continuation.yield(
                  delivery.entries.reduce(SequenceNumber(0)) { last, entry in
                    if case .edit(let edit) = entry { max(last, edit.sequence) } else { last }
                  })
              }
              continuation.finish()
            } catch { continuation.finish(throwing: error) }
          }
          if let resizes {
            group.addTask { for await _ in resizes { continuation.yield(nil) } }
          }
          await group.next()
          group.cancelAll()
        }
      }
      continuation.onTermination = { _ in work.cancel() }
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
