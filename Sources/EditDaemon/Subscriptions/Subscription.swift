import DequeModule
import EditIngest
import EditModel
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers

/// One subscription of a connection.
///
/// All entries are read from the log, those that were logged just now too, so there is no seam between
/// old and new ones. A reader that is slow or has no credit costs nothing but a place for each document.
final class Subscription: Sendable {
  /// Sends entries. Returns once the client's socket has taken them; false if the client is gone.
  typealias Send = @Sendable (Delivery) async -> Bool

  private struct State {
    var credit: Int
    /// The place up to which entries were sent, of each document with entries since the start.
    var positions: [DocumentID: HistoryPosition] = [:]
    /// The documents that may have more, in the order of their turns.
    var waiting: Deque<DocumentID> = []
    var isWaiting: Set<DocumentID> = []
    /// Forgotten documents of which that was not sent yet.
    var forgotten: Set<DocumentID> = []
    var isEnded = false
    /// Resumed when there may be something to send.
    var sleeper: CheckedContinuation<Void, Never>?

    mutating func add(_ id: DocumentID) {
      if isWaiting.insert(id).inserted { waiting.append(id) }
    }

    mutating func takeFirst() -> DocumentID? {
      let first = waiting.popFirst()
      if let first { isWaiting.remove(first) }
      return first
    }

    /// True if there may be something to send, or the end has come.
    var isReady: Bool { isEnded || credit > 0 && !waiting.isEmpty }

    /// The continuation to resume, if there may be something to send.
    mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
      isReady ? sleeper.take() : nil
    }
  }

  private let number: Int
  private let document: DocumentID?
  private let services: DaemonServices
  private let state: NIOLockedValueBox<State>

  /// The maximum number of entries of one delivery.
  private static let entryCountMax = 1_000

  init(_ number: Int, _ request: SubscribeRequest, _ services: DaemonServices) {
    (self.number, self.document, self.services) = (number, request.document, services)
    state = NIOLockedValueBox(State(credit: request.credit))
  }

  /// Begins: finds the place from which entries are sent, and sends them until the end.
  ///
  /// - Parameter begun: Called with the place before anything is sent.
  /// - Throws: `unknownDocument`, or the error of reading the log.
  func run(
    from position: HistoryPosition?, _ send: Send, begun: (HistoryPosition?) async -> Void
  ) async throws(ProtocolError) {
    // What is logged from here on is noted.
    let key = services.store.ingest.feed.add { [weak self] in self?.note($0) }
    defer { services.store.ingest.feed.remove(key) }
    let start = try await begin(at: position)
    await begun(start)
    while let turn = await next() {
      switch turn {
      case .entries(let id, let position, let limit):
        guard await deliver(id, from: position, limit: limit, send) else { return end() }
      case .forgotten(let id):
        let delivery = Delivery(
          subscription: number, document: id, entries: [], next: HistoryPosition(),
          error: ProtocolError.unknownDocument(id).message)
        guard await send(delivery), document == nil else { return end() }
      }
    }
  }

  /// Sets the first places. Returns that of the one document.
  private func begin(at position: HistoryPosition?) async throws(ProtocolError) -> HistoryPosition?
  {
    guard let document else {
      if position == nil { return nil }
      let all = try await services.store.ask(DocumentsRequest()).documents
      state.withLockedValue { state in
        for listed in all {
          state.positions[listed.document] = HistoryPosition()
          state.add(listed.document)
        }
      }
      return nil
    }
    let last = try await services.store.engine.end(of: document)
    if let position, position.after > last.after {
      throw .unknownPoint("\(position.after)", document: document, latest: last.after)
    }
    let start = position ?? last
    state.withLockedValue { state in
      state.positions[document] = start
      state.add(document)
    }
    return start
  }

  /// Notes new entries. Called on the ingest loop.
  private func note(_ commit: CommitFeed.Commit) {
    let sleeper = state.withLockedValue { state in
      for (old, new) in commit.newNames {
        guard let position = state.positions.removeValue(forKey: old) else { continue }
        state.positions[new] = position
        state.add(new)
      }
      if let id = commit.forgotten, state.positions.removeValue(forKey: id) != nil {
        state.forgotten.insert(id)
        state.add(id)
      }
      for (id, before) in commit.documents {
        if state.positions[id] == nil {
          guard document == nil else { continue }
          // The events before the new entries were logged before the start.
          let isNew = before == 0
          state.positions[id] = HistoryPosition(after: before, events: isNew ? 0 : .max)
        }
        state.add(id)
      }
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

  /// What to send next.
  private enum Turn {
    case entries(DocumentID, from: HistoryPosition, limit: Int)
    case forgotten(DocumentID)
  }

  /// What to send next. Waits until there is something. Nil at the end.
  private func next() async -> Turn? {
    while true {
      let found = state.withLockedValue { state -> Turn? in
        guard !state.isEnded, state.credit > 0 else { return nil }
        while let id = state.takeFirst() {
          // Entries that are logged from here on add the document again.
          if state.forgotten.remove(id) != nil {
            if state.positions[id] != nil { state.add(id) }
            return .forgotten(id)
          }
          guard let position = state.positions[id] else { continue }
          return .entries(id, from: position, limit: min(state.credit, Self.entryCountMax))
        }
        return nil
      }
      if let found { return found }
      if state.withLockedValue({ $0.isEnded }) { return nil }
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
    _ id: DocumentID, from position: HistoryPosition, limit: Int, _ send: Send
  ) async -> Bool {
    var delivery = Delivery(subscription: number, document: id, entries: [], next: position)
    do throws(ProtocolError) {
      let found = try await services.store.engine.entries(of: id, from: position, limit: limit)
      (delivery.entries, delivery.next) = (found.entries, found.next)
      state.withLockedValue { state in
        // It may have been renamed meanwhile.
        if state.positions[id] != nil { state.positions[id] = found.next }
        state.credit -= found.entries.reduce(0) { $0 + $1.creditCost }
        if !found.isLast { state.add(id) }
      }
      if delivery.entries.isEmpty { return true }
    } catch {
      let wasRenamed = state.withLockedValue { $0.positions[id] == nil }
      if wasRenamed { return true }
      delivery.error = error.message
      state.withLockedValue { $0.positions[id] = nil }
    }
    return await send(delivery) && (delivery.error == nil || document == nil)
  }
}
