import EditIngest
import EditProtocol
import Logging
import NIOCore

// Sends answers.
extension ConnectionHandler {
  /// The number of written bytes that the system has not taken, at which writing pauses.
  private static let unsentMax = 64 << 10

  /// Queues a short answer.
  func answer(_ message: RPCMessage, _ charge: ByteAccount.Charge?) {
    guard !questions.client.isGone else {
      if let charge { account.give(charge) }
      return
    }
    if answers.isEmpty, unsent == 0 { clock.noteTaken() }
    answers.add(AnswerBody(inMemory: message), charge)
  }

  /// Queues the frames of the native dialect that are ready.
  func addFrames() {
    guard let (frames, charge) = native?.takeFrames() else { return }
    guard !questions.client.isGone else {
      if let charge { account.give(charge) }
      return
    }
    if answers.isEmpty, unsent == 0 { clock.noteTaken() }
    answers.add(frames: .memory(frames), charge)
  }

  /// Sends after the other tasks that wait on the loop, so that the answers to one batch become one
  /// write.
  func sendSoon(_ context: ChannelHandlerContext) {
    guard !isSending, !answers.isEmpty else { return }
    isSending = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.isSending = false
      handler.send(context)
    }
  }

  /// Writes answers until `unsentMax` bytes wait for the client.
  func send(_ context: ChannelHandlerContext) {
    guard !questions.client.isGone else { return }
    var hasWritten = false
    do throws(AnswerFile.Failure) {
      while unsent < Self.unsentMax, let piece = try answers.next() {
        write(piece, context)
        hasWritten = true
      }
    } catch {
      logger.error("the file of an answer cannot be read: error \(error.errno)")
      return context.close(promise: nil)
    }
    if hasWritten { flush(context) }
    setTimer(context)
  }

  /// Passes the written bytes to the system.
  ///
  /// If the client is gone, this ends the connection at once. NIO reads the bytes that the client sent
  /// before, but only while reading is on.
  private func flush(_ context: ChannelHandlerContext) {
    if case .closed = intake { return context.flush() }
    setReading(true, context)
    context.flush()
    if case .open = intake { return }
    setReading(false, context)
  }

  private func write(_ piece: AnswerQueue.Piece, _ context: ChannelHandlerContext) {
    let size = piece.bytes.readableBytes
    unsent += size
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { [charges = piece.charges] _ in
      let (handler, context) = bound.value
      handler.unsent -= size
      handler.noteAnswered()
      handler.clock.noteTaken()
      handler.noteTaken()
      handler.release(charges, context)
      handler.sendSoon(context)
      handler.beginQuestions(context)
    }
    context.write(wrapOutboundOut(piece.bytes), promise: written)
  }

  /// Records a request whose times are taken and whose answer was queued. If a client reads its answers
  /// late, the times of most of them are not known.
  func noteUnanswered(_ timing: RequestTiming) {
    guard unanswered.count < Self.unansweredMax else { return }
    unanswered.append(timing)
  }

  private static var unansweredMax: Int { 64 }

  /// The system has taken all answers, if none is left: the requests whose times are taken are answered.
  private func noteAnswered() {
    guard !unanswered.isEmpty, unsent == 0, answers.isEmpty else { return }
    let now = ticks.uptimeNanoseconds
    for timing in unanswered { timing.answered(at: now) }
    unanswered = []
  }

  /// Checks the time limits from time to time, while one of them applies.
  func setTimer(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    clock.arm(hasAnswers: unsent > 0 || !answers.isEmpty, context.eventLoop) {
      let (handler, context) = bound.value
      handler.checkTime(context)
    }
  }

  private func checkTime(_ context: ChannelHandlerContext) {
    var isWaiting = false
    switch intake {
    case .open: break
    case .closed: return
    case .waitsForItself, .waitsForOthers, .yields, .parsing: isWaiting = true
    }
    let error = clock.check(
      isWaiting: isWaiting, isContended: services.budget.isContended,
      areFilesScarce: services.answerFiles.isScarce, hasAnswers: unsent > 0 || !answers.isEmpty)
    if let error { leave(error, context) } else { setTimer(context) }
  }
}
