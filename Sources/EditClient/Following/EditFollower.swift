import EditJSON
public import EditModel
public import EditProtocol
import Synchronization

/// The entries of one document as they are logged, from a place on, through daemons that are stopped,
/// killed and started again: none is left out, and none comes twice.
///
/// The daemon sends only as much as was taken from the sequence, so a slow reader costs a bounded amount
/// of memory on both sides.
///
/// ```swift
/// for try await delivery in EditFollower(document, at: socket, from: HistoryPosition()) {
///   for entry in delivery.entries { … }
/// }
/// ```
public struct EditFollower: AsyncSequence, Sendable {
  /// Entries, and the place after them.
  public typealias Element = Delivery

  private let document: DocumentID
  private let socket: String
  private let start: HistoryPosition?
  private let note: @Sendable (String) -> Void

  /// A sequence of entries.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - socket: The path of the daemon's socket.
  ///   - start: The place before the first entry. If nil, the entries that are logged from the first
  ///     call of `next()` on.
  ///   - note: Takes a line for a person when the connection is lost and when it is back.
  public init(
    _ document: DocumentID, at socket: String, from start: HistoryPosition? = nil,
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.document, self.socket, self.start, self.note) = (document, socket, start, note)
  }

  /// An iterator, which connects when it is first asked.
  public func makeAsyncIterator() -> Iterator { Iterator(document, socket, start, note) }

  /// Connects, reads, and connects again.
  public struct Iterator: AsyncIteratorProtocol {
    /// The cost of the entries that the daemon may send before some are taken.
    private static let credit = 4_000
    private static let (pauseMin, pauseMax) = (Duration.milliseconds(10), Duration.seconds(1))

    private struct Link {
      let client: EditLogClient
      let subscription: Int
      var deliveries: AsyncStream<Delivery>.Iterator
      /// The cost of the entries that were taken and for which no credit was given again.
      var taken = 0
    }

    private var document: DocumentID
    private let socket: String
    private var position: HistoryPosition?
    private let note: @Sendable (String) -> Void
    private var link: Link?
    private var wasConnected = false

    fileprivate init(
      _ document: DocumentID, _ socket: String, _ position: HistoryPosition?,
      _ note: @escaping @Sendable (String) -> Void
    ) {
      (self.document, self.socket, self.position, self.note) = (document, socket, position, note)
    }

    /// The next entries. Waits for them, and for a daemon. Nil if the task is cancelled.
    ///
    /// - Throws: `ProtocolError`: `unreachable` if the first attempt to connect fails; the daemon's
    ///   refusal, for example because there is no such document, or because it was forgotten.
    public mutating func next() async throws -> Delivery? {
      while !Task.isCancelled {
        if link == nil { try await connect() }
        guard let delivery = await nextOfLink() else {
          await leave()
          continue
        }
        (document, position) = (delivery.document, delivery.next)
        if let error = delivery.error {
          await leave()
          throw error
        }
        if !delivery.entries.isEmpty { return delivery }
      }
      await leave()
      return nil
    }

    /// The next delivery of the connection. Nil if it is lost.
    private mutating func nextOfLink() async -> Delivery? {
      guard var current = link else { return nil }
      defer { link = current }
      if current.taken >= Self.credit / 2 {
        let credit = CreditRequest(subscription: current.subscription, credit: current.taken)
        current.taken = 0
        guard (try? await current.client.call(credit)) != nil else { return nil }
      }
      guard let delivery = await current.deliveries.next() else { return nil }
      current.taken += delivery.entries.reduce(0) { $0 + $1.creditCost }
      return delivery
    }

    private mutating func leave() async {
      await link?.client.close()
      link = nil
    }

    /// Connects and subscribes. After the first success, tries again until it succeeds or the task is
    /// cancelled.
    private mutating func connect() async throws {
      var pause = Self.pauseMin
      if wasConnected { note("the connection to the daemon was lost; waiting for it") }
      while true {
        do {
          try await attempt()
          if wasConnected { note("the daemon is back") }
          wasConnected = true
          return
        } catch let error as ProtocolError where wasConnected && error.code.isRetryable {
          do { try await Task.sleep(for: pause) } catch { return }
          pause = Swift.min(pause * 2, Self.pauseMax)
        }
      }
    }

    private mutating func attempt() async throws {
      let (deliveries, feed) = AsyncStream.makeStream(of: Delivery.self)
      var options = EditLogClient.Options()
      options.onNotification = { method, params in
        guard method == Delivery.method else { return }
        guard let delivery = try? Delivery(params: params) else { return feed.finish() }
        feed.yield(delivery)
      }
      let client = try await EditLogClient.connect(to: socket, options: options)
      do {
        let answer = try await client.call(
          SubscribeRequest(document, from: position, credit: Self.credit))
        position = answer.from ?? position
        link = Link(
          client: client, subscription: answer.subscription,
          deliveries: deliveries.makeAsyncIterator())
      } catch {
        await client.close()
        throw error
      }
      Task {
        await client.waitUntilClosed()
        feed.finish()
      }
    }
  }
}
