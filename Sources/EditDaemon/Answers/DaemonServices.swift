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
    budget = ByteBudget(limits)
    turns = AnswerTurns(limits.workingQuestionCountMax)
    answerFiles = AnswerFiles(in: store.path, bytesMax: limits.answerFileBytesMax)
  }

  var limits: DaemonLimits { currentLimits.withLockedValue { $0 } }

  /// Uses other limits. Those of a frame are used for new connections.
  func use(_ limits: DaemonLimits) {
    currentLimits.withLockedValue { $0 = limits }
    budget.use(limits)
    turns.use(limits.workingQuestionCountMax)
    answerFiles.use(bytesMax: limits.answerFileBytesMax)
  }

  /// Writes an answer as JSON text.
  typealias AnswerWriter = @Sendable (inout JSONWriter) -> Void

  /// The answer to a request of a client. A change is not cancelled by `work`.
  func answer(
    _ request: any MethodRequest, for client: ClientIdentity?, _ work: QuestionWork
  ) async -> Result<AnswerWriter, ProtocolError> {
    do throws(ProtocolError) {
      switch request {
      case let status as StatusRequest where status.hasMetrics:
        var answer = try await store.ask(status)
        answer.daemon?.metrics = metrics.text(
          subscriptions: liveSubscriptions.count, inFlight: budget.used)
        return .success(StatusRequest.writer(of: answer))
      case let question as any Question: return .success(try await writer(question, work))
      case let change as any Change: return .success(try await writer(change, client, work))
      default:
        throw ProtocolError(
          .internalError, "\(type(of: request).method) is neither a question nor a change")
      }
    } catch { return .failure(error) }
  }

  private func writer<Q: Question>(
    _ question: Q, _ work: QuestionWork
  ) async throws(ProtocolError) -> AnswerWriter {
    Q.writer(of: try await store.ask(question, work))
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
