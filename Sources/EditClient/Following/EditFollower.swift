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
    private static let credit = 8_000
    private static let (pauseMin, pauseMax) = (Duration.milliseconds(10), Duration.seconds(1))

    private struct Link {
      let link: NativeLink
      var answers: AsyncStream<NativeAnswer>.Iterator
      /// The cost of the entries that were taken and for which no credit was given again.
      var taken = 0
    }

    /// The number of the only subscription of a connection.
    private static let number = 1

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
        if link == nil {
          do { try await connect() } catch {
            if Task.isCancelled { break }
            throw error
          }
        }
        let next: Delivery?
        do throws(ProtocolError) { next = try await nextOfLink() } catch {
          await leave()
          throw error
        }
        guard let delivery = next else {
          await leave()
          continue
        }
        (document, position) = (delivery.document, delivery.next)
        if !delivery.entries.isEmpty { return delivery }
      }
      await leave()
      return nil
    }

    /// The next delivery of the connection. Nil if it is lost.
    ///
    /// - Throws: `ProtocolError`: the end of the subscription.
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

    private mutating func leave() async {
      await link?.link.close()
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
      let (answers, feed) = AsyncStream.makeStream(of: NativeAnswer.self)
      let hello = NativeHello(client: nil, session: SessionID.newRun(of: "follower"))
      let link = try await NativeLink.connect(to: socket, hello) { answer in
        if let answer { feed.yield(answer) } else { feed.finish() }
      }
      let request = SubscribeRequest(document, from: position, credit: Self.credit)
      link.send(NativeFollowing(Self.number, request).write)
      self.link = Link(link: link, answers: answers.makeAsyncIterator())
      do { try await begin() } catch {
        await leave()
        throw error
      }
    }

    /// Waits until the subscription has begun.
    private mutating func begin() async throws(ProtocolError) {
      while let answer = await link?.answers.next() {
        switch answer {
        case .subscribed(let answer):
          position = answer.from ?? position
          return
        case .ended(let end): throw end.error
        case .delivered, .grant, .ack, .nack, .pong: continue
        }
      }
      throw link?.link.reason ?? .unreachable(socket: socket, "the connection was lost")
    }
  }
}
