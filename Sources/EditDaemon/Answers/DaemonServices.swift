import EditIngest
import EditJSON
import EditProtocol
import EditQueries
import NIOConcurrencyHelpers

/// The parts of the daemon that all connections share.
struct DaemonServices: Sendable {
  let store: WritableStore
  private let currentLimits: NIOLockedValueBox<DaemonLimits>
  /// The bytes that connections share.
  let budget: ByteBudget
  /// The bytes for large answers: see `DaemonLimits.largeAnswerBytes`.
  private let largeAnswers: ByteBudget
  let answerFiles: AnswerFiles
  /// The places for the work on answers.
  let turns: AnswerTurns
  let liveSubscriptions = LiveSubscriptions()
  let metrics: DaemonMetrics
  /// Nil if there is no folder of spools.
  let spools: SpoolCollector?

  init(
    store: WritableStore, limits: DaemonLimits, metrics: MetricsRegistry,
    spools: SpoolCollector? = nil
  ) {
    (self.spools, self.metrics) = (spools, DaemonMetrics(metrics))
    (self.store, currentLimits) = (store, NIOLockedValueBox(limits))
    let reclaim: ByteBudget.Reclaim = { [engine = store.engine, liveSubscriptions] document in
      engine.makeRoom(for: document)
      liveSubscriptions.dropTexts()
    }
    budget = ByteBudget(limits, reclaim: reclaim)
    largeAnswers = ByteBudget(size: limits.largeAnswerBytes, reclaim: reclaim)
    turns = AnswerTurns(limits.workingQuestionCountMax)
    answerFiles = AnswerFiles(in: store.path, bytesMax: limits.answerFileBytesMax)
  }

  var limits: DaemonLimits { currentLimits.withLockedValue { $0 } }

  /// Uses other limits. Those of a frame are used for new connections.
  func use(_ limits: DaemonLimits) {
    currentLimits.withLockedValue { $0 = limits }
    budget.use(limits)
    largeAnswers.use(size: limits.largeAnswerBytes)
    turns.use(limits.workingQuestionCountMax)
    answerFiles.use(bytesMax: limits.answerFileBytesMax)
  }

  /// The bytes to take for the answer to a request, 0 if it is small, and the budget to take them from.
  ///
  /// - Throws: `tooLarge` if it may need more than `DaemonLimits.answerSizeMax`.
  func memory(
    of request: any MethodRequest
  ) async throws(ProtocolError) -> (size: Int, budget: ByteBudget) {
    let (size, isBound) = await store.engine.answerSize(of: request)
    let sizeMax = limits.answerSizeMax
    guard size <= sizeMax || !isBound else { throw .needsTooMuch(size, sizeMax: sizeMax) }
    return (size > DaemonLimits.smallAnswerSize ? size : 0, budget(for: size))
  }

  private func budget(for size: Int) -> ByteBudget {
    size > limits.largeAnswerMin ? largeAnswers : budget
  }

  /// Takes the memory for work like that on the answer to a request.
  ///
  /// - Throws: `overloaded` if there is not enough; as `memory(of:)`.
  func takeMemory(for request: any MethodRequest) async throws(ProtocolError) -> AnswerMemory {
    let (size, budget) = try await memory(of: request)
    guard let memory = budget.takeMemory(size, for: QueryEngine.document(of: request)) else {
      throw .overloaded(retryAfterMillis: 100)
    }
    return memory
  }

  /// Takes memory for a cache: see `ByteBudget.takeKept`.
  func takeKept(_ size: Int) -> AnswerMemory? { budget(for: size).takeKept(size) }

  /// Writes an answer as JSON text.
  typealias AnswerWriter = @Sendable (inout JSONWriter) -> Void

  /// The answer to a request of a client, for which `memory` was taken. A change is not cancelled by `work`.
  func answer(
    _ request: any MethodRequest, for client: ClientIdentity?, _ work: QuestionWork,
    using memory: AnswerMemory
  ) async -> Result<AnswerWriter, ProtocolError> {
    do throws(ProtocolError) {
      switch request {
      case let status as StatusRequest where status.hasMetrics:
        var answer = try await store.ask(status)
        answer.daemon?.metrics = metrics.text(
          subscriptions: liveSubscriptions.count, inFlight: budget.used + largeAnswers.used)
        return .success(StatusRequest.writer(of: answer))
      case let question as any Question:
        return .success(try await writer(question, work, using: memory))
      case let change as any Change: return .success(try await writer(change, client, work))
      default:
        throw ProtocolError(
          .internalError, "\(type(of: request).method) is neither a question nor a change")
      }
    } catch { return .failure(error) }
  }

  private func writer<Q: Question>(
    _ question: Q, _ work: QuestionWork, using memory: AnswerMemory
  ) async throws(ProtocolError) -> AnswerWriter {
    Q.writer(of: try await store.engine.using(memory).answer(question, work))
  }

  private func writer<C: Change>(
    _ change: C, _ client: ClientIdentity?, _ work: QuestionWork
  ) async throws(ProtocolError) -> AnswerWriter {
    var store = store
    store.client = client
    store.engine = store.engine.working(on: work.withoutCancelling)
    return C.writer(of: try await store.perform(change))
  }
}

extension MethodRequest {
  fileprivate static func writer(of answer: Answer) -> DaemonServices.AnswerWriter {
    { answerCodec.write(answer, &$0) }
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
