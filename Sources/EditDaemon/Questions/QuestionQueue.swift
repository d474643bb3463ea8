import DequeModule
import EditProtocol
import NIOCore

/// The questions of one connection that are not begun, as frames. Used only on the connection's event
/// loop.
struct QuestionQueue {
  struct Waiting {
    let id: RPCID
    let body: ByteBuffer
    let charge: ByteAccount.Charge
  }

  let client = QuestionClient()
  private var waiting: Deque<Waiting> = []
  /// The number of questions that were begun and are not answered yet.
  private(set) var runningCount = 0

  var isEmpty: Bool { waiting.isEmpty && runningCount == 0 }

  mutating func add(_ question: Waiting) { waiting.append(question) }

  /// The number of waiting questions at which the connection is not read further. To read more frames
  /// than can be answered would only delay other connections.
  private static let waitingCountMax = 16

  var isFull: Bool { waiting.count >= Self.waitingCountMax }

  /// Removes and returns the next question, if fewer than `countMax` are running.
  mutating func next(countMax: Int) -> Waiting? {
    guard runningCount < countMax, let next = waiting.popFirst() else { return nil }
    runningCount += 1
    return next
  }

  mutating func end() { runningCount -= 1 }

  /// Drops the waiting questions. Returns their charges, which must be released.
  mutating func removeAll() -> [ByteAccount.Charge] {
    defer { waiting.removeAll() }
    return waiting.map(\.charge)
  }
}
