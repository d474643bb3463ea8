import EditLog
package import EditModel
package import EditProtocol
import Projections
import Replay
import Synchronization
import TextState

/// Calls a closure after a time.
package typealias QueryTimer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

/// Answers every question about histories. The daemon and the command line use it, so both give the
/// same answer.
package struct QueryEngine: Sendable {
  let source: any HistorySource
  let clock: QueryClock
  /// The work on the answer that this engine makes; nil if it cannot be cancelled.
  private(set) var work: QuestionWork?
  /// The generation of the caches when the question began that this engine answers. Before a
  /// question begins, it is the first one, so that nothing is cached after the first drop.
  private(set) var generation: UInt64 = 0
  private let generations = CacheGenerations()
  /// What was taken for the answer that this engine makes.
  private var memory = AnswerMemory(0) { _ in }
  private let parts: PartCache
  private let kept: StateCache
  let styles = StyleCache()

  /// An engine that reads `source`. `timer` ends the time for which values are kept for the next part of
  /// an answer; without it they are kept as long as the engine.
  package init(
    _ source: any HistorySource, clock: QueryClock = .system,
    timer: @escaping QueryTimer = { _, _ in }
  ) {
    (self.source, self.clock) = (source, clock)
    (parts, kept) = (PartCache(timer), StateCache(timer))
  }

  /// The answer to a question. `work` cancels the work on it, and gets its progress.
  ///
  /// - Throws: `ProtocolError` if the document or the point does not exist, the log cannot be read, or
  ///   the work was cancelled.
  package func answer<Q: Question>(
    _ question: Q, _ work: QuestionWork? = nil
  ) async throws(ProtocolError) -> Q.Answer {
    let engine = begun(work)
    if work?.isCancelled == true { throw .requestCancelled }
    return try await question.answer(engine)
  }

  /// This engine for work that gives way to others, or is cancelled.
  package func working(on work: QuestionWork) -> QueryEngine {
    var engine = self
    engine.work = work
    return engine
  }

  /// This engine for an answer for which memory was taken. What is kept for its next part keeps the memory.
  package func using(_ memory: AnswerMemory) -> QueryEngine {
    var engine = self
    engine.memory = memory
    return engine
  }

  /// Gives back the memory of what is kept for the next parts of answers. A question about `document` needs
  /// the memory, and may still use the value that was kept of that document last.
  package func makeRoom(for document: DocumentID?) { parts.makeRoom(for: document) }

  /// The engine for a question that begins now: it has to open the history after this call. What it
  /// makes is cached until `dropCaches`.
  func begun(_ work: QuestionWork? = nil) -> QueryEngine {
    var engine = self
    (engine.work, engine.generation) = (work ?? self.work, generations.current)
    return engine
  }

  /// Drops everything that is kept for later answers. Called after a repair, because versions may then
  /// have other texts, and after a document was renamed or forgotten. Questions that began before the
  /// call cache nothing after it, because they may have opened the old history.
  package func dropCaches() {
    let generation = generations.next()
    kept.drop(before: generation)
    parts.drop(before: generation)
    styles.drop(before: generation)
  }

  /// A warning for each loss that is not accepted.
  private static func lossWarnings(
    _ losses: Result<[StoreLoss], ProtocolError>,
    _ consequence: String = "this history may lack edits that were acknowledged"
  ) -> [String] {
    switch losses {
    case .success(let losses):
      losses.filter { $0.acceptedTime == nil }.map {
        """
        \($0): \(consequence); see `editlog verify`, then accept the loss with `editlog repair \
        --accept-loss`
        """
      }
    case .failure(let error): ["the store's losses cannot be read: \(error)"]
    }
  }

  /// A warning for each attachment of a document that was acknowledged and cannot be given back.
  private static func attachmentWarnings(
    of document: DocumentID, _ losses: Result<[AttachmentLoss], ProtocolError>
  ) -> [String] {
    switch losses {
    case .success(let losses):
      losses.map { loss in
        """
        \(document.shown) lacks the attachment \(loss.digest): \(loss.problem); put the file back \
        from a copy, attach the same bytes again, or accept the loss with `editlog repair \
        --accept-loss`
        """
      }
    case .failure(let error): ["the attachments of \(document.shown) cannot be checked: \(error)"]
    }
  }

  /// The warnings of an answer about `history`.
  func reservation(about history: History, isClosed: Bool) async -> Reservation {
    let document = history.document
    let facts = WarningFacts(
      losses: await losses,
      attachments: await Self.result { () async throws(ProtocolError) in
        try await source.attachmentLosses(of: document)
      },
      others: await Self.result { () async throws(ProtocolError) in
        try await source.otherHistories(of: document)
      })
    return Self.reservation(about: history, isClosed: isClosed, facts)
  }

  /// The warnings of an answer about `history`.
  static func reservation(
    about history: History, isClosed: Bool, _ facts: WarningFacts
  ) -> Reservation {
    var warnings = history.damage.filter { !$0.isAccepted }.map {
      """
      \(history.document.shown) lacks \($0.missing) that were acknowledged, after edit \
      \($0.after); see `editlog verify`
      """
    }
    warnings += lossWarnings(facts.losses)
    warnings += attachmentWarnings(of: history.document, facts.attachments)
    // Lost edits come after every edit that has a number.
    let isIncomplete = warnings.isEmpty || isClosed ? false : mayLackEdits(facts.losses)
    return Reservation(
      warnings: otherHistories(of: history.document, facts.others) + warnings,
      isIncomplete: isIncomplete)
  }

  /// A warning that names the other histories of a file that has several.
  private static func otherHistories(
    of document: DocumentID, _ others: Result<[DocumentID], ProtocolError>
  ) -> [String] {
    switch others {
    case .failure(let error):
      return ["other histories of \(document.shown) cannot be looked up: \(error)"]
    case .success(let others):
      guard !others.isEmpty else { return [] }
      let names = others.map(\.shown).joined(separator: " and ")
      return [
        """
        \(document.shown) has \(others.count == 1 ? "an older history" : "older histories"), \
        which an older version began for another spelling of its name: \(names)
        """
      ]
    }
  }

  /// The warnings of a list of documents.
  func reservationOfList() async -> Reservation {
    let losses = await losses
    return Reservation(
      warnings: Self.lossWarnings(
        losses, "documents may be missing from this list, or edits of them"),
      isIncomplete: Self.mayLackEdits(losses))
  }

  /// True if acknowledged edits of any document may be lost and the loss is not accepted.
  private static func mayLackEdits(_ losses: Result<[StoreLoss], ProtocolError>) -> Bool {
    switch losses {
    case .success(let losses): losses.contains(where: \.mayConcernAnyDocument)
    case .failure: true
    }
  }

  /// The losses that cannot be assigned to a document.
  private var losses: Result<[StoreLoss], ProtocolError> {
    get async {
      await Self.result { () async throws(ProtocolError) in try await source.losses() }
    }
  }

  private static func result<Value>(
    _ body: () async throws(ProtocolError) -> Value
  ) async -> Result<Value, ProtocolError> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  func history(of document: DocumentID) async throws(ProtocolError) -> History {
    if let history = try await source.history(of: document) { return history }
    var error = ProtocolError.unknownDocument(document)
    let warnings = Self.lossWarnings(
      await losses, "the document may be lost with its acknowledged edits")
    for warning in warnings {
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

  /// The state at a point: the newest if it is in memory, or the one cached for the part before,
  /// else by replay from a state that is kept. `share` is the part of the work on the answer that this
  /// is.
  func state(
    at expression: PointExpression, _ member: String, _ replay: Replay,
    share: ClosedRange<Double> = 0...1
  ) async throws(ProtocolError) -> TextState {
    let point = try point(expression, member)
    let history = replay.history
    try await refuseLost(point, history)
    // Only an undo step is found by reading the history.
    var middle = share.lowerBound
    if case .undo = point { middle = (middle + share.upperBound) / 2 }
    let sequence = try sequence(of: point, replay, share: share.lowerBound...middle)
    if !replay.isVerified, sequence == history.lastSequence,
      let newest = await source.newestState(of: history.document), newest.sequence == sequence
    {
      return newest
    }
    if let kept = takeState(sequence, replay) { return kept }
    return try version(sequence, replay, share: middle...share.upperBound)
  }

  /// The version that a point names. `share` is the part of the work on the answer that this is.
  func sequence(
    of point: Point, _ replay: Replay, share: ClosedRange<Double> = 0...1
  ) throws(ProtocolError) -> SequenceNumber {
    var progress = FoldProgress(work, 0...replay.history.lastSequence, share: share)
    do { return try replay.sequence(of: point) { try progress.note($0) } } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
  }

  /// The state at a version of the history: replayed from the nearest state that is kept. `share` is
  /// the part of the work on the answer that this is.
  func version(
    _ sequence: SequenceNumber, _ replay: Replay, share: ClosedRange<Double> = 0...1
  ) throws(ProtocolError) -> TextState {
    var progress = FoldProgress(work, 0...sequence, share: share)
    do {
      return try kept.states(of: replay, generation).state(at: sequence, replay) {
        try progress.note($0)
      }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }

  /// The places of steps in the history.
  func stepPlaces(_ replay: Replay) throws -> StepPlaces {
    var progress = FoldProgress(work, 0...replay.history.lastSequence, share: 0...0)
    return try StepPlaces(replay, kept.states(of: replay, generation)) { try progress.note($0) }
  }

  /// Caches a state for the next part of an answer.
  func keep(_ state: TextState, _ replay: Replay) {
    keepPart(state, .state(VersionKey(state.sequence, replay)), replay)
  }

  /// Removes and returns the cached state of this version. Nil if there is none.
  func takeState(_ sequence: SequenceNumber, _ replay: Replay) -> TextState? {
    takePart(.state(VersionKey(sequence, replay)))
  }

  /// Caches a value for the next part of an answer.
  func keepPart(_ value: some Sendable, _ key: PartKey, _ replay: Replay) {
    parts.put(value, key, of: replay.history.document, memory, generation)
  }

  /// Removes and returns the cached value. Nil if there is none.
  func takePart<Value: Sendable>(_ key: PartKey) -> Value? { parts.take(key, generation) }

  /// Refuses a point at which acknowledged edits are lost by damage, because the text there is
  /// unknown. If the history continues after the damage, its newest text is known.
  func refuseLost(_ point: Point, _ history: History) async throws(ProtocolError) {
    guard let damage = history.damage.last, damage.after == history.lastSequence,
      !damage.isAccepted
    else { return }
    switch point {
    case .sequence(let sequence) where sequence <= damage.after: return
    case .mark, .save, .session, .undo: return
    case .sequence, .latest, .time: break
    }
    let quarantined = try await source.status().quarantine.keys
    throw .loss(damage, of: history.document, in: Array(quarantined)) { file in
      """
      \(history.document.shown) lacks \(damage.missing) after edit \(damage.after), \
      which were acknowledged and are damaged in \(file); the text up to that edit is sound (--at \
      \(damage.after))
      """
    }
  }
}

/// Counts how often the caches of an engine were dropped. A question takes the number when it begins.
private final class CacheGenerations: Sendable {
  private let number = Atomic<UInt64>(0)

  var current: UInt64 { number.load(ordering: .acquiring) }

  /// Starts a new generation, and returns it.
  func next() -> UInt64 { number.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
