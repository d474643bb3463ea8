import EditModel
import EditProtocol

/// A signal after each connection to a daemon, and after entries of any document are logged. Many
/// entries may share a signal.
///
/// So a program that reads what is new at each signal misses nothing, however often the daemon is
/// stopped, killed and started again.
public struct LogSignals: AsyncSequence, Sendable {
  /// A signal has no value.
  public typealias Element = Void

  private let socket: String
  private let note: @Sendable (String) -> Void
  private let silence: SilenceLimits

  /// Signals of the daemon at this socket. `note` takes a line for a person when the connection is lost
  /// and when it is back. With `silence`, it counts as lost when the daemon does not answer a ping.
  public init(
    at socket: String, note: @escaping @Sendable (String) -> Void = { _ in },
    silence: SilenceLimits = SilenceLimits()
  ) {
    (self.socket, self.note, self.silence) = (socket, note, silence)
  }

  /// An iterator, which connects when it is first asked.
  public func makeAsyncIterator() -> Iterator {
    Iterator(link: SubscriptionLink(to: socket, silence, note))
  }

  /// Connects, waits, and connects again.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var link: SubscriptionLink

    /// Waits for the next signal. Nil if the task is cancelled.
    ///
    /// - Throws: `ProtocolError`: `unreachable` or `unresponsive` if the first attempt to connect fails.
    public mutating func next() async throws -> Void? {
      while !Task.isCancelled {
        if link.isConnected {
          if try await link.next() != nil { return () }
        } else {
          do { try await connect() } catch {
            if Task.isCancelled { break }
            throw error
          }
          return ()
        }
      }
      await link.leave()
      return nil
    }

    private mutating func connect() async throws {
      // The entries are not needed, so the daemon may leave out all but the newest.
      let request = SubscribeRequest(nil, credit: SubscriptionLink.credit, snapshotAfter: 1)
      _ = try await link.connect(request)
    }
  }
}
