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
  let turn: AnswerTurn
  /// Its client, if it has described itself.
  let identity: ClientIdentity?
  /// The number of the connection.
  let source: Int
  let id: RPCID
  /// Cancels the question, and gets its progress.
  let work: QuestionWork
  /// Reads the request from its frame. Called when the question is begun.
  let call: @Sendable () -> Result<any MethodRequest, ProtocolError>
  /// Called once. Nil if the connection is gone.
  let reply: @Sendable (QuestionScheduler.Answered?) -> Void

  var isGone: Bool { turn.client.isGone }
  var isWanted: Bool { !work.isCancelled && !isGone }
}

/// Answers the questions of all connections, a few at a time, in the order of `AnswerTurns`.
///
/// The memory for an answer is taken from the budget before the answer is begun. A question that waits for
/// memory has no turn, so that those that need none are answered.
final class QuestionScheduler: Sendable {
  /// An answer, and the memory that it still uses.
  struct Answered: Sendable {
    var body: AnswerBody
    var memory: AnswerMemory?
  }

  /// A question that waits for memory.
  private struct Unpaid {
    let question: PendingQuestion
    let budget: ByteBudget
    /// Nil for a moment, until it is in the queue.
    var turn: ByteBudget.Turn?
  }

  private let services: DaemonServices
  private let unpaid = NIOLockedValueBox<[ObjectIdentifier: Unpaid]>([:])

  init(_ services: DaemonServices) { self.services = services }

  /// Answers a question. It passes through the inbox of the ingest, so that the answer includes the
  /// edits that the connection sent before it.
  func ask(_ question: PendingQuestion) {
    services.store.ingest.submit(
      .look({ [self] _ in
        wait(for: question) { self.begin(question) }
        if !question.isWanted { dropUnwanted() }
      }) { result in
        guard case .failure(let error) = result else { return }
        question.reply(Answered(body: AnswerBody(inMemory: .failure(id: question.id, error))))
      }, from: question.source)
  }

  /// Calls `begin` when the question's turn comes.
  private func wait(for question: PendingQuestion, _ begin: @escaping @Sendable () -> Void) {
    question.turn.wait(
      AnswerTurn.Calls(
        begin: begin, drop: { self.drop(question) }, isWanted: { question.isWanted }))
  }

  /// Ends the waiting questions that are cancelled, or whose connection is gone. Those that are being
  /// answered end by themselves.
  func dropUnwanted() {
    services.turns.dropUnwanted()
    let dropped = unpaid.withLockedValue { unpaid in
      let dropped = unpaid.filter { !$0.value.question.isWanted }
      for key in dropped.keys { unpaid[key] = nil }
      return dropped.values
    }
    for waiting in dropped {
      // If its bytes are granted already, the grant gives them back.
      if let turn = waiting.turn { _ = waiting.budget.leave(turn) }
      drop(waiting.question)
    }
  }

  /// Replies to a question that was not begun.
  private func drop(_ question: PendingQuestion) {
    question.reply(
      question.isGone
        ? nil : Answered(body: AnswerBody(inMemory: .failure(id: question.id, .requestCancelled))))
  }

  private func begin(_ question: PendingQuestion) {
    guard !question.isGone else { return end(question, nil) }
    Task(executorPreference: question.turn) {
      // It must not wait for memory.
      if question.work.isCancelled {
        return self.end(question, .failure(.requestCancelled))
      }
      switch question.call() {
      case .success(let call): await self.prepare(question, call)
      case .failure(let error): self.end(question, .failure(error))
      }
    }
  }

  /// Takes the memory for the answer, then runs the question.
  private func prepare(_ question: PendingQuestion, _ call: any MethodRequest) async {
    do throws(ProtocolError) {
      let (size, budget) = try await services.memory(of: call)
      if let memory = budget.takeMemory(size, for: QueryEngine.document(of: call)) {
        return await run(question, call, memory)
      }
      question.turn.end()
      waitForMemory(question, call, budget.cost(of: size), of: budget)
    } catch { end(question, .failure(error)) }
  }

  /// Gives the question another turn when its memory is there.
  private func waitForMemory(
    _ question: PendingQuestion, _ call: any MethodRequest, _ cost: Int, of budget: ByteBudget
  ) {
    let key = ObjectIdentifier(question.turn)
    unpaid.withLockedValue { $0[key] = Unpaid(question: question, budget: budget) }
    let turn = budget.take(cost) { [self] in
      guard unpaid.withLockedValue({ $0.removeValue(forKey: key) }) != nil else {
        return budget.give(cost)
      }
      let memory = budget.memory(cost)
      wait(for: question) {
        Task(executorPreference: question.turn) { await self.run(question, call, memory) }
      }
    }
    unpaid.withLockedValue { $0[key]?.turn = turn }
    if !question.isWanted { dropUnwanted() }
  }

  private func run(
    _ question: PendingQuestion, _ call: any MethodRequest, _ memory: AnswerMemory
  ) async {
    guard !question.isGone else { return end(question, nil) }
    // A change that is made twice is not the same.
    question.turn.mayRestart.store(call is any Question, ordering: .relaxed)
    let start = ContinuousClock.now
    let result = await services.answer(
      call, for: question.identity, question.work, using: memory)
    if question.turn.isSetBack.load(ordering: .relaxed) { return beginAgain(question) }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    services.metrics.question.recordNanoseconds(
      UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
    if case .failure(let error) = result, error.code == .requestCancelled {
      services.metrics.cancelled.increment()
    }
    end(question, result, memory)
  }

  /// Lets a question that was set back wait for its turn.
  private func beginAgain(_ question: PendingQuestion) {
    question.turn.end()
    wait(for: question) { self.begin(question) }
  }

  /// Serializes the answer, replies with it, and ends the turn.
  private func end(
    _ question: PendingQuestion, _ result: Result<DaemonServices.AnswerWriter, ProtocolError>?,
    _ memory: AnswerMemory? = nil
  ) {
    guard let result, !question.isGone else {
      question.reply(nil)
      return endTurn(of: question)
    }
    do throws(AnswerFile.Failure) {
      let body = try body(of: question, result)
      if question.turn.isSetBack.load(ordering: .relaxed) { return beginAgain(question) }
      question.reply(Answered(body: body))
    } catch {
      endWithoutFile(question, result, memory, error)
    }
    endTurn(of: question)
  }

  private func endTurn(of question: PendingQuestion) {
    question.turn.end()
    ProgramText.releaseLater()
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
      !question.work.isOver && !question.isGone
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
    _ memory: AnswerMemory?, _ failure: AnswerFile.Failure
  ) {
    if case .success(let write) = result,
      let body = AnswerBody(
        inMemoryUpTo: max(memory?.size ?? 0, DaemonLimits.smallAnswerSize),
        write: { RPCMessage.writeResponse(to: question.id, &$0, write) })
    {
      return question.reply(Answered(body: body, memory: memory))
    }
    let error = ProtocolError(
      .overloaded,
      """
      there is no space for a long answer: \(String(cString: strerror(failure.errno))); ask for a part \
      of it, or ask again later
      """)
    question.reply(Answered(body: AnswerBody(inMemory: .failure(id: question.id, error))))
  }
}
