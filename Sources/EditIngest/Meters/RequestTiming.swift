import Synchronization

/// When the bytes of a request arrived and were read, by the clock of the ingest, and what waits for
/// its answer to be sent. A connection makes one for a request that may be a large deletion.
package final class RequestTiming: Sendable {
  /// The first bytes of its frame.
  package let begun: UInt64
  /// The end of its frame.
  package let received: UInt64
  /// The end of reading its edits.
  package let decoded: UInt64
  private let waiting = Mutex<[@Sendable (UInt64) -> Void]>([])

  package init(begun: UInt64, received: UInt64, decoded: UInt64) {
    self.begun = begun
    self.received = max(begun, received)
    self.decoded = max(self.received, decoded)
  }

  /// Calls `body` with the time at which the answer is sent. Never if the client has left.
  func whenAnswered(_ body: @escaping @Sendable (UInt64) -> Void) {
    waiting.withLock { $0.append(body) }
  }

  /// The system has taken the answer.
  package func answered(at time: UInt64) {
    let bodies = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for body in bodies { body(time) }
  }
}
