import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore
import NIOPosix

/// One connection: reads messages, hands them to the daemon's parts, writes the answers.
///
/// Appends and editors' messages go to ingest in the order they came. Questions are answered
/// beside it, each after everything that came before it on the connection.
///
/// What is in flight is charged before memory is taken for it: a frame when it is announced,
/// until its answer is taken. Past the bound the connection is read no further.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Why the next frame is not read yet.
  enum Intake {
    case open
    /// The announced frame waits until something of this connection is done.
    case waitsForItself
    /// The announced frame waits for its turn.
    case waitsForOthers(ByteBudget.Turn)
    /// Other connections of the event loop come first, for a moment.
    case yields
    /// A large frame is being read beside the event loop.
    case parsing
    /// Nothing more is read: the connection is about to end.
    case closed
  }

  let number: Int
  let services: DaemonServices
  let desk: QuestionDesk
  let doorkeeper: Doorkeeper
  let logger: Logger
  /// Who the messages of an editor come from; a bridge names its run.
  var key: EditorKey
  var isEditor = false

  var intake = Intake.open
  private var assembler: FrameAssembler
  var account: ByteAccount
  /// What the frame that is being received takes.
  private var incoming: ByteAccount.Charge?
  /// True once the first byte has come.
  private var hasBegun = false
  private var isReading = true
  /// True if the connection ended while a frame was being read beside the event loop.
  private var hasRest = false
  /// True if the client said that it sends no more; it may still wait for answers.
  private var isInputClosed = false
  var clock: ConnectionClock

  /// Messages under way whose answers are not in `answers` yet.
  var underWay = 0
  var questions = QuestionQueue()
  var answers = AnswerQueue()
  /// Bytes of answers that were written and that the system has not taken.
  var unsent = 0
  var isSending = false

  init(
    number: Int, services: DaemonServices, desk: QuestionDesk, doorkeeper: Doorkeeper,
    logger: Logger
  ) {
    (self.number, self.services, self.desk) = (number, services, desk)
    (self.doorkeeper, self.logger) = (doorkeeper, logger)
    key = .connection(number)
    let limits = services.limits
    assembler = FrameAssembler(frameSizeMax: limits.frameSizeMax)
    account = ByteAccount(
      budget: services.budget, ownMax: limits.ownBytes, shareMax: limits.connectionBytesMax)
    clock = ConnectionClock(limits)
  }

  func handlerAdded(context: ChannelHandlerContext) { setTimer(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .closed = intake { return }
    if !clock.isProven { doorkeeper.hear(number) }
    let bytes = unwrapInboundIn(data)
    if !hasBegun, let first = bytes.readableBytesView.first {
      hasBegun = true
      // The name of a header may be in lower case.
      guard [UInt8(ascii: "C"), UInt8(ascii: "c")].contains(first) else {
        return leave(Self.otherDialect, context)
      }
    }
    assembler.append(bytes)
    process(context)
  }

  /// Other first bytes are kept for other ways to speak with the daemon.
  private static let otherDialect = ProtocolError(
    .parseError, "a connection begins with \"Content-Length: N\", CR LF, CR LF; send that first")

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
    questions.asker.leave()
    desk.dropGone()
    if case .waitsForOthers(let turn) = intake { _ = services.budget.leave(turn) }
    clock.stop()
    let dropped = questions.removeAll() + answers.removeAll() + [incoming].compactMap { $0 }
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

  /// Logs the edits that came and were not read yet, as those of a client that sends and goes.
  private func logRest() {
    hasRest = false
    do throws(FrameError) {
      reading: while true {
        switch try assembler.next() {
        case .incomplete: break reading
        case .announced(let size):
          guard size < FrameAssembler.largeSizeMin else { break reading }
          assembler.admit()
        case .body(let body): log(Incoming(body: body))
        }
      }
    } catch { logger.info("connection \(number) ended with bytes that are no frame") }
    endEditor()
  }

  private func endEditor() {
    // A bridge ends its documents itself: its connection may end with a daemon's restart.
    switch key {
    case .connection:
      if isEditor { services.ingest.submit(.editor(key, .end, ticket: nil) { _ in }, from: number) }
    case .bridge:
      services.ingest.submit(.look({ [key] in $0.forgetIdleEditor(key) }) { _ in }, from: number)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    logger.info("connection \(number) failed: \(error)")
    context.close(promise: nil)
  }
}

// Receiving.
extension ConnectionHandler {
  /// Frames of a connection that are read before others of its event loop have their turn.
  private static let turnSize = 4

  /// Reads as many of the frames that have come as there is room for, a few at a time.
  func process(_ context: ChannelHandlerContext) {
    var frameCount = 0
    do throws(FrameError) {
      while case .open = intake {
        switch try assembler.next() {
        case .incomplete:
          clock.noteFrame(isPartial: assembler.isMidFrame)
          if isInputClosed, assembler.isMidFrame { throw .unexpectedEnd }
          setReading(true, context)
          setTimer(context)
          return closeWhereDone(context)
        case .announced(let size): admit(size, context)
        case .body(let body):
          receive(body, context)
          frameCount += 1
          if frameCount == Self.turnSize, case .open = intake { yield(context) }
        }
      }
      setReading(false, context)
    } catch {
      let code: ProtocolError.Code =
        if case .bodyTooLarge = error { .tooLarge } else { .parseError }
      leave(ProtocolError(code, "\(error)"), context)
    }
  }

  /// Goes on when the event loop has looked after all other connections.
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

  /// Starts to receive a frame if there is room for it; else it waits.
  private func admit(_ size: Int, _ context: ChannelHandlerContext) {
    guard !questions.isFull else { return intake = .waitsForItself }
    switch account.take(DaemonLimits.cost(ofFrame: size)) {
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

  /// The turn of the frame that waited has come.
  private func grant(_ cost: Int, _ context: ChannelHandlerContext) {
    let charge = account.add(cost)
    guard case .waitsForOthers = intake else { return account.give(charge) }
    intake = .open
    admit(charge)
    process(context)
  }

  /// Reads a whole frame: a large one beside the event loop, and nothing after it until then.
  private func receive(_ body: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let charge = incoming else { return }
    incoming = nil
    clock.endFrame()
    guard body.readableBytes >= FrameAssembler.largeSizeMin else {
      return handle(Incoming(body: body), body, charge, context)
    }
    intake = .parsing
    underWay += 1
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    NIOThreadPool.singleton.submit { _ in
      let message = Incoming(body: body)
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.underWay -= 1
        guard case .parsing = handler.intake else {
          handler.account.give(charge)
          guard handler.hasRest else { return }
          handler.log(message)
          return handler.logRest()
        }
        handler.intake = .open
        handler.handle(message, body, charge, context)
        handler.process(context)
      }
    }
  }

  /// Gives back what a message took; what waited for it may go on.
  func release(_ charges: [ByteAccount.Charge], _ context: ChannelHandlerContext) {
    for charge in charges { account.give(charge) }
    if case .waitsForItself = intake {
      intake = .open
      process(context)
    }
    closeWhereDone(context)
  }

  /// Ends a connection whose client sends no more, once everything is answered.
  private func closeWhereDone(_ context: ChannelHandlerContext) {
    guard isInputClosed, case .open = intake, !assembler.isMidFrame, underWay == 0, unsent == 0,
      answers.isEmpty, questions.isEmpty
    else { return }
    context.close(promise: nil)
  }

  func setReading(_ mayRead: Bool, _ context: ChannelHandlerContext) {
    guard mayRead != isReading else { return }
    isReading = mayRead
    context.channel.setOption(.autoRead, value: mayRead).whenFailure { _ in }
  }

  /// Tells why the connection ends, and lets it end once that can have been read.
  func leave(_ error: ProtocolError, _ context: ChannelHandlerContext) {
    if case .closed = intake { return }
    if case .waitsForOthers(let turn) = intake { _ = services.budget.leave(turn) }
    intake = .closed
    clock.stop()
    assembler = FrameAssembler(frameSizeMax: 0)
    if let incoming { account.give(incoming) }
    incoming = nil
    answer(.failure(id: nil, error), nil)
    send(context)
    doorkeeper.dismiss(context.channel)
  }
}
