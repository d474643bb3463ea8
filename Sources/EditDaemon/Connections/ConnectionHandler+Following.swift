import EditIngest
import EditJSON
import EditModel
import EditProtocol
import NIOCore

// Subscriptions.
extension ConnectionHandler {
  func handle(
    _ request: Incoming.Following, _ id: RPCID, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) {
    do throws(ProtocolError) {
      switch request {
      case .subscribe(let request): try subscribe(request, id, charge, context)
      case .credit(let request):
        let credit = try subscriptions.subscription(request.subscription).add(
          credit: request.credit)
        answer(
          .response(id: id, result: CreditRequest.answerCodec.encode(CreditAnswer(credit: credit))),
          charge)
      case .unsubscribe(let request):
        try subscriptions.end(request.subscription)
        answer(
          .response(id: id, result: UnsubscribeRequest.answerCodec.encode(UnsubscribeAnswer())),
          charge)
      }
    } catch { answer(.failure(id: id, error), charge) }
  }

  private func subscribe(
    _ request: SubscribeRequest, _ id: RPCID, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) throws(ProtocolError) {
    if request.document == nil, let from = request.from, from != HistoryPosition() {
      throw ProtocolError(
        .invalidParams,
        "params.after must be 0 without a document; to start at another place, subscribe to one document"
      )
    }
    let (number, subscription) = try subscriptions.add {
      Subscription($0, request, services)
    }
    pendingCount += 1
    let later = later(context)
    let answer = { @Sendable (message: RPCMessage) in
      later { handler in
        handler.pendingCount -= 1
        if case .failure = message { try? handler.subscriptions.end(number) }
        handler.answer(message, charge)
      }
    }
    let send = sending(context)
    // What the connection sent before is logged before the subscription begins.
    submit(
      .look({ _ in }) { [services, client = questions.client] result in
        guard case .success = result else {
          return answer(.failure(id: id, .overloaded(retryAfterMillis: 1_000)))
        }
        Task(executorPreference: WorkerThreads.shared) {
          do throws(ProtocolError) {
            try await services.liveSubscriptions.run(subscription) { () throws(ProtocolError) in
              try await subscription.run(send) { position in
                answer(
                  .response(
                    id: id,
                    result: SubscribeRequest.answerCodec.encode(
                      SubscribeAnswer(subscription: number, from: position))))
              }
            }
            // Without the client, its event loop may be gone too.
            if !client.isGone { later { $0.endSubscription(number) } }
          } catch { answer(.failure(id: id, error)) }
        }
      })
  }

  /// Sends a delivery after the answers that wait, and returns when the client has taken it all.
  private func sending(_ context: ChannelHandlerContext) -> Subscription.Send {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    return { [client = questions.client] body in
      // The event loop may be gone too.
      if client.isGone { return false }
      let taken = bound.eventLoop.makePromise(of: Void.self)
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.deliver(body, taken, context)
      }
      do { try await taken.futureResult.get() } catch { return false }
      return true
    }
  }

  private func deliver(
    _ body: AnswerBody, _ taken: EventLoopPromise<Void>, _ context: ChannelHandlerContext
  ) {
    guard context.channel.isActive, !questions.client.isGone else {
      return taken.fail(ProtocolError.overloaded(retryAfterMillis: 0))
    }
    if answers.isEmpty, unsent == 0 { clock.noteTaken() }
    deliveries.append(taken)
    answers.add(body, nil)
    sendSoon(context)
  }

  /// Continues the subscriptions if the client has taken everything.
  func noteTaken() {
    guard unsent == 0, answers.isEmpty, !deliveries.isEmpty else { return }
    let taken = deliveries
    deliveries = []
    for promise in taken { promise.succeed() }
  }

  /// Removes a subscription that has ended.
  private func endSubscription(_ number: Int) { try? subscriptions.end(number) }

  /// Ends the subscriptions, because the client is gone.
  func endSubscriptions() {
    subscriptions.endAll()
    let dropped = deliveries
    deliveries = []
    for promise in dropped { promise.fail(ProtocolError.overloaded(retryAfterMillis: 0)) }
  }
}
