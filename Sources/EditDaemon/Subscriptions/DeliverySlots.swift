import DequeModule
import NIOConcurrencyHelpers

/// Bounds how many deliveries are read and written to memory at a time, for all connections.
final class DeliverySlots: Sendable {
  private struct State {
    var free: Int
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state: NIOLockedValueBox<State>

  init(_ count: Int) { state = NIOLockedValueBox(State(free: count)) }

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
        guard state.free == 0 else {
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
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}
