import EditIngest
import EditModel
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers
import NIOCore

/// One subscription of a connection.
///
/// All entries are read from the log, those that were logged just now too, so there is no seam between
/// old and new ones. For a reader that is slow or has no credit, only a
/// place for each document is kept in memory.
final class Subscription: Sendable {
  /// Sends a delivery. Returns once the client's socket has taken it; false if the client is gone.
  typealias Send = @Sendable (AnswerBody) async -> Bool

  /// True if deliveries tell changes.
  var tellsChanges: Bool { request.changes }

  private struct State {
    var credit: Int
    var followed: Followed
    var isEnded = false
    /// Resumed when there may be something to send.
    var sleeper: CheckedContinuation<Void, Never>?

    /// True if there may be something to send, or the end has come.
    var isReady: Bool { isEnded || credit > 0 && followed.hasNext }

    /// The continuation to resume, if there may be something to send.
    mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
      isReady ? sleeper.take() : nil
    }
  }

  private let number: Int
  private let request: SubscribeRequest
  private let services: DaemonServices
  private let client: QuestionClient
  /// That of the connection.
  private let gate: DeliveryGate
  /// True if deliveries are frames of the native dialect.
  private let isNative: Bool
  private let state: NIOLockedValueBox<State>
  /// The text after the entries that were sent, if their changes are told.
  private let text: NIOLockedValueBox<KeptText>

  /// A text that is kept from one delivery to the next, and the memory that was taken for it.
  private struct KeptText {
    var text: FollowedText
    var memory: AnswerMemory?
  }

  /// The maximum number of entries of one delivery. In JSON an entry takes more memory.
  private var entryCountMax: Int { isNative ? 4_000 : 1_000 }
  /// The pause after a read that failed for a reason that may pass.
  private static let pause = Duration.milliseconds(100)

  init(
    _ number: Int, _ request: SubscribeRequest, _ services: DaemonServices,
    of client: QuestionClient, through gate: DeliveryGate, isNative: Bool
  ) {
    (self.number, self.request, self.services) = (number, request, services)
    (self.client, self.gate, self.isNative) = (client, gate, isNative)
    text = NIOLockedValueBox(KeptText(text: FollowedText(sections: request.sections)))
    let followed = Followed(
      request.document, isFromStart: request.document == nil && request.from != nil)
    state = NIOLockedValueBox(State(credit: request.credit, followed: followed))
  }

  /// Begins: finds the place from which entries are sent, and sends them until the end.
  ///
  /// - Parameters:
  ///   - send: Sends a delivery.
  ///   - begun: Called with the answer before anything is sent.
  /// - Throws: `unknownDocument`, or the error of reading the log.
  func run(
    _ send: Send, begun: (SubscribeAnswer) async -> Void
  ) async throws(ProtocolError) {
    // What is logged from here on is noted.
    let key = services.store.ingest.feed.add { [weak self] in self?.note($0) }
    defer { services.store.ingest.feed.remove(key) }
    let start = try await begin()
    await begun(start)
    while let (turn, limit) = await next() {
      switch turn {
      case .entries(let id, let place):
        guard await deliver(id, from: place, limit: limit, send) else { return end() }
      case .forgotten(let id):
        let delivery = Delivery(
          subscription: number, document: id, entries: [], next: HistoryPosition(),
          error: .unknownDocument(id))
        let body = try shortBody(of: delivery)
        guard await gate.use({ await send(body) }), request.document == nil
        else { return end() }
      }
    }
  }

  /// Sets the first places. Returns the answer, which has that of the one document.
  private func begin() async throws(ProtocolError) -> SubscribeAnswer {
    guard request.document != nil else {
      if request.from == nil { return SubscribeAnswer(subscription: number) }
      let all = try await inTurn { [store = services.store] (work) throws(ProtocolError) in
        try await store.ask(DocumentsRequest(), work).documents
      }
      // Those that were renamed since are noted by their new names.
      state.withLockedValue { state in
        for listed in all { state.followed.begin(listed.document, at: HistoryPosition()) }
      }
      return SubscribeAnswer(subscription: number)
    }
    while let document = state.withLockedValue({ $0.followed.document }) {
      let (start, undo, undoState): (HistoryPosition, FollowedUndo?, UndoState?)
      do throws(ProtocolError) {
        start = try await self.start(in: document)
        (undo, undoState) = try await self.undo(at: start, of: document)
      } catch {
        // It may have been renamed meanwhile.
        if state.withLockedValue({ $0.followed.document != document }) { continue }
        throw error
      }
      let isBegun = state.withLockedValue { state in
        guard state.followed.document == document else { return false }
        state.followed.begin(document, at: start, undo: undo)
        return true
      }
      if isBegun {
        return SubscribeAnswer(subscription: number, from: start, undoState: undoState)
      }
    }
    return SubscribeAnswer(subscription: number)
  }

  /// Runs `body` when the turn of the subscription on the connection comes, and then that of the connection.
  private func inTurn<Value: Sendable>(
    _ body: @escaping @Sendable (QuestionWork) async throws(ProtocolError) -> Value
  ) async throws(ProtocolError) -> Value {
    try await gate.use {
      await services.turns.run(for: client) { work -> Result<Value, ProtocolError> in
        do throws(ProtocolError) { return .success(try await body(work)) } catch {
          return .failure(error)
        }
      }
    }.get()
  }

  /// The place before the first entry of the one document.
  private func start(in document: DocumentID) async throws(ProtocolError) -> HistoryPosition {
    let last = try await inTurn { [engine = services.store.engine] (_) throws(ProtocolError) in
      try await engine.end(of: document)
    }
    guard let position = request.from else { return last }
    guard position.after <= last.after else {
      throw .unknownPoint("\(position.after)", document: document, latest: last.after)
    }
    return position
  }

  /// What the answer tells of the undo tree at the first place. Nil if the subscription does not ask for
  /// it.
  private func undo(
    at start: HistoryPosition, of document: DocumentID
  ) async throws(ProtocolError) -> (FollowedUndo?, UndoState?) {
    guard request.undoState else { return (nil, nil) }
    return try await inTurn {
      [services, engine = services.store.engine] (work) throws(ProtocolError) in
      var undo = FollowedUndo(at: start)
      let memory = try await services.takeMemory(for: UndoStepsRequest(HistoryReference(document)))
      let state = try await undo.state(
        skippingTo: start, of: document, in: engine.working(on: work).using(memory))
      return (undo, state)
    }
  }

  /// Notes new entries. Called on the ingest loop.
  private func note(_ commit: CommitFeed.Commit) {
    let sleeper = state.withLockedValue { state in
      state.followed.note(commit)
      return state.takeSleeper()
    }
    sleeper?.resume()
  }

  /// Allows more entries. Returns how many are allowed now.
  func add(credit: Int) -> Int {
    let (sum, sleeper) = state.withLockedValue { state in
      state.credit = min(state.credit + credit, SubscribeRequest.creditMax)
      return (max(0, state.credit), state.takeSleeper())
    }
    sleeper?.resume()
    return sum
  }

  /// Ends the subscription. Nothing is sent after this returns, except what is being sent now.
  func end() {
    let sleeper = state.withLockedValue { state in
      state.isEnded = true
      return state.sleeper.take()
    }
    sleeper?.resume()
  }

  private var isEnded: Bool { state.withLockedValue { $0.isEnded } }

  /// What to send, and how many entries. Waits until there is something. Nil at the end.
  private func next() async -> (Followed.Turn, limit: Int)? {
    while true {
      let found = state.withLockedValue { state -> (Followed.Turn, limit: Int)? in
        guard !state.isEnded, state.credit > 0 else { return nil }
        return state.followed.next().map { ($0, min(state.credit, entryCountMax)) }
      }
      if let found { return found }
      if isEnded { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLockedValue { state in
          if state.isReady { return true }
          state.sleeper = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// Sends the next entries of a document. Returns false at the end.
  private func deliver(
    _ id: DocumentID, from place: Followed.Place, limit: Int, _ send: Send
  ) async -> Bool {
    let (goesOn, pauses) = await gate.use { () -> (goesOn: Bool, pauses: Bool) in
      if client.isGone { return (false, false) }
      let read = await services.turns.run(for: client) { [self] work -> Read in
        await self.read(id, from: place, limit: limit, services.store.engine.working(on: work))
      }
      return switch read {
      case .nothing: (true, false)
      case .later: (true, true)
      case .entries(let body): (await send(body), false)
      case .failed(let body?): (await send(body) && request.document == nil, false)
      case .failed(nil): (false, false)
      }
    }
    if pauses { try? await WorkerThreads.sleep(for: Self.pause) }
    return goesOn
  }

  private enum Read {
    case nothing
    /// There is no room for them, or they cannot be read for a reason that may pass.
    case later
    case entries(AnswerBody)
    /// Nil if the error cannot be told.
    case failed(AnswerBody?)
  }

  /// Reads the next entries of a document, and writes them to memory or to a file.
  private func read(
    _ id: DocumentID, from place: Followed.Place, limit: Int, _ engine: QueryEngine
  ) async -> Read {
    do throws(ProtocolError) {
      if let read = try await snapshot(of: id, instead: place, engine) { return read }
      let found = try await engine.entries(
        of: id, from: place.position, newEvents: place.newEvents, limit: limit)
      // Entries of a subscription are read one after the other. If these are not sent, the text is read
      // again.
      var kept = takeText()
      var changes: [GroupChange]?
      if request.changes, !found.entries.isEmpty {
        let memory =
          kept.text.isKnown
          ? kept.memory : try await services.takeMemory(for: SubscribeRequest(id))
        changes = try await kept.text.changes(
          by: found.entries, of: id, in: memory.map(engine.using) ?? engine)
      }
      var undo = place.undo
      let undoState = try await undoState(after: found.entries, of: id, &undo, from: place, engine)
      let delivery = Delivery(
        subscription: number, document: id, entries: found.entries, next: found.next,
        changes: changes, undoState: undoState)
      let body = found.entries.isEmpty ? nil : try body(of: delivery)
      if body == nil, !found.entries.isEmpty { return later(id) }
      let isNext = state.withLockedValue { [undo] state in
        let next = state.followed.advance(
          id, from: place, to: found.next, undo: undo, isLast: found.isLast)
        if next != nil { state.credit -= found.entries.reduce(0) { $0 + $1.creditCost } }
        return next != nil
      }
      guard isNext else { return .nothing }
      keep(kept)
      return body.map { .entries($0) } ?? .nothing
    } catch {
      // It was set back, and is read again.
      if error.code == .requestCancelled { return .nothing }
      if error.code.isRetryable { return later(id) }
      let isUnknown = error.code == .unknownDocument
      guard state.withLockedValue({ $0.followed.end(id, at: place, isUnknown: isUnknown) }) else {
        return .nothing
      }
      let end = Delivery(
        subscription: number, document: id, entries: [], next: place.position, error: error)
      return .failed(try? shortBody(of: end))
    }
  }

  /// Drops the text that is kept. The next delivery reads it again.
  func dropText() { _ = takeText() }

  /// Removes and returns the text that is kept.
  private func takeText() -> KeptText {
    text.withLockedValue { kept in
      defer { kept = KeptText(text: FollowedText(sections: request.sections)) }
      return kept
    }
  }

  /// Keeps a text for the next delivery, if there is memory for it.
  private func keep(_ kept: consuming KeptText) {
    let size = kept.text.size
    guard size > 0 else { return }
    if !(size...2 * size).contains(kept.memory?.size ?? 0) {
      kept.memory = nil
      // Half as much again, so that the next edits need no more memory.
      kept.memory = services.takeKept(size + size / 2)
    }
    guard kept.memory != nil else { return }
    text.withLockedValue { [kept] in $0 = kept }
  }

  /// Gives a document another turn.
  private func later(_ id: DocumentID) -> Read {
    state.withLockedValue { $0.followed.add(id) }
    return .later
  }

  /// What a delivery tells of the undo tree after its entries.
  private func undoState(
    after entries: [HistoryEntry], of id: DocumentID, _ undo: inout FollowedUndo?,
    from place: Followed.Place, _ engine: QueryEngine
  ) async throws(ProtocolError) -> UndoState? {
    guard request.undoState, !entries.isEmpty else { return nil }
    let state: UndoState?
    var followed =
      undo ?? FollowedUndo(at: place.position, isExact: place.newEvents == nil)
    followed.note(entries)
    if followed.isKnown {
      state = try await followed.state(of: id, in: engine)
    } else {
      let memory = try await services.takeMemory(for: UndoStepsRequest(HistoryReference(id)))
      state = try await followed.state(of: id, in: engine.using(memory))
    }
    undo = followed
    return state
  }

  /// Leaves out the entries up to the newest version, if they are more than the client wants. Nil if they
  /// are not.
  private func snapshot(
    of id: DocumentID, instead place: Followed.Place, _ engine: QueryEngine
  ) async throws(ProtocolError) -> Read? {
    guard let countMax = request.snapshotAfter else { return nil }
    let end = try await engine.end(of: id)
    guard end.after > place.position.after, end.after - place.position.after > countMax else {
      return nil
    }
    var undo = place.undo
    var undoState: UndoState?
    if request.undoState {
      var followed = undo ?? FollowedUndo(at: end)
      let memory = try await services.takeMemory(for: UndoStepsRequest(HistoryReference(id)))
      undoState = try await followed.state(skippingTo: end, of: id, in: engine.using(memory))
      undo = followed
    }
    let isCurrent = state.withLockedValue { [undo] state in
      guard
        state.followed.advance(id, from: place, to: end, undo: undo, isLast: false) != nil
      else { return false }
      state.credit -= 1
      return true
    }
    guard isCurrent else { return .nothing }
    dropText()
    let delivery = Delivery(
      subscription: number, document: id, entries: [], next: end, isSnapshot: true,
      undoState: undoState)
    return .entries(try shortBody(of: delivery))
  }

  /// The bytes of a delivery, in a file if it is long. Nil if there is no room for a file.
  private func body(of delivery: Delivery) throws(ProtocolError) -> AnswerBody? {
    let frame = isNative ? try delivery.nativeFrame() : nil
    do throws(AnswerFile.Failure) {
      if let frame { return try AnswerBody(frame: frame, services.answerFiles) }
      return try AnswerBody(
        .notification(method: Delivery.method, params: delivery.params), services.answerFiles)
    } catch { return nil }
  }

  /// The bytes of a delivery without entries, which is short.
  private func shortBody(of delivery: Delivery) throws(ProtocolError) -> AnswerBody {
    if isNative { return .memory(ByteBuffer(bytes: try delivery.nativeFrame())) }
    return AnswerBody(inMemory: .notification(method: Delivery.method, params: delivery.params))
  }
}
