public import EditModel
public import EditProtocol

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
  private let connection: @Sendable (Bool) -> Void
  private let silence: SilenceLimits

  /// A sequence of entries.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - socket: The path of the daemon's socket.
  ///   - start: The place before the first entry. If nil, the entries that are logged from the first
  ///     call of `next()` on.
  ///   - note: Takes a line for a person when the connection is lost and when it is back.
  ///   - connection: Takes false when the connection is lost, and true when it is back.
  ///   - silence: How long a daemon is waited for that does not answer a question or a ping. Then the
  ///     connection counts as lost.
  public init(
    _ document: DocumentID, at socket: String, from start: HistoryPosition? = nil,
    note: @escaping @Sendable (String) -> Void = { _ in },
    connection: @escaping @Sendable (Bool) -> Void = { _ in },
    silence: SilenceLimits = SilenceLimits()
  ) {
    (self.document, self.socket, self.start, self.note) = (document, socket, start, note)
    (self.connection, self.silence) = (connection, silence)
  }

  /// An iterator, which connects when it is first asked.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Connects, reads, and connects again.
  public struct Iterator: AsyncIteratorProtocol {
    private var document: DocumentID
    private var position: HistoryPosition?
    private var link: SubscriptionLink

    fileprivate init(_ follower: EditFollower) {
      (document, position) = (follower.document, follower.start)
      link = SubscriptionLink(
        to: follower.socket, follower.silence, follower.note, follower.connection)
    }

    /// The next entries. Waits for them, and for a daemon. Nil if the task is cancelled.
    ///
    /// - Throws: `ProtocolError`: `unreachable` or `unresponsive` if the first attempt to connect fails; the daemon's
    ///   refusal, for example because there is no such document, or because it was forgotten.
    public mutating func next() async throws -> Delivery? {
      while !Task.isCancelled {
        if !link.isConnected {
          do { try await connect() } catch {
            if Task.isCancelled { break }
            throw error
          }
        }
        guard let delivery = try await link.next() else { continue }
        (document, position) = (delivery.document, delivery.next)
        if !delivery.entries.isEmpty { return delivery }
      }
      await link.leave()
      return nil
    }

    private mutating func connect() async throws {
      let request = SubscribeRequest(document, from: position, credit: SubscriptionLink.credit)
      if let start = try await link.connect(request) { position = start }
    }
  }
}
