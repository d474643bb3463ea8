import EditProtocol
import NIOConcurrencyHelpers

/// The subscriptions of all connections, so that a stop can end them before their event loops.
final class LiveSubscriptions: Sendable {
  private struct State {
    var all: [ObjectIdentifier: Subscription] = [:]
    /// Those that tell changes.
    var telling: [ObjectIdentifier: Subscription] = [:]
    var isEnded = false
  }

  private let state = NIOLockedValueBox(State())

  var count: Int { state.withLockedValue { $0.all.count } }

  /// Runs `body` for a subscription. If all were ended, the subscription ends at once.
  ///
  /// - Parameter changesCountMax: The maximum number of subscriptions with changes: each has the text
  ///   of its document.
  /// - Throws: `overloaded` if too many have changes; what `body` throws.
  func run(
    _ subscription: Subscription, changesCountMax: Int,
    _ body: () async throws(ProtocolError) -> Void
  ) async throws(ProtocolError) {
    let begun = state.withLockedValue { state -> (isEnded: Bool, hasRoom: Bool) in
      state.all[ObjectIdentifier(subscription)] = subscription
      guard subscription.tellsChanges else { return (state.isEnded, true) }
      state.telling[ObjectIdentifier(subscription)] = subscription
      return (state.isEnded, state.telling.count <= changesCountMax)
    }
    defer {
      state.withLockedValue { state in
        state.all[ObjectIdentifier(subscription)] = nil
        state.telling[ObjectIdentifier(subscription)] = nil
      }
    }
    guard begun.hasRoom else {
      throw ProtocolError(
        .overloaded,
        "at most \(changesCountMax) subscriptions have `changes: true`; end one, or subscribe without it"
      )
    }
    if begun.isEnded { subscription.end() }
    try await body()
  }

  /// Drops the texts that are kept between deliveries, which gives their memory back.
  /// O(subscriptions with changes).
  func dropTexts() {
    for subscription in state.withLockedValue({ Array($0.telling.values) }) {
      subscription.dropText()
    }
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
