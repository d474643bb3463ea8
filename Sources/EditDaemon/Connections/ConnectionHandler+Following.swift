import EditIngest
import EditJSON
import EditModel
import EditProtocol
import NIOCore

// Subscriptions.
extension ConnectionHandler {
  func handle(
    _ request: FollowingRequest, _ asker: Incoming.Asker, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) {
    do throws(ProtocolError) {
      switch request {
      case .subscribe(let request): try subscribe(request, asker, charge, context)
      case .credit(let request):
        let credit = try subscriptions.subscription(request.subscription).add(
          credit: request.credit)
        answer(asker, CreditRequest.answerCodec.encode(CreditAnswer(credit: credit)), charge)
      case .unsubscribe(let request):
        try subscriptions.end(request.subscription)
        answer(asker, UnsubscribeRequest.answerCodec.encode(UnsubscribeAnswer()), charge)
      }
    } catch { refuse(asker, error, charge) }
  }

  /// Queues an answer that the native dialect does not need.
  private func answer(_ asker: Incoming.Asker, _ result: JSON, _ charge: ByteAccount.Charge) {
    switch asker {
    case .json(let id): answer(.response(id: id, result: result), charge)
    case .native: account.give(charge)
    }
  }

  private func refuse(
    _ asker: Incoming.Asker, _ error: ProtocolError, _ charge: ByteAccount.Charge
  ) {
    switch asker {
    case .json(let id): answer(.failure(id: id, error), charge)
    case .native(let number):
      native?.add(charge) { NativeEnd(subscription: number, error).write(to: &$0) }
      addFrames()
    }
  }

  private func answer(
    _ asker: Incoming.Asker, _ begun: SubscribeAnswer, _ charge: ByteAccount.Charge
  ) {
    switch asker {
    case .json(let id):
      answer(.response(id: id, result: SubscribeRequest.answerCodec.encode(begun)), charge)
    case .native:
      native?.add(charge) { begun.write(to: &$0) }
      addFrames()
    }
  }

  private func subscribe(
    _ request: SubscribeRequest, _ asker: Incoming.Asker, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) throws(ProtocolError) {
    if request.document == nil, let from = request.from, from != HistoryPosition() {
      throw ProtocolError(
        .invalidParams,
        "params.after must be 0 without a document; to start at another place, subscribe to one document"
      )
    }
    if request.document == nil, request.changes {
      throw ProtocolError(
        .invalidParams, "params.changes needs a document; subscribe to one document")
    }
    if request.sections != nil, !request.changes {
      throw ProtocolError(
        .invalidParams, "params.sections needs `changes: true`: sections are told with the changes")
    }
    let chosen: Int? = if case .native(let number) = asker { number } else { nil }
    let countMax = services.limits.subscriptionCountMax
    let (number, subscription) = try subscriptions.add(chosen, countMax: countMax) {
      [isNative = native != nil] in
      Subscription(
        $0, request, services, of: questions.client, through: deliveryGate, isNative: isNative)
    }
    pendingCount += 1
    let later = later(context)
    let refuse = { @Sendable (error: ProtocolError) in
      later { handler in
        handler.pendingCount -= 1
        try? handler.subscriptions.end(number)
        handler.refuse(asker, error, charge)
      }
    }
    let send = sending(context)
    // What the connection sent before is logged before the subscription begins.
    submit(
      .look({ _ in }) { [services, client = questions.client] result in
        guard case .success = result else {
          return refuse(.overloaded(retryAfterMillis: 1_000))
        }
        Task(executorPreference: WorkerThreads.shared) {
          do throws(ProtocolError) {
            let countMax = services.limits.changeSubscriptionCountMax
            try await services.liveSubscriptions.run(subscription, changesCountMax: countMax) {
              () throws(ProtocolError) in
              try await subscription.run(send) { answer in
                later { handler in
                  handler.pendingCount -= 1
                  handler.answer(asker, answer, charge)
                }
              }
            }
            // Without the client, its event loop may be gone too.
            if !client.isGone { later { $0.endSubscription(number) } }
          } catch { refuse(error) }
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
    if native == nil { answers.add(body, nil) } else { answers.add(frames: body, nil) }
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
