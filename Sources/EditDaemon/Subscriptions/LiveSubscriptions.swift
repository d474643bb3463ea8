import EditProtocol
import NIOConcurrencyHelpers

/// The subscriptions of all connections, so that a stop can end them before their event loops.
final class LiveSubscriptions: Sendable {
  private struct State {
    var all: [ObjectIdentifier: Subscription] = [:]
    var isEnded = false
  }

  private let state = NIOLockedValueBox(State())

  /// Runs `body` for a subscription. If all were ended, the subscription ends at once.
  func run(
    _ subscription: Subscription, _ body: () async throws(ProtocolError) -> Void
  ) async throws(ProtocolError) {
    let isEnded = state.withLockedValue { state in
      state.all[ObjectIdentifier(subscription)] = subscription
      return state.isEnded
    }
    if isEnded { subscription.end() }
    defer {
      state.withLockedValue { $0.all[ObjectIdentifier(subscription)] = nil }
    }
    try await body()
  }

  /// Ends all, and those that begin later.
  func endAll() {
    let all = state.withLockedValue { state in
      state.isEnded = true
      return Array(state.all.values)
    }
    for subscription in all { subscription.end() }
  }
}
