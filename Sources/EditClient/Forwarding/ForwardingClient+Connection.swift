import EditJSON
import EditProtocol
import EditSpool

// Connections: made, used until they are lost, and made again.
extension ForwardingClient {
  /// One connection, in the name of one session.
  struct Connection {
    let link: any RequestLink
    /// Set after a refusal that may pass: everything will be sent again over the next connection,
    /// so that the order holds, and later refusals on this one say nothing.
    var isGivenUp = false
  }

  /// Makes and uses connections until the task is cancelled, the patience is over, or an inherited
  /// spool is done.
  func run(_ first: (any RequestLink)? = nil) async {
    var (first, pause) = (first, options.pauseMin)
    while !Task.isCancelled, !isDone {
      connectionError = nil
      do {
        let link = if let first { first } else { try await options.connect() }
        first = nil
        await use(link)
      } catch {
        lastError = error
        connectionError = error
      }
      connectionLost()
      if let error = connectionError {
        if options.isFinal(error.code) { return endAll(error) }
        noteProblem(error)
      }
      if let patience = options.patience, !queue.isEmpty, .now - lastProgress > patience {
        return endAll(lastError)
      }
      if hasProgress { pause = options.pauseMin }
      if !isDone { try? await Task.sleep(for: max(pause, pauseAsked ?? .zero)) }
      (hasProgress, pauseAsked) = (false, nil)
      pause = min(pause * 2, options.pauseMax)
    }
  }

  /// True if an inherited spool was sent, or could not be.
  private var isDone: Bool {
    isInherited && (queue.isEmpty || failureCount >= Self.failureCountMax)
  }

  /// Tells a person, once, of a daemon that is there and takes nothing. That none runs needs no words:
  /// it is what the spool is for.
  private func noteProblem(_ error: ProtocolError) {
    guard error.code != .unreachable, error.code != .overloaded, notedError != error else { return }
    notedError = error
    let spool = options.spool.map { "; edits are kept in \($0.folder.path)" } ?? ""
    note("\(error.message)\(spool)")
  }

  private func connectionLost() {
    connection = nil
    queue.connectionLost()
    isAway = true
    spoolAll()
  }

  /// Uses a connection until it ends.
  private func use(_ link: any RequestLink) async {
    await withTaskCancellationHandler {
      await sendInheritedSpools()
      do { try await converse(over: link) } catch let error as ProtocolError {
        (lastError, connectionError) = (error, error)
      } catch {}
    } onCancel: {
      link.startClosing()
    }
    await link.close()
    // After a refusal, this side has closed the connection.
    if let reason = link.reason, connection?.isGivenUp != true {
      if !hasProgress { lastError = reason }
      connectionError = reason
    }
    failureCount = hasProgress ? 0 : failureCount + 1
  }

  private func converse(over link: any RequestLink) async throws {
    try await link.begin(
      initialize.map {
        SpoolHeader(session: session, initialize: $0, open: queue.openDocuments.sorted)
          .initializeParams
      })
    connection = Connection(link: link)
    isAway = false
    notedError = nil
    sendQueued()
    for await event in link.events {
      if case .answer(let counter, let outcome) = event { take(counter, outcome) }
      sendQueued()
      if isDone { return await link.leave() }
    }
  }

  /// Sends what may be sent now.
  func sendQueued() {
    guard let link = connection?.link else { return }
    while let counter = queue.takeNextToSend(
      sizeMax: min(options.windowSizeMax, queue.window.size.addingClamped(link.room)),
      countMax: options.windowCountMax)
    {
      do throws(SpoolError) {
        link.send(counter, try payload(counter))
      } catch {
        note("\(error)")
        end(counter, .failure(ProtocolError(.storeUnreadable, "\(error)")))
      }
    }
  }

  private func take(_ counter: UInt64, _ outcome: RequestQueue.Outcome) {
    guard case .failure(let error) = outcome else { return end(counter, outcome) }
    guard connection?.isGivenUp == false else { return }
    if let countMax = options.refusalCountMax(error.code), queue.countRefusal(counter) >= countMax {
      return end(counter, outcome)
    }
    lastError = error
    if error.code == .unresponsive { connectionError = error }
    if case .integer(let millis)? = error.details["retryAfterMillis"] {
      pauseAsked = .milliseconds(min(max(millis, 0), 60_000))
    }
    connection?.isGivenUp = true
    connection?.link.startClosing()
  }
}

extension Int {
  /// The sum, or the largest number.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
