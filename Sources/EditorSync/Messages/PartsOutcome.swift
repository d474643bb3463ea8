package import EditProtocol
import Synchronization

/// The outcome of the parts of a message.
package final class PartsOutcome: Sendable {
  private let failure = Mutex<ProtocolError?>(nil)

  package init() {}

  /// The error of the first part that failed.
  package var error: ProtocolError? { failure.withLock { $0 } }

  /// Records the result of a part.
  package func note(_ result: Result<Void, ProtocolError>) {
    guard case .failure(let error) = result else { return }
    failure.withLock { $0 = $0 ?? error }
  }
}
