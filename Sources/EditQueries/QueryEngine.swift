import EditLog
import EditModel
package import EditProtocol
import Replay
import TextState

/// Answers every question about histories. The daemon and the command line ask it alike, so that an
/// answer does not depend on who gives it.
package struct QueryEngine: Sendable {
  let source: any HistorySource
  let clock: QueryClock
  private let states = PartCache<VersionKey, TextState>()
  let diffs = PartCache<DiffParts.Key, DiffParts>()

  /// Questions to `source`.
  package init(_ source: any HistorySource, clock: QueryClock = .system) {
    (self.source, self.clock) = (source, clock)
  }

  /// The answer to a question.
  ///
  /// - Throws: `ProtocolError` if the document or the point does not exist, or the log cannot be
  ///   read.
  package func answer<Q: Question>(_ question: Q) async throws(ProtocolError) -> Q.Answer {
    try await question.answer(self)
  }

  /// Forgets what is kept for the next part of an answer. Called after a repair: versions may have
  /// other texts.
  package func dropParts() {
    states.drop()
    diffs.drop()
  }

  /// Why an answer may lack something: losses that are not accepted.
  private func lossWarnings(
    _ consequence: String = "this history may lack edits that were acknowledged"
  ) async -> [String] {
    do {
      return try await source.losses().filter { $0.acceptedTime == nil }.map {
        """
        \($0): \(consequence); see `editlog verify`, and `editlog repair --accept-loss` once you \
        know what is gone
        """
      }
    } catch { return ["the store's losses cannot be read: \(error)"] }
  }

  /// What an answer about `history` may lack.
  func reservation(about history: History, isClosed: Bool) async -> Reservation {
    var warnings = history.damage.filter { !$0.isAccepted }.map {
      """
      \(history.document.shown) lacks \($0.missing) that were acknowledged, after edit \
      \($0.after); see `editlog verify`
      """
    }
    warnings += await lossWarnings()
    // Lost edits come after every edit that can be named by its number.
    let isIncomplete = warnings.isEmpty || isClosed ? false : await mayLackEdits
    return Reservation(warnings: warnings, isIncomplete: isIncomplete)
  }

  /// What a list of documents may lack.
  func reservationOfList() async -> Reservation {
    Reservation(
      warnings: await lossWarnings("documents may be missing from this list, or edits of them"),
      isIncomplete: await mayLackEdits)
  }

  /// True if acknowledged edits of any document may be lost and the loss is not accepted.
  private var mayLackEdits: Bool {
    get async {
      do { return try await source.losses().contains(where: \.mayConcernAnyDocument) } catch {
        return true
      }
    }
  }

  func history(of document: DocumentID) async throws(ProtocolError) -> History {
    if let history = try await source.history(of: document) { return history }
    var error = ProtocolError.unknownDocument(document)
    for warning in await lossWarnings("it may be lost with what was acknowledged of it") {
      error.message += "; \(warning)"
    }
    throw error
  }

  /// The point that an expression names; `member` is its name in the call.
  func point(_ expression: PointExpression, _ member: String) throws(ProtocolError) -> Point {
    do {
      return try PointParser(now: clock.now(), utcOffset: clock.utcOffset).parse(expression.text)
    } catch { throw ProtocolError(.invalidParams, "params.\(member): \(error)") }
  }

  /// The state at a point: the newest if it is in memory, one kept from the part of an answer
  /// before, else by replay.
  func state(
    at expression: PointExpression, _ member: String, _ replay: Replay
  ) async throws(ProtocolError) -> TextState {
    let point = try point(expression, member)
    let history = replay.history
    try await refuseLost(point, history)
    do throws(ReplayError) {
      let sequence = try replay.sequence(of: point)
      if !replay.isVerified, sequence == history.lastSequence,
        let newest = await source.newestState(of: history.document), newest.sequence == sequence
      {
        return newest
      }
      if let kept = takeState(sequence, replay) { return kept }
      return try replay.state(at: .sequence(sequence))
    } catch {
      throw ProtocolError(error, of: history)
    }
  }

  /// Keeps a state for a while, for the next part of an answer.
  func keep(_ state: TextState, _ replay: Replay) {
    states.put(state, VersionKey(state.sequence, replay))
  }

  /// Removes and returns the state that was kept for this version, if it still is.
  func takeState(_ sequence: SequenceNumber, _ replay: Replay) -> TextState? {
    states.take(VersionKey(sequence, replay))
  }

  /// Refuses a point at which edits that were acknowledged are lost to damage: the text there is
  /// not known. If the history goes on after the damage, its newest text is known again.
  func refuseLost(_ point: Point, _ history: History) async throws(ProtocolError) {
    guard let damage = history.damage.last, damage.after == history.lastSequence,
      !damage.isAccepted
    else { return }
    switch point {
    case .sequence(let sequence) where sequence <= damage.after: return
    case .mark: return
    case .sequence, .latest, .time: break
    }
    let quarantined = try await source.status().quarantine.keys
    throw .loss(damage, of: history.document, in: Array(quarantined)) { file in
      """
      \(history.document.shown) lacks \(damage.missing) after edit \(damage.after), \
      which were acknowledged and are damaged in \(file); its text up to there is sound (--at \
      \(damage.after))
      """
    }
  }
}
