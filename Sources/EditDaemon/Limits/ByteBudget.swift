import EditIngest
import EditModel
import EditQueries
import NIOConcurrencyHelpers
import Synchronization

/// The bytes that all connections share, beyond the bytes that each of them may always have in flight:
/// for frames that are received, for the requests in them, and for answers.
///
/// If there are not enough free bytes, `reclaim` drops caches; then a caller waits in a queue, so that many
/// small requests cannot delay a large one for ever. Granted bytes must be released with `give`.
final class ByteBudget: Sendable {
  /// A place in the queue.
  struct Turn: Hashable, Sendable { fileprivate let number: Int }

  private struct Waiter {
    let turn: Turn
    let size: Int
    let grant: @Sendable () -> Void
  }

  private struct State {
    var size: Int
    var free: Int
    /// The bytes in use by caches.
    var kept = 0
    var next = 0
    var waiters: [Waiter] = []
    /// True from the moment when `busySize` bytes were in use until all but `kept` are free.
    var wasBusy = false

    /// True if a request can be granted. One that is larger than the budget is granted alone.
    func hasRoom(for bytes: Int) -> Bool { free >= min(bytes, size) }
  }

  /// The bytes in use after which the allocator is asked to return free memory.
  private static let busySize = 4 << 20

  /// The bytes that each connection may always have in flight, and its maximum of shared bytes.
  private let ownMaxNow: Synchronization.Atomic<Int>
  private let shareMaxNow: Synchronization.Atomic<Int>
  private let state: NIOLockedValueBox<State>
  private let reclaim: Reclaim

  /// Drops caches, which releases their bytes. The caller works on `document`; nil if on no document.
  typealias Reclaim = @Sendable (_ document: DocumentID?) -> Void

  init(size: Int, ownMax: Int = 0, shareMax: Int = 0, reclaim: @escaping Reclaim = { _ in }) {
    self.reclaim = reclaim
    ownMaxNow = Atomic(ownMax)
    shareMaxNow = Atomic(shareMax)
    state = NIOLockedValueBox(State(size: size, free: size))
  }

  convenience init(_ limits: DaemonLimits, reclaim: @escaping Reclaim) {
    self.init(
      size: limits.sharedBytes, ownMax: limits.ownBytes, shareMax: limits.connectionBytesMax,
      reclaim: reclaim)
  }

  /// Uses other limits. What is in use stays in use, so a smaller budget is full for a while.
  func use(_ limits: DaemonLimits) {
    ownMaxNow.store(limits.ownBytes, ordering: .relaxed)
    shareMaxNow.store(limits.connectionBytesMax, ordering: .relaxed)
    use(size: limits.sharedBytes)
  }

  /// Changes the number of bytes.
  func use(size: Int) {
    state.withLockedValue { state in
      state.free += size - state.size
      state.size = size
    }
    give(0)
  }

  /// The bytes that each connection may always have in flight.
  var ownMax: Int { ownMaxNow.load(ordering: .relaxed) }
  /// The shared bytes that a connection may have in flight.
  var shareMax: Int { shareMaxNow.load(ordering: .relaxed) }
  /// The bytes in use.
  var used: Int { state.withLockedValue { $0.size - $0.free } }
  /// True while a caller waits.
  var isContended: Bool { state.withLockedValue { !$0.waiters.isEmpty } }

  /// The bytes to take for a request of `size`: a request larger than the budget takes all of it.
  func cost(of bytes: Int) -> Int { state.withLockedValue { min(bytes, $0.size) } }

  /// Takes bytes, for work on `document`. Returns false if there are not enough, or other callers wait.
  func take(_ bytes: Int, for document: DocumentID? = nil) -> Bool {
    if takeFree(bytes) { return true }
    reclaim(document)
    return takeFree(bytes)
  }

  private func takeFree(_ bytes: Int) -> Bool {
    state.withLockedValue { state in
      guard state.waiters.isEmpty, state.hasRoom(for: bytes) else { return false }
      state.free -= bytes
      return true
    }
  }

  /// Takes memory for an answer about `document`: `cost(of: bytes)`. Nil if there is not enough, or other
  /// callers wait.
  func takeMemory(_ bytes: Int, for document: DocumentID? = nil) -> AnswerMemory? {
    let cost = cost(of: bytes)
    return cost == 0 || take(cost, for: document) ? memory(cost) : nil
  }

  /// Takes memory for a cache that `reclaim` drops. Nil if there is not enough, or other callers wait.
  func takeKept(_ bytes: Int) -> AnswerMemory? {
    let cost = cost(of: bytes)
    guard takeFree(cost) else { return nil }
    state.withLockedValue { $0.kept += cost }
    return AnswerMemory(cost) { cost in
      self.state.withLockedValue { $0.kept -= cost }
      self.give(cost)
    }
  }

  /// Memory of bytes that were taken.
  func memory(_ bytes: Int) -> AnswerMemory { AnswerMemory(bytes) { self.give($0) } }

  /// Takes bytes, as many as `cost(of:)` said, and calls `grant`: at once, or later from the thread that
  /// released the bytes.
  @discardableResult
  func take(_ bytes: Int, inTurn grant: @escaping @Sendable () -> Void) -> Turn {
    let turn = state.withLockedValue { state in
      state.next += 1
      let turn = Turn(number: state.next)
      state.waiters.append(Waiter(turn: turn, size: bytes, grant: grant))
      return turn
    }
    give(0)
    if isContended { reclaim(nil) }
    return turn
  }

  /// Leaves the queue. Returns false if the bytes were granted already, and must be released.
  func leave(_ turn: Turn) -> Bool {
    let wasWaiting = state.withLockedValue { state in
      guard let index = state.waiters.firstIndex(where: { $0.turn == turn }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if wasWaiting { give(0) }
    return wasWaiting
  }

  /// Releases bytes, and grants bytes to the next callers in the queue.
  func give(_ bytes: Int) {
    let (granted, isAtRest) = state.withLockedValue { state in
      if state.size - state.free >= Self.busySize { state.wasBusy = true }
      state.free += bytes
      var granted: [@Sendable () -> Void] = []
      while let first = state.waiters.first, state.hasRoom(for: first.size) {
        state.free -= first.size
        granted.append(first.grant)
        state.waiters.removeFirst()
      }
      let isAtRest = state.wasBusy && state.free == state.size - state.kept
      if isAtRest { state.wasBusy = false }
      return (granted, isAtRest)
    }
    if isAtRest { Allocator.trim() }
    for grant in granted { grant() }
  }
}
