import EditIngest
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging
import NIOCore
import NIOPosix

/// One connection: reads messages, passes them on, and writes the answers.
///
/// Appends and editors' messages go to `Ingest` in their order. Questions are answered on other threads,
/// each after the requests that came before it on the connection.
///
/// The bytes of a frame are charged after its header, before memory is allocated for it, and released
/// when its answer is sent. At the limit, the connection is not read further.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Whether the next frame is read, or what it waits for.
  enum Intake {
    case open
    /// The next frame waits until bytes of this connection are released.
    case waitsForItself
    /// The next frame waits for bytes of the shared budget.
    case waitsForOthers(ByteBudget.Turn)
    /// The other connections of the event loop have their turn first.
    case yields
    /// A large frame is being parsed on another thread.
    case parsing
    /// Nothing more is read: the connection is ending.
    case closed
  }

  let number: Int
  let services: DaemonServices
  /// The limits at its beginning.
  let limits: DaemonLimits
  let scheduler: QuestionScheduler
  let admission: ConnectionAdmission
  let logger: Logger
  /// The sender of editor messages. A bridge sets its run.
  var key: EditorKey
  var isEditor = false
  /// The client, if it has described itself.
  var client: ClientIdentity?
  var annotations = ChangeAnnotations()
  /// The attributes of what the client types next.
  var typing = TypingAttributes()

  var intake = Intake.open
  private var assembler: FrameAssembler
  var account: ByteAccount
  /// The charge of the frame that is being received.
  private var incoming: ByteAccount.Charge?
  /// True after the first byte.
  private var hasBegun = false
  /// The state of the native dialect. Nil if the connection speaks JSON.
  var native: NativeSession?
  /// Requests for `Ingest` that are passed on together.
  private var gathered: [IngestRequest] = []
  /// The batches of the native dialect that are passed on together after them.
  private var run: NativeRun?
  private var isReading = true
  /// When the last bytes were read, if they continue a frame: only then is the clock read.
  private var lastRead: NIODeadline?
  /// The requests whose answers are not sent yet and whose times are taken.
  var unanswered: [RequestTiming] = []
  /// True if the connection ended while a frame was being parsed on another thread.
  private var hasRest = false
  /// True if the client has closed its side. It may still wait for answers.
  private var isInputClosed = false
  var clock: ConnectionClock

  /// The number of messages whose answers are not in `answers` yet.
  var pendingCount = 0
  let replies = ReplyBox()
  var questions: QuestionQueue
  var subscriptions = Subscriptions()
  let deliveryGate = DeliveryGate()
  /// The deliveries that the client has not taken yet.
  var deliveries: [EventLoopPromise<Void>] = []
  var answers = AnswerQueue()
  /// The number of written bytes that the system has not taken.
  var unsent = 0
  var isSending = false

  init(
    number: Int, peer: QuestionPeer, services: DaemonServices, scheduler: QuestionScheduler,
    admission: ConnectionAdmission,
    logger: Logger
  ) {
    questions = QuestionQueue(QuestionClient(peer: peer))
    (self.number, self.services, self.scheduler) = (number, services, scheduler)
    (self.admission, self.logger) = (admission, logger)
    key = .connection(number)
    limits = services.limits
    assembler = FrameAssembler(frameSizeMax: limits.frameSizeMax)
    account = ByteAccount(budget: services.budget)
    clock = ConnectionClock(limits)
  }

  func handlerAdded(context: ChannelHandlerContext) { setTimer(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .closed = intake { return }
    if !clock.isProven { admission.noteBytes(number) }
    let bytes = unwrapInboundIn(data)
    lastRead = assembler.isMidFrame ? ticks : nil
    if !hasBegun, let first = bytes.readableBytesView.first {
      hasBegun = true
      switch first {
      // Header names are case-insensitive.
      case UInt8(ascii: "C"), UInt8(ascii: "c"): break
      case NativeFrame.magic:
        native = NativeSession(limits)
        assembler = FrameAssembler(nativeBodySizeMax: limits.frameSizeMax)
      default: return leave(Self.noHeader, context)
      }
    }
    assembler.append(bytes)
    process(context)
  }

  /// The time by the clock of the ingest.
  var ticks: NIODeadline { services.store.ingest.ticks }

  /// The other first bytes are reserved for other protocols.
  private static let noHeader = ProtocolError(
    .parseError,
    """
    a connection begins with \"Content-Length: N\", CR LF, CR LF, or with a frame of the native \
    dialect; send that first
    """)

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed:
      isInputClosed = true
      process(context)
    case is Eviction:
      leave(.overloaded(retryAfterMillis: 1_000), context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    questions.client.leave()
    questions.cancelAll()
    endSubscriptions()
    scheduler.dropUnwanted()
    if case .waitsForOthers(let turn) = intake { _ = services.budget.leave(turn) }
    clock.stop()
    let dropped =
      questions.removeAll() + answers.removeAll()
      + [incoming, native?.removeAll()].compactMap { $0 }
    incoming = nil
    for charge in dropped { account.give(charge) }
    switch intake {
    case .parsing: hasRest = true
    case .closed: endEditor()
    case .open, .waitsForItself, .waitsForOthers, .yields: logRest()
    }
    intake = .closed
    context.fireChannelInactive()
  }

  /// Logs the edits that were received and not read yet, as those of a client that sends and leaves.
  private func logRest() {
    hasRest = false
    do throws(FrameError) {
      reading: while true {
        switch try assembler.next() {
        case .incomplete: break reading
        case .announced(let size):
          guard size < FrameAssembler.largeSizeMin else { break reading }
          assembler.admit()
        case .body(let body): log(read(body))
        }
      }
    } catch { logger.info("connection \(number) ended with bytes that are not a frame") }
    passOn()
    endEditor()
  }

  func endEditor() {
    if client != nil {
      services.store.ingest.submit(
        .look({ [number] in $0.noteEnd(ofConnection: number) }) { _ in }, from: number)
    }
    services.store.ingest.submit(
      .look({ [key, number] in $0.removeOutput(number, of: key) }) { _ in }, from: number)
    // A bridge closes its documents itself: it outlives its connections.
    switch key {
    case .connection:
      if isEditor {
        services.store.ingest.submit(.editor(key, .end, ticket: nil) { _ in }, from: number)
      }
    case .bridge(let session):
      services.store.ingest.submit(
        .look({ [key] in $0.disconnected(key) }) { [spools = services.spools] _ in
          spools?.disconnected(session)
        }, from: number)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    logger.info("connection \(number) failed: \(error)")
    context.close(promise: nil)
  }
}

// Receives frames.
extension ConnectionHandler {
  /// The number of bytes and of frames that are read before other connections of the event loop have
  /// their turn.
  private static let (turnSize, turnCount) = (32 << 10, 512)

  /// Adds a request for `Ingest`.
  func submit(_ request: IngestRequest) {
    endRun()
    gathered.append(request)
  }

  /// Adds a batch of the native dialect to the requests for `Ingest`. Those that follow may join it.
  func submit(
    _ request: AppendRequest, _ ticket: RequestTicket, size: Int, _ charge: ByteAccount.Charge,
    _ context: ChannelHandlerContext, _ timing: RequestTiming?
  ) {
    pendingCount += 1
    endRun()
    run = NativeRun(request, ticket, size: size, charge, context, timing)
  }

  private func endRun() {
    guard let run else { return }
    self.run = nil
    gathered.append(run.request(for: self))
  }

  /// Passes the gathered requests on. Must be called before anything else that comes after them.
  func passOn() {
    endRun()
    guard !gathered.isEmpty else { return }
    services.store.ingest.submit(gathered, from: number)
    gathered.removeAll(keepingCapacity: true)
  }

  /// Reads a small frame.
  private func read(_ frame: ByteBuffer) -> Incoming {
    guard let native else { return Incoming(body: frame, limits: limits.json) }
    return Incoming(nativeFrame: frame, of: native.hello, last: native.document)
  }

  /// Reads the received frames for which there is memory, a few at a time.
  func process(_ context: ChannelHandlerContext) {
    var (frameCount, size) = (0, 0)
    defer { passOn() }
    do throws(FrameError) {
      while case .open = intake {
        switch try assembler.next() {
        case .incomplete:
          clock.noteFrame(isPartial: assembler.isMidFrame)
          if isInputClosed, assembler.isMidFrame { throw .unexpectedEnd }
          setReading(true, context)
          setTimer(context)
          return closeIfDone(context)
        case .announced(let size): admit(size, context)
        case .body(let body):
          receive(body, context)
          frameCount += 1
          size += body.readableBytes
          continueRun(&frameCount, &size)
          if size >= Self.turnSize || frameCount == Self.turnCount, case .open = intake {
            yield(context)
          }
        }
      }
      setReading(false, context)
    } catch {
      let code: ProtocolError.Code =
        if case .bodyTooLarge = error { .tooLarge } else { .parseError }
      leave(ProtocolError(code, "\(error)"), context)
    }
  }

  /// Reads the batches that have arrived and continue the run: together they cost much less than frames
  /// that are read one by one.
  private func continueRun(_ frameCount: inout Int, _ size: inout Int) {
    guard case .open = intake, !questions.isFull, var run else { return }
    self.run = nil
    var (count, readSize) = (0, 0)
    let (countMax, sizeMax) = (Self.turnCount - frameCount, Self.turnSize - size)
    assembler.readFrames { frame in
      guard count < countMax, readSize < sizeMax,
        case .taken(let charge) = account.take(DaemonLimits.cost(ofNativeFrame: frame.count))
      else { return false }
      guard run.append(frame: frame) else {
        account.give(charge)
        return false
      }
      run.add(size: frame.count, charge)
      count += 1
      readSize += frame.count
      return true
    }
    self.run = run
    pendingCount += count
    native?.noteReceived(readSize)
    frameCount += count
    size += readSize
  }

  /// Continues after the other tasks that wait on the event loop.
  private func yield(_ context: ChannelHandlerContext) {
    intake = .yields
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      guard case .yields = handler.intake else { return }
      handler.intake = .open
      handler.process(context)
    }
  }

  /// Starts to receive a frame if there is memory for it; else it waits.
  private func admit(_ size: Int, _ context: ChannelHandlerContext) {
    guard !questions.isFull else { return intake = .waitsForItself }
    let cost =
      native == nil ? DaemonLimits.cost(ofFrame: size) : DaemonLimits.cost(ofNativeFrame: size)
    switch account.take(cost) {
    case .taken(let charge): admit(charge)
    case .waitsForItself: intake = .waitsForItself
    case .waitsForOthers(let cost):
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let turn = services.budget.take(cost) {
        bound.eventLoop.execute {
          let (handler, context) = bound.value
          handler.grant(cost, context)
        }
      }
      intake = .waitsForOthers(turn)
    }
  }

  private func admit(_ charge: ByteAccount.Charge) {
    incoming = charge
    clock.beginFrame(size: charge.isShared ? assembler.announcedSize : 0)
    assembler.admit()
  }

  /// Starts to receive the frame that waited for shared bytes.
  private func grant(_ cost: Int, _ context: ChannelHandlerContext) {
    let charge = account.add(cost)
    guard case .waitsForOthers = intake else { return account.give(charge) }
    intake = .open
    admit(charge)
    process(context)
  }

  /// Reads a complete frame. A large one is parsed on another thread, and the next frame waits.
  private func receive(_ body: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let charge = incoming else { return }
    incoming = nil
    let begun = clock.frameBegun ?? .distantPast
    let admitted = clock.frameStart ?? begun
    // The first frame that is complete has the bytes that were read last.
    let frame = (begun: begun, received: max(admitted, lastRead ?? admitted))
    lastRead = nil
    clock.endFrame()
    guard body.readableBytes >= FrameAssembler.largeSizeMin else {
      let message = read(body)
      return handle(message, body, charge, context, timing(of: message, frame))
    }
    intake = .parsing
    pendingCount += 1
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let ingest = services.store.ingest
    NIOThreadPool.singleton.submit { [native = native.map(\.hello), limits = limits.json] _ in
      let message =
        native.map { Incoming(nativeFrame: body, of: $0, last: nil) }
        ?? Incoming(body: body, limits: limits)
      let timing =
        message.mayBeMeasured ? RequestTiming(frame, decoded: ingest.ticks) : nil
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.pendingCount -= 1
        guard case .parsing = handler.intake else {
          handler.account.give(charge)
          guard handler.hasRest else { return }
          handler.log(message)
          return handler.logRest()
        }
        handler.intake = .open
        handler.handle(message, body, charge, context, timing)
        handler.process(context)
      }
    }
  }

  /// The times of a message that was just read. Nil unless it may be a large deletion.
  private func timing(
    of message: Incoming, _ frame: (begun: NIODeadline, received: NIODeadline)
  ) -> RequestTiming? {
    message.mayBeMeasured ? RequestTiming(frame, decoded: ticks) : nil
  }

  /// Sends an error that is about the connection.
  private func refuse(_ error: ProtocolError) {
    guard native != nil else { return answer(.failure(id: nil, error), nil) }
    native?.refuse(0, error)
    addFrames()
  }

  /// Releases the bytes of messages, and continues if the next frame waited for them.
  func release(_ charges: [ByteAccount.Charge], _ context: ChannelHandlerContext) {
    for charge in charges { account.give(charge) }
    if case .waitsForItself = intake {
      intake = .open
      process(context)
    }
    closeIfDone(context)
  }

  /// Closes the connection if the client has closed its side and everything is answered.
  private func closeIfDone(_ context: ChannelHandlerContext) {
    guard isInputClosed, case .open = intake, !assembler.isMidFrame, pendingCount == 0, unsent == 0,
      answers.isEmpty, questions.isEmpty, subscriptions.isEmpty
    else { return }
    context.close(promise: nil)
  }

  func setReading(_ mayRead: Bool, _ context: ChannelHandlerContext) {
    guard mayRead != isReading else { return }
    isReading = mayRead
    context.channel.setOption(.autoRead, value: mayRead).whenFailure { _ in }
  }

  /// Sends an error, and closes the connection after a moment in which the client can read it.
  func leave(_ error: ProtocolError, _ context: ChannelHandlerContext) {
    if case .closed = intake { return }
    if case .waitsForOthers(let turn) = intake { _ = services.budget.leave(turn) }
    intake = .closed
    clock.stop()
    assembler = FrameAssembler(frameSizeMax: 0)
    if let incoming { account.give(incoming) }
    incoming = nil
    refuse(error)
    send(context)
    admission.dismiss(context.channel)
  }
}

extension RequestTiming {
  fileprivate convenience init(
    _ frame: (begun: NIODeadline, received: NIODeadline), decoded: NIODeadline
  ) {
    self.init(
      begun: frame.begun.uptimeNanoseconds, received: frame.received.uptimeNanoseconds,
      decoded: decoded.uptimeNanoseconds)
  }
}
