import EditProtocol
import Logging
import NIOCore

// Sending.
extension ConnectionHandler {
  /// Bytes that are written before the system has taken them.
  private static let unsentMax = 64 << 10

  /// Queues a short answer.
  func answer(_ message: RPCMessage, _ charge: ByteAccount.Charge?) {
    guard !questions.asker.isGone else {
      if let charge { account.give(charge) }
      return
    }
    if answers.isEmpty, unsent == 0 { clock.noteTaken() }
    answers.add(AnswerBody(inMemory: message), charge)
  }

  /// Sends when everything is done that the loop has to do now: the answers to one batch become
  /// one write.
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

  /// Writes what the client has room for.
  func send(_ context: ChannelHandlerContext) {
    guard !questions.asker.isGone else { return }
    var hasWritten = false
    do throws(AnswerFile.Failure) {
      while unsent < Self.unsentMax, let piece = try answers.next() {
        write(piece, context)
        hasWritten = true
      }
    } catch {
      logger.error("an answer that waited in a file cannot be read: error \(error.errno)")
      return context.close(promise: nil)
    }
    if hasWritten { flush(context) }
    setTimer(context)
  }

  /// Hands what was written to the system.
  ///
  /// If the client is gone, that ends the connection at once. What the client sent before is
  /// read first, but only while reading is on.
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
      handler.clock.noteTaken()
      handler.release(charges, context)
      handler.sendSoon(context)
      handler.beginQuestions(context)
    }
    context.write(wrapOutboundOut(piece.bytes), promise: written)
  }

  /// Looks after the connection while it owes something.
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
    let complaint = clock.check(
      isWaiting: isWaiting, isContended: services.budget.isContended,
      areFilesScarce: services.answerFiles.isScarce, hasAnswers: unsent > 0 || !answers.isEmpty)
    if let complaint { leave(complaint, context) } else { setTimer(context) }
  }
}
