import EditProtocol
import NIOCore

/// The questions of one connection that were not begun: frames, not yet read again. Used on its
/// event loop alone.
struct QuestionQueue {
  struct Waiting {
    let id: RPCID
    let body: ByteBuffer
    let charge: ByteAccount.Charge
  }

  let asker = Asker()
  private var waiting: CircularBuffer<Waiting> = []
  /// Questions that were begun and are not answered.
  private(set) var runningCount = 0

  var isEmpty: Bool { waiting.isEmpty && runningCount == 0 }

  mutating func add(_ question: Waiting) { waiting.append(question) }

  /// Questions that wait before the connection is read no further: to read many more than can be
  /// answered would only keep others waiting.
  private static let waitingCountMax = 16

  var isFull: Bool { waiting.count >= Self.waitingCountMax }

  /// The next question to begin, if fewer than `countMax` are under way.
  mutating func next(countMax: Int) -> Waiting? {
    guard runningCount < countMax, let next = waiting.popFirst() else { return nil }
    runningCount += 1
    return next
  }

  mutating func end() { runningCount -= 1 }

  /// Lets those go that were not begun; gives what is to be released.
  mutating func removeAll() -> [ByteAccount.Charge] {
    defer { waiting.removeAll() }
    return waiting.map(\.charge)
  }
}
