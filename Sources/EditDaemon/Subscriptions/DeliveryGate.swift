import DequeModule
import NIOConcurrencyHelpers

/// Lets the subscriptions of one connection read and send one delivery at a time, in turns.
///
/// A client that does not read takes memory for one delivery, however many subscriptions it has.
final class DeliveryGate: Sendable {
  private struct State {
    var isTaken = false
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state = NIOLockedValueBox(State())

  /// Runs `body` when those that came before are done.
  func use<Value>(_ body: () async -> Value) async -> Value {
    await take()
    let value = await body()
    give()
    return value
  }

  private func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLockedValue { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  private func give() {
    let next = state.withLockedValue { state in
      let next = state.waiting.popFirst()
      state.isTaken = next != nil
      return next
    }
    next?.resume()
  }
}
