import DequeModule
import EditProtocol
import EditQueries
import NIOCore

/// The questions of one connection that are not begun, as frames. Used only on the connection's event
/// loop.
struct QuestionQueue {
  struct Waiting {
    let id: RPCID
    let token: ProgressToken?
    let body: ByteBuffer
    let charge: ByteAccount.Charge
  }

  let client: QuestionClient
  private var waiting: Deque<Waiting> = []
  /// A question that was begun and is not answered yet.
  private struct Running {
    let number: Int
    let id: RPCID
    let token: ProgressToken?
    let work: QuestionWork
    /// True if its progress was sent.
    var hasProgress = false
  }

  private var running: [Running] = []
  private var lastNumber = 0

  init(_ client: QuestionClient) { self.client = client }

  var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

  mutating func add(_ question: Waiting) { waiting.append(question) }

  /// The number of waiting questions at which the connection is not read further. To read more frames
  /// than can be answered would only delay other connections.
  private static let waitingCountMax = 16

  var isFull: Bool { waiting.count >= Self.waitingCountMax }

  /// Removes and returns the next question, if fewer than `countMax` are running.
  mutating func next(countMax: Int) -> Waiting? {
    running.count < countMax ? waiting.popFirst() : nil
  }

  /// Begins a question, whose work gives way as `turn` says. `report` gets the question's number and its
  /// progress in percent, on the thread that makes the answer; it is not called without a token. Returns
  /// the number, and the work.
  mutating func begin(
    _ question: Waiting, _ turn: AnswerTurn,
    report: @escaping @Sendable (_ number: Int, _ percent: Int) -> Void
  ) -> (number: Int, work: QuestionWork) {
    lastNumber += 1
    let number = lastNumber
    let work =
      question.token == nil
      ? QuestionWork(giveWay: { turn.pass() })
      : QuestionWork(
        report: { percent in report(number, percent) }, giveWay: { turn.pass() })
    running.append(Running(number: number, id: question.id, token: question.token, work: work))
    return (number, work)
  }

  /// The message about the progress of a running question; nil if it is none.
  mutating func progress(of number: Int, _ percent: Int) -> RPCMessage? {
    guard let index = running.firstIndex(where: { $0.number == number }),
      let token = running[index].token
    else { return nil }
    defer { running[index].hasProgress = true }
    let kind: ProgressParams.Kind = running[index].hasProgress ? .report : .begin
    return ProgressParams(token, kind, percentage: percent).message
  }

  /// Ends a question. Returns the message that ends its progress, if any was sent.
  mutating func end(_ number: Int) -> RPCMessage? {
    guard let index = running.firstIndex(where: { $0.number == number }) else { return nil }
    let question = running.remove(at: index)
    guard question.hasProgress, let token = question.token else { return nil }
    return ProgressParams(token, .end).message
  }

  /// Cancels the work on the questions of this identifier. Returns those that were not begun, which are
  /// removed.
  mutating func cancel(_ id: RPCID) -> [Waiting] {
    for question in running where question.id == id { question.work.cancel() }
    let dropped = Array(waiting.filter { $0.id == id })
    if !dropped.isEmpty { waiting.removeAll { $0.id == id } }
    return dropped
  }

  /// Cancels the work on all questions.
  func cancelAll() { for question in running { question.work.cancel() } }

  /// Drops the waiting questions. Returns their charges, which must be released.
  mutating func removeAll() -> [ByteAccount.Charge] {
    defer { waiting.removeAll() }
    return waiting.map(\.charge)
  }
}
