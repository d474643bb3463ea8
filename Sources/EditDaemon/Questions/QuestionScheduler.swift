import CoreMetrics
import EditIngest
import EditJSON
import EditProtocol
import EditQueries
import Glibc
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
    let (size, isBound) = await services.store.ingest.answerSize(of: call)
    let sizeMax = services.limits.answerSizeMax
    guard size <= sizeMax || !isBound else {
      return end(question, .failure(.needsTooMuch(size, sizeMax: sizeMax)), held: 0)
    }
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
  private func end(
    _ question: PendingQuestion, _ result: Result<DaemonServices.AnswerWriter, ProtocolError>?,
    held: Int
  ) {
    defer {
      state.withLockedValue { $0.running -= 1 }
      ProgramText.releaseLater()
      beginNext()
    }
    guard let result, !question.client.isGone else {
      services.budget.give(held)
      return question.reply(nil)
    }
    do throws(AnswerFile.Failure) {
      let body = try body(of: question, result)
      services.budget.give(held)
      question.reply(Answered(body: body))
    } catch {
      endWithoutFile(question, result, held: held, error)
    }
  }

  /// The answer as bytes. It is made while it is written, so this may take long.
  private func body(
    of question: PendingQuestion, _ result: Result<DaemonServices.AnswerWriter, ProtocolError>
  ) throws(AnswerFile.Failure) -> AnswerBody {
    let write: DaemonServices.AnswerWriter
    switch result {
    case .success(let answer): write = answer
    case .failure(let error): return AnswerBody(inMemory: .failure(id: question.id, error))
    }
    let body = try AnswerBody(services.answerFiles) {
      !question.work.isCancelled && !question.client.isGone
    } write: {
      RPCMessage.writeResponse(to: question.id, &$0, write)
    }
    // It may have been cut.
    guard question.work.isCancelled else { return body }
    return AnswerBody(inMemory: .failure(id: question.id, .requestCancelled))
  }

  /// Replies with an answer for whose file there is no space. It stays in memory if the bytes that were
  /// taken for it suffice, and they stay taken; else it is refused.
  private func endWithoutFile(
    _ question: PendingQuestion, _ result: Result<DaemonServices.AnswerWriter, ProtocolError>,
    held: Int, _ failure: AnswerFile.Failure
  ) {
    if case .success(let write) = result,
      let body = AnswerBody(
        inMemoryUpTo: max(held, DaemonLimits.smallAnswerSize),
        write: { RPCMessage.writeResponse(to: question.id, &$0, write) })
    {
      return question.reply(Answered(body: body, held: held))
    }
    services.budget.give(held)
    let error = ProtocolError(
      .overloaded,
      """
      there is no space for a long answer: \(String(cString: strerror(failure.errno))); ask for a part \
      of it, or ask again later
      """)
    question.reply(Answered(body: AnswerBody(inMemory: .failure(id: question.id, error))))
  }
}

extension ProtocolError {
  /// An answer would take more memory than `DaemonLimits.answerSizeMax`.
  fileprivate static func needsTooMuch(_ size: Int, sizeMax: Int) -> ProtocolError {
    ProtocolError(
      .tooLarge,
      """
      the answer may need \(size >> 20) MB of memory; the maximum is \(sizeMax >> 20) MB, eight times \
      in-flight-max of editlogd; raise that, or read the store while no daemon runs
      """,
      details: ["size": JSON(size), "sizeMax": JSON(sizeMax)])
  }
}
