import CoreMetrics
import EditIngest
import EditJSON
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers
import Synchronization

/// A question that waits for its turn.
struct PendingQuestion: Sendable {
  /// The connection that asked.
  let client: QuestionClient
  /// Its client, if it has described itself.
  let identity: ClientIdentity?
  /// The number of the connection.
  let source: Int
  let id: RPCID
  /// Cancels the question, and gets its progress.
  let work: QuestionWork
  /// Reads the request from its frame. Called when the question is begun.
  let call: @Sendable () -> Result<any MethodRequest, ProtocolError>
  /// Called once, on the thread that made the answer. Nil if the connection is gone.
  let reply: @Sendable (QuestionScheduler.Answered?) -> Void
}

/// A connection that asks questions, as the scheduler knows it.
final class QuestionClient: Sendable {
  private let hasLeft = Atomic<Bool>(false)
  /// The time that its answers took so far.
  fileprivate let nanoseconds = Atomic<UInt64>(0)

  /// True once the connection has ended.
  var isGone: Bool { hasLeft.load(ordering: .relaxed) }
  func leave() { hasLeft.store(true, ordering: .relaxed) }
}

/// Answers the questions of all connections, a few at a time.
///
/// The next question is that of the connection whose answers took the least time so far, so that a
/// connection with many questions does not delay the others. The memory for an answer is taken from the
/// budget before the answer is begun.
final class QuestionScheduler: Sendable {
  /// An answer, and the bytes of the budget that it still uses.
  struct Answered: Sendable {
    var body: AnswerBody
    var held = 0
  }

  private struct State {
    var running = 0
    var waiting: [PendingQuestion] = []
  }

  private let services: DaemonServices
  private let state = NIOLockedValueBox(State())

  init(_ services: DaemonServices) { self.services = services }

  /// Answers a question. It passes through the inbox of the ingest, so that the answer includes the
  /// edits that the connection sent before it.
  func ask(_ question: PendingQuestion) {
    services.store.ingest.submit(
      .look({ [self] _ in
        state.withLockedValue { $0.waiting.append(question) }
        beginNext()
        if question.work.isCancelled { dropCancelled() }
      }) { result in
        guard case .failure(let error) = result else { return }
        question.reply(Answered(body: AnswerBody(inMemory: .failure(id: question.id, error))))
      }, from: question.source)
  }

  /// Answers the waiting questions that are cancelled.
  func dropCancelled() {
    let dropped = state.withLockedValue { state in
      let dropped = state.waiting.filter { $0.work.isCancelled }
      state.waiting.removeAll { question in dropped.contains { $0.work === question.work } }
      return dropped
    }
    for question in dropped {
      question.reply(
        Answered(body: AnswerBody(inMemory: .failure(id: question.id, .requestCancelled))))
    }
  }

  /// Drops the waiting questions of connections that are gone.
  func dropGone() {
    let dropped = state.withLockedValue { state in
      let all = state.waiting
      state.waiting.removeAll { $0.client.isGone }
      return all.filter { $0.client.isGone }
    }
    for question in dropped { question.reply(nil) }
  }

  private func beginNext() {
    while let question = takeNext() { begin(question) }
  }

  private func takeNext() -> PendingQuestion? {
    state.withLockedValue { state in
      guard state.running < services.limits.questionCountMax,
        let next = state.waiting.indices.min(by: {
          state.waiting[$0].client.nanoseconds.load(ordering: .relaxed)
            < state.waiting[$1].client.nanoseconds.load(ordering: .relaxed)
        })
      else { return nil }
      state.running += 1
      return state.waiting.remove(at: next)
    }
  }

  private func begin(_ question: PendingQuestion) {
    guard !question.client.isGone else { return end(question, nil, held: 0) }
    Task(executorPreference: WorkerThreads.shared) {
      // It must not wait for memory.
      if question.work.isCancelled {
        return self.end(question, .failure(.requestCancelled), held: 0)
      }
      switch question.call() {
      case .success(let call): await self.prepare(question, call)
      case .failure(let error): self.end(question, .failure(error), held: 0)
      }
    }
  }

  /// Takes the memory for the answer, then runs the question.
  private func prepare(_ question: PendingQuestion, _ call: any MethodRequest) async {
    let size = await services.store.ingest.answerSize(of: call)
    let cost = size > DaemonLimits.smallAnswerSize ? services.budget.cost(of: size) : 0
    guard cost > 0 else { return run(question, call, held: 0) }
    services.budget.take(cost) { self.run(question, call, held: cost) }
  }

  private func run(_ question: PendingQuestion, _ call: any MethodRequest, held: Int) {
    guard !question.client.isGone else { return end(question, nil, held: held) }
    Task(executorPreference: WorkerThreads.shared) {
      let start = ContinuousClock.now
      let result = await self.services.answer(call, for: question.identity, question.work)
      let (seconds, attoseconds) = (ContinuousClock.now - start).components
      let time = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
      question.client.nanoseconds.add(time, ordering: .relaxed)
      self.services.metrics.question.recordNanoseconds(time)
      if case .failure(let error) = result, error.code == .requestCancelled {
        self.services.metrics.cancelled.increment()
      }
      self.end(question, result, held: held)
    }
  }

  /// Serializes the answer, replies with it, and begins the next question.
  private func end(_ question: PendingQuestion, _ result: Result<JSON, ProtocolError>?, held: Int) {
    defer {
      state.withLockedValue { $0.running -= 1 }
      ProgramText.releaseLater()
      beginNext()
    }
    guard let result, !question.client.isGone else {
      services.budget.give(held)
      return question.reply(nil)
    }
    let message: RPCMessage =
      switch result {
      case .success(let json): .response(id: question.id, result: json)
      case .failure(let error): .failure(id: question.id, error)
      }
    do throws(AnswerFile.Failure) {
      let body = try AnswerBody(message, services.answerFiles)
      services.budget.give(held)
      question.reply(Answered(body: body))
    } catch {
      // There is no space for a file, so the answer stays in memory, and its bytes stay taken.
      question.reply(Answered(body: AnswerBody(inMemory: message), held: held))
    }
  }
}
