import NIOConcurrencyHelpers
import NIOCore

/// The replies to one connection's messages, from the thread that made them to the connection's event
/// loop. The replies to one batch are taken together: waking the loop for each would cost more than
/// they do.
final class ReplyBox: Sendable {
  typealias Reply = @Sendable (ConnectionHandler) -> Void

  private let waiting = NIOLockedValueBox<[Reply]>([])

  /// Adds a reply. Returns true if it is the only one, so that the loop must be woken.
  func add(_ reply: @escaping Reply) -> Bool {
    waiting.withLockedValue { waiting in
      waiting.append(reply)
      return waiting.count == 1
    }
  }

  /// The replies so far, which are removed.
  func takeAll() -> [Reply] {
    waiting.withLockedValue { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
