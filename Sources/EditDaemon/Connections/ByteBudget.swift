import NIOConcurrencyHelpers

/// The bytes that all connections together may have in flight beyond what each may always have:
/// frames being received, what was read of them, answers being made.
///
/// A request for more than is free waits in turn, so that many small requests cannot keep a large
/// one waiting for ever. What is granted has to be given back.
final class ByteBudget: Sendable {
  /// A place in the queue.
  struct Turn: Hashable, Sendable { fileprivate let number: Int }

  private struct Waiter {
    let turn: Turn
    let size: Int
    let grant: @Sendable () -> Void
  }

  private struct State {
    var free: Int
    var next = 0
    var waiters: [Waiter] = []
    /// True from much being taken to all being given back.
    var wasBusy = false
  }

  /// Bytes in use that are worth a look at what the allocator keeps of them.
  private static let busySize = 4 << 20

  /// Bytes there are.
  let size: Int
  private let state: NIOLockedValueBox<State>

  init(size: Int) {
    self.size = size
    state = NIOLockedValueBox(State(free: size))
  }

  /// Bytes that are taken now.
  var used: Int { state.withLockedValue { size - $0.free } }
  /// True while somebody waits.
  var isContended: Bool { state.withLockedValue { !$0.waiters.isEmpty } }

  /// The bytes to take for a request of `size`: a request larger than the budget takes all of it.
  func cost(of bytes: Int) -> Int { min(bytes, size) }

  /// Takes bytes; false if there is no room, or others wait.
  func take(_ bytes: Int) -> Bool {
    state.withLockedValue { state in
      guard state.waiters.isEmpty, state.free >= bytes else { return false }
      state.free -= bytes
      return true
    }
  }

  /// Calls `grant` once the bytes, at most `size`, are taken: at once, or in turn, from wherever
  /// room was made.
  @discardableResult
  func take(_ bytes: Int, inTurn grant: @escaping @Sendable () -> Void) -> Turn {
    precondition(bytes <= size)
    let turn = state.withLockedValue { state in
      state.next += 1
      let turn = Turn(number: state.next)
      state.waiters.append(Waiter(turn: turn, size: bytes, grant: grant))
      return turn
    }
    give(0)
    return turn
  }

  /// Leaves the queue; false if the turn has come, and the bytes are to be given back.
  func leave(_ turn: Turn) -> Bool {
    let wasWaiting = state.withLockedValue { state in
      guard let index = state.waiters.firstIndex(where: { $0.turn == turn }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if wasWaiting { give(0) }
    return wasWaiting
  }

  /// Gives bytes back, and admits the next waiting connections.
  func give(_ bytes: Int) {
    let (granted, isAtRest) = state.withLockedValue { state in
      if size - state.free >= Self.busySize { state.wasBusy = true }
      state.free += bytes
      var granted: [@Sendable () -> Void] = []
      while let first = state.waiters.first, state.free >= first.size {
        state.free -= first.size
        granted.append(first.grant)
        state.waiters.removeFirst()
      }
      let isAtRest = state.wasBusy && state.free == size
      if isAtRest { state.wasBusy = false }
      return (granted, isAtRest)
    }
    if isAtRest { Allocator.trim() }
    for grant in granted { grant() }
  }
}
