import EditModel
import EditProtocol
import Synchronization

/// A connection with one subscription, made again when it is lost.
struct SubscriptionLink {
  /// The cost of the entries that the daemon may send before some are taken.
  static let credit = 8_000
  private static let (pauseMin, pauseMax) = (Duration.milliseconds(10), Duration.seconds(1))
  /// The number of the only subscription of a connection.
  private static let number = 1

  private struct Link {
    let link: NativeLink
    var answers: AsyncStream<NativeAnswer>.Iterator
    /// The cost of the entries that were taken and for which no credit was given again.
    var taken = 0
  }

  private let socket: String
  private let note: @Sendable (String) -> Void
  private let connection: @Sendable (Bool) -> Void
  private let limits: SilenceLimits
  private var link: Link?
  private var wasConnected = false
  /// Why the connection was lost, if that is known.
  private var reason: ProtocolError?

  /// A link to the daemon's socket. `note` takes a line for a person when the connection is lost and
  /// when it is back, `connection` then whether it is there.
  init(
    to socket: String, _ limits: SilenceLimits, _ note: @escaping @Sendable (String) -> Void,
    _ connection: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    (self.socket, self.note, self.connection) = (socket, note, connection)
    self.limits = limits
  }

  var isConnected: Bool { link != nil }

  /// Connects and subscribes, with the credit `credit`. After the first success, tries again until it
  /// succeeds or the task is cancelled. Returns the place from which entries are sent, if it is known.
  ///
  /// - Throws: `ProtocolError`: `unreachable` if the first attempt fails; the daemon's refusal.
  mutating func connect(_ request: SubscribeRequest) async throws -> HistoryPosition? {
    var pause = Self.pauseMin
    if wasConnected {
      note(
        reason?.code == .unresponsive
          ? "the daemon at \(socket) does not answer; waiting for it"
          : "the connection to the daemon was lost; waiting for it")
      connection(false)
    }
    while true {
      do {
        let position = try await attempt(request)
        if wasConnected {
          note("the daemon is back")
          connection(true)
        }
        wasConnected = true
        return position
      } catch let error as ProtocolError where wasConnected && error.code.isRetryable {
        do { try await Task.sleep(for: pause) } catch { return nil }
        pause = min(pause * 2, Self.pauseMax)
      }
    }
  }

  private final class Flag: Sendable { let value = Atomic(false) }

  private mutating func attempt(_ request: SubscribeRequest) async throws -> HistoryPosition? {
    let (answers, feed) = AsyncStream.makeStream(of: NativeAnswer.self)
    let hello = NativeHello(client: nil, session: SessionID.newRun(of: "follower"))
    let hasBegun = Flag()
    let link = try await NativeLink.connect(
      to: socket, hello, wasConnected ? limits.quiet : limits,
      // Entries may come at any time, or never.
      awaited: { hasBegun.value.load(ordering: .relaxed) ? .events : .answer }
    ) { answer in
      if case .subscribed = answer { hasBegun.value.store(true, ordering: .relaxed) }
      if let answer { feed.yield(answer) } else { feed.finish() }
    }
    link.send(NativeFollowing(Self.number, request).write)
    self.link = Link(link: link, answers: answers.makeAsyncIterator())
    do { return try await begin() } catch {
      await leave()
      throw error
    }
  }

  /// Waits until the subscription has begun.
  private mutating func begin() async throws(ProtocolError) -> HistoryPosition? {
    while let answer = await link?.answers.next() {
      switch answer {
      case .subscribed(let answer): return answer.from
      case .ended(let end): throw end.error
      case .delivered, .grant, .ack, .nack, .pong: continue
      }
    }
    throw link?.link.reason ?? .unreachable(socket: socket, "the connection was lost")
  }

  /// The next delivery. Nil if the connection is lost, or there is none.
  ///
  /// - Throws: `ProtocolError`: the end of the subscription.
  mutating func next() async throws -> Delivery? {
    let next: Delivery?
    do throws(ProtocolError) { next = try await nextOfLink() } catch {
      await leave()
      throw error
    }
    if next == nil {
      reason = link?.link.reason
      await leave()
    }
    return next
  }

  private mutating func nextOfLink() async throws(ProtocolError) -> Delivery? {
    guard var current = link else { return nil }
    defer { link = current }
    if current.taken >= Self.credit / 2 {
      let credit = CreditRequest(subscription: Self.number, credit: current.taken)
      current.taken = 0
      current.link.send(NativeFollowing(credit).write)
    }
    while let answer = await current.answers.next() {
      switch answer {
      case .delivered(let delivery):
        current.taken += delivery.entries.reduce(0) { $0 + $1.creditCost }
        return delivery
      case .ended(let end): throw end.error
      case .subscribed, .grant, .ack, .nack, .pong: continue
      }
    }
    return nil
  }

  /// Ends the connection.
  mutating func leave() async {
    await link?.link.close()
    link = nil
  }
}
