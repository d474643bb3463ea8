import DequeModule
import NIOConcurrencyHelpers

/// Bounds how many deliveries are read and written to memory at a time, for all connections.
final class DeliverySlots: Sendable {
  private struct State {
    var count: Int
    /// Negative while more are in use than there are, after `use`.
    var free: Int
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state: NIOLockedValueBox<State>

  init(_ count: Int) { state = NIOLockedValueBox(State(count: count, free: count)) }

  /// Uses another number of slots.
  func use(_ count: Int) {
    let next = state.withLockedValue { state in
      state.free += count - state.count
      state.count = count
      let granted = min(max(0, state.free), state.waiting.count)
      state.free -= granted
      return (0..<granted).compactMap { _ in state.waiting.popFirst() }
    }
    for waiting in next { waiting.resume() }
  }

  /// Runs `body` when a slot is free.
  func use<Value>(_ body: () async -> Value) async -> Value {
    await take()
    let value = await body()
    give()
    return value
  }

  private func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLockedValue { state in
        guard state.free <= 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func give() {
    let next = state.withLockedValue { state in
      let next = state.free < 0 ? nil : state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}
