import EditIngest
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging
import NIOCore

// Handles messages.
extension ConnectionHandler {
  func handle(
    _ message: Incoming, _ body: ByteBuffer, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext, _ timing: RequestTiming?
  ) {
    prove(message)
    switch message {
    case .initialize(let id, let params, let attachment):
      initialize(id, params, attachment, charge, context)
    case .shutdown(let id): answer(.response(id: id, result: .null), charge)
    case .append(let id, var request):
      typing.apply(to: &request)
      pendingCount += 1
      submit(
        .append(
          request, of: client, timing: timing, reply(id, charge, context, timing) { $0.json }))
    case .following(let request, let asker): handle(request, asker, charge, context)
    case .hello(let hello):
      native?.begin(hello)
      introduce(hello.identity)
      account.give(charge)
      addFrames()
    case .batch(let request, let ticket):
      native?.noteReceived(body.readableBytes)
      native?.document = request.document
      submit(request, ticket, size: body.readableBytes, charge, context, timing)
    case .ping:
      native?.pong(body, charge)
      addFrames()
    case .refusedBatch(let counter, let error):
      native?.noteReceived(body.readableBytes)
      native?.settle(counter...counter, size: body.readableBytes, .failure(error), charge)
      addFrames()
    case .badFrame(let error):
      account.give(charge)
      leave(error, context)
    case .forward(let id, let forwarded):
      pendingCount += 1
      let counter = forwarded.ticket.counter
      let reply = reply(id, charge, context, timing) { (version: ReopenedDocument?) in
        ForwardResult(
          counter: counter, durable: true, document: version?.document, sequence: version?.sequence
        ).json
      }
      let (ingest, message) = (services.store.ingest, forwarded.message)
      let key = EditorKey.bridge(forwarded.ticket.session)
      submit(
        .editor(key, message, ticket: forwarded.ticket, timing: timing) { result in
          reply(result.map { ingest.version(after: message, of: key) })
        })
    case .editor(let message):
      isEditor = true
      pendingCount += 1
      submit(
        .editor(
          key, message.annotated(by: annotations).typed(with: typing), ticket: nil,
          timing: timing,
          whenDone(charge, context)))
    case .annotate(let id, let request): annotate(request, id, charge)
    case .typingAttributes(let id, let request): setTyping(request, id, charge)
    case .question(let id, let token):
      questions.add(
        QuestionQueue.Waiting(id: id, token: token, body: body.ownMemory, charge: charge))
      beginQuestions(context)
    case .cancel(let id):
      account.give(charge)
      cancel(id)
    case .exit:
      passOn()
      account.give(charge)
      send(context)
      context.close(promise: nil)
    case .answered(let id, let isApplied):
      account.give(charge)
      submit(.look({ [key] in $0.answered(id, by: key, isApplied: isApplied) }) { _ in })
    case .ignored: account.give(charge)
    case .badNotification(let method, let error):
      account.give(charge)
      logger.notice("connection \(number): \(method): \(error)")
    case .refused(let id, let error, _): answer(.failure(id: id, error), charge)
    }
    sendSoon(context)
  }

  /// Logs the edits in a message of a client that has disconnected.
  func log(_ message: Incoming) {
    switch message {
    case .append(_, var request):
      typing.apply(to: &request)
      submit(.append(request, of: client) { _ in })
    case .batch(let request, _):
      native?.document = request.document
      submit(.append(request, of: client, needsHead: false) { _ in })
    case .forward(_, let forwarded):
      submit(
        .editor(
          .bridge(forwarded.ticket.session), forwarded.message, ticket: forwarded.ticket
        ) { _ in })
    case .editor(let message):
      isEditor = true
      let annotated = message.annotated(by: annotations).typed(with: typing)
      submit(.editor(key, annotated, ticket: nil) { _ in })
    // If it is one too many, the changes are logged without it.
    case .annotate(_, let request): try? annotations.set(request)
    case .typingAttributes(_, let request):
      try? setTyping(request)
    case .hello(let hello):
      native?.hello = hello
      client = hello.identity
    case .initialize, .shutdown, .exit, .question, .cancel, .answered, .ignored, .badNotification,
      .refused,
      .ping,
      .refusedBatch, .badFrame, .following:
      break
    }
  }

  /// Records that the connection has sent a message, and is not the first to be closed if there are too
  /// many.
  private func prove(_ message: Incoming) {
    guard !clock.isProven else { return }
    switch message {
    case .refused(_, _, isMessage: false), .badFrame: return
    default: break
    }
    clock.prove()
    admission.prove(number)
  }

  private func annotate(
    _ request: AnnotateRequest, _ id: RPCID?, _ charge: ByteAccount.Charge
  ) {
    let result = Result { () throws(ProtocolError) in try annotations.set(request) }
    guard let id else { return account.give(charge) }
    switch result {
    case .success: answer(.response(id: id, result: [:]), charge)
    case .failure(let error): answer(.failure(id: id, error), charge)
    }
  }

  private func setTyping(
    _ request: TypingAttributesRequest, _ id: RPCID?, _ charge: ByteAccount.Charge
  ) {
    let result = Result { () throws(ProtocolError) in
      try setTyping(request)
    }
    switch (result, id) {
    case (.success, let id?):
      let answer = TypingAttributesAnswer(typing[request.document])
      self.answer(
        .response(id: id, result: TypingAttributesAnswer.codec.encode(answer)), charge)
    case (.failure(let error), let id?): answer(.failure(id: id, error), charge)
    case (.failure(let error), nil):
      account.give(charge)
      logger.notice(
        "connection \(number): \(TypingAttributesRequest.method): \(error.textForLog)")
    case (.success, nil): account.give(charge)
    }
  }

  /// Sets the attributes of what the client types next.
  private func setTyping(_ request: TypingAttributesRequest) throws(ProtocolError) {
    try request.attributes?.checkValues()
    try typing.set(request, annotated: annotations[request.document]?.origin)
  }

  /// Records who the client is.
  private func introduce(_ client: ClientIdentity?) {
    self.client = client
    guard let client else { return }
    submit(.look({ [number] in $0.noteConnection(number, of: client) }) { _ in })
  }

  private func initialize(
    _ id: RPCID, _ client: InitializeParams, _ attachment: EditorAttachment,
    _ charge: ByteAccount.Charge, _ context: ChannelHandlerContext
  ) {
    if let session = attachment.session, key != .bridge(session) {
      passOn()
      endEditor()
      key = .bridge(session)
      services.spools?.connected(session)
      submit(.look({ [key] in $0.connected(key) }) { _ in })
    }
    introduce(client.identity)
    // Its session is ended with the connection, even if it sends no message.
    isEditor = true
    submit(
      .editor(
        key, .initialize(LSPClient(client), open: attachment.open), ticket: nil, { _ in }))
    let later = later(context)
    let output = EditorOutput(source: number) { message in later { $0.answer(message, nil) } }
    submit(.look({ [key] in $0.setOutput(output, of: key) }) { _ in })
    let result = InitializeResult(
      positionEncoding: client.positionEncoding, version: EditLogVersion.current,
      frameSizeMax: limits.frameSizeMax,
      depthMax: limits.json.depthMax)
    answer(.response(id: id, result: result.json), charge)
  }

  /// Cancels the questions of this identifier. Changes are not cancelled, and another identifier is
  /// ignored: the answer may be on its way.
  private func cancel(_ id: RPCID) {
    for question in questions.cancel(id) {
      answer(.failure(id: id, .requestCancelled), question.charge)
    }
    scheduler.dropUnwanted()
  }

  /// Sends the progress of a question, unless the client has not read what was sent before.
  private func sendProgress(of number: Int, _ percent: Int) {
    guard answers.isEmpty, unsent == 0, let message = questions.progress(of: number, percent)
    else { return }
    answer(message, nil)
  }

  /// Begins questions, unless answers are waiting to be sent.
  func beginQuestions(_ context: ChannelHandlerContext) {
    guard unsent == 0, answers.isEmpty, !questions.client.isGone else { return }
    let countMax = services.limits.connectionQuestionCountMax
    passOn()
    while let next = questions.next(countMax: countMax) {
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let (charge, later) = (next.charge, self.later(context))
      let turn = AnswerTurn(questions.client, services.turns)
      let (question, work) = questions.begin(next, turn) { number, percent in
        later { $0.sendProgress(of: number, percent) }
      }
      scheduler.ask(
        PendingQuestion(
          turn: turn, identity: client, source: number, id: next.id, work: work,
          call: { [body = next.body, limits] in Incoming.call(in: body, limits: limits.json) }
        ) { answered in
          bound.eventLoop.execute {
            let (handler, context) = bound.value
            handler.end(question, answered, charge, context)
          }
        })
    }
  }

  /// Queues the answer to a question. Nil if the question was dropped.
  private func end(
    _ question: Int, _ answered: QuestionScheduler.Answered?, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext
  ) {
    let progressEnd = questions.end(question)
    var charge = charge
    if let memory = answered?.memory { charge = charge + ByteAccount.Charge(memory) }
    guard let answered, context.channel.isActive, !questions.client.isGone else {
      return account.give(charge)
    }
    if let progressEnd { answer(progressEnd, nil) }
    if answers.isEmpty, unsent == 0 { clock.noteTaken() }
    answers.add(answered.body, charge)
    sendSoon(context)
  }

  /// A reply that queues the answer on the event loop. It may be called on any thread.
  private func reply<Value: Sendable>(
    _ id: RPCID, _ charge: ByteAccount.Charge, _ context: ChannelHandlerContext,
    _ timing: RequestTiming? = nil, _ json: @escaping @Sendable (Value) -> JSON
  ) -> IngestRequest.Reply<Value> {
    let later = later(context)
    return { result in
      later { handler in
        let message: RPCMessage =
          switch result {
          case .success(let value): .response(id: id, result: json(value))
          case .failure(let error): .failure(id: id, error)
          }
        handler.pendingCount -= 1
        handler.answer(message, charge)
        if let timing { handler.noteUnanswered(timing) }
      }
    }
  }

  /// Runs a closure on the event loop, together with those that come before the loop is awake. It may
  /// be called on any thread.
  func later(_ context: ChannelHandlerContext) -> @Sendable (@escaping ReplyBox.Reply) -> Void {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    return { [replies] reply in
      guard replies.add(reply) else { return }
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        for reply in replies.takeAll() { reply(handler) }
        handler.addFrames()
        handler.sendSoon(context)
        // A subscription may have ended.
        handler.release([], context)
      }
    }
  }

  /// A reply to a notification: it releases the bytes of the message, and logs an error.
  private func whenDone(_ charge: ByteAccount.Charge, _ context: ChannelHandlerContext)
    -> IngestRequest.Reply<Void>
  {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    return { result in
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.pendingCount -= 1
        handler.release([charge], context)
        if case .failure(let error) = result {
          handler.logger.error("connection \(handler.number): \(error.textForLog)")
        }
      }
    }
  }
}

extension ByteBuffer {
  /// A copy of these bytes if their buffer has many others.
  fileprivate var ownMemory: ByteBuffer {
    storageCapacity > 2 * readableBytes ? ByteBuffer(bytes: readableBytesView) : self
  }
}
