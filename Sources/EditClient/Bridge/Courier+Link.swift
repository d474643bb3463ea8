import EditModel
import EditProtocol

// The connection: made, used until it is lost, and made again for as long as the editor lives.
extension Courier {
  /// How often a message may be refused for reasons that may not be its own.
  static let refusalsMax = 3

  /// Returns when the task is cancelled.
  func keepConnected() async {
    var pause = configuration.pauseMin
    while !Task.isCancelled {
      do {
        let client = try await EditLogClient.connect(to: configuration.socketPath)
        await use(client)
      } catch { lost() }
      if hasProgress { pause = configuration.pauseMin }
      try? await Task.sleep(for: max(pause, pauseAsked ?? .zero))
      (hasProgress, pauseAsked) = (false, nil)
      pause = min(pause * 2, configuration.pauseMax)
    }
  }

  /// Notes that there is no connection.
  private func lost() {
    (wire, feed) = (nil, nil)
    outbox.connectionLost()
    isAway = true
    spoolAll()
  }

  /// Uses a connection until it ends.
  private func use(_ client: EditLogClient) async {
    await withTaskCancellationHandler {
      // What failed is seen from the outbox; the next connection tries it again.
      if (try? await deliverSpools()) != nil { try? await converse(over: client) }
    } onCancel: {
      client.startClosing()
    }
    lost()
    await client.close()
  }

  private func converse(over client: EditLogClient) async throws {
    let header = SpoolHeader(
      session: session, initialize: initialize, open: outbox.acknowledgedOpen.sorted)
    let wire = try await Wire(client, header)
    let (answers, feed) = AsyncStream.makeStream(of: Wire.Answer.self)
    (self.wire, self.feed, isAway, isGivenUp) = (wire, feed, false, false)
    let closing = Task {
      await client.waitUntilClosed()
      feed.finish()
    }
    pump()
    for await answer in answers { take(answer) }
    closing.cancel()
  }

  /// Sends what may be sent now.
  func pump() {
    guard let wire, let feed else { return }
    while let counter = outbox.takeNextToSend(
      flightSizeMax: configuration.flightSizeMax, flightCountMax: configuration.flightCountMax)
    {
      do throws(SpoolError) {
        wire.send(counter, try payload(counter)) { feed.yield($0) }
      } catch {
        note("\(error); a message of the editor is lost")
        outbox.finish(counter)
        acknowledged()
      }
    }
  }

  private func take(_ answer: Wire.Answer) {
    switch answer.outcome {
    case .success:
      hasProgress = true
      finish(answer.counter)
    case .failure(let error) where !isGivenUp:
      switch error.remedy {
      case .giveUp: giveUp(answer.counter, error)
      case .tryFewTimes where outbox.countRefusal(answer.counter) >= Self.refusalsMax:
        giveUp(answer.counter, error)
      case .tryFewTimes, .tryAgain: tryLater(error)
      }
    case .failure: break
    }
  }

  private func finish(_ counter: UInt64) {
    outbox.finish(counter)
    acknowledged()
    pump()
  }

  /// Goes on without a message. The daemon's words may quote it; they are not repeated.
  private func giveUp(_ counter: UInt64, _ error: ProtocolError) {
    note(
      "the daemon refused message \(counter) of \(session) (\(error.code.name)); it is not logged")
    finish(counter)
  }

  /// All that is not acknowledged is sent again over the next connection, so that the order
  /// holds.
  private func tryLater(_ error: ProtocolError) {
    if case .integer(let millis)? = error.details["retryAfterMillis"] {
      pauseAsked = .milliseconds(min(max(millis, 0), 60_000))
    }
    isGivenUp = true
    wire?.client.startClosing()
  }
}
