import EditJSON
import EditModel
import EditProtocol
import EditSpool

/// Sends numbered requests of one session to a daemon that may be killed, restarted or replaced
/// meanwhile: each is handled once, in the order of the counters.
///
/// - Requests wait in a queue until they are answered. Those in the window are sent without
///   waiting for the answers of earlier ones.
/// - When the connection is lost, or the daemon refuses a request for a reason that may pass, all
///   unanswered requests are sent again over a new connection, in their order. (session, counter)
///   lets the daemon recognise those that it has handled.
/// - With a spool, requests that are not answered soon are also written to a file, from which
///   another process can send them.
/// - Memory, window and spool are bounded.
///
/// Both `ResilientAppender` and `LSPBridge` are layers on top of it.
actor ForwardingClient {
  /// What may be chosen.
  struct Options: Sendable {
    var socketPath: String
    /// Makes a connection.
    var connect: @Sendable () async throws(ProtocolError) -> any RequestLink
    /// Requests sent and not yet answered.
    var windowCountMax: Int
    /// Bytes of them. A larger request is sent alone.
    var windowSizeMax: Int
    /// Unanswered requests above which `send` waits.
    var queueCountMax: Int
    /// Bytes of them in memory above which `send` waits, or moves them to the spool.
    var memorySizeMax: Int
    /// The pause before the next connection; doubled after each one without progress.
    var pauseMin: Duration
    /// The longest pause.
    var pauseMax: Duration
    /// Without a connection, and this long after the last answer, all requests fail; nil: never.
    var patience: Duration?
    /// True if a connection that cannot be made, or is lost, with this code ends all requests.
    var isFinal: @Sendable (ProtocolError.Code) -> Bool = { _ in false }
    /// How often a request may be refused with this code before it fails; nil: without limit.
    var refusalCountMax: @Sendable (ProtocolError.Code) -> Int?
    /// Where requests are kept that are not answered soon; nil: in memory only.
    var spool: SpoolOptions?
  }

  struct SpoolOptions: Sendable {
    var folder: SpoolFolder
    /// The store that the requests are for, as in `SpoolHeader`; nil: that of the daemon at the socket.
    var store: String?
    /// Bytes in the file above which `send` waits.
    var sizeMax: Int
    /// How long a request may be unanswered before it is written to the file, if the daemon is
    /// connected; at once if it is not.
    var delay: Duration
    /// How often the file is flushed to the disk.
    var syncDelay: Duration
  }

  let options: Options
  let session: SessionID
  /// Called with the end of each request, in the order of their counters. Must not block.
  let onEnd: @Sendable (RequestQueue.Ended) -> Void
  /// Takes lines for a person, without text of the user's.
  let note: @Sendable (String) -> Void

  var queue: RequestQueue
  /// The params of the `initialize` that each connection starts with; nil: none is sent.
  var initialize: JSON?

  // The connection.
  var connection: Connection?
  /// Makes connections until it is cancelled.
  var link: Task<Void, Never>?
  /// True while the daemon cannot be reached: new requests go to the spool at once.
  var isAway = false
  /// True if a request ended on this connection.
  var hasProgress = false
  /// Connections in a row on which no request ended.
  var failureCount = 0
  var lastProgress = ContinuousClock.now
  /// The pause that the daemon asked for.
  var pauseAsked: Duration?
  /// Why requests are not answered now: the last refusal, or why there was no connection.
  var lastError: ProtocolError
  /// Why the last connection could not be made, or was lost, as far as it is known.
  var connectionError: ProtocolError?
  /// The last of these errors that was reported to the user.
  var notedError: ProtocolError?

  // The spool.
  var spool: SpoolFile?
  /// True if the spool is another session's: it is sent, and nothing is added to it.
  let isInherited: Bool
  /// True after the first connection has looked for the spools of other sessions.
  var hasInherited = false
  /// Spools that this process has given up sending, by path.
  var abandonedSpools: Set<ExactString> = []
  var spoolTimer: Task<Void, Never>?
  var syncTimer: Task<Void, Never>?
  /// Why the spool could not be written last; nil if it could.
  var spoolFailure: SpoolError?

  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(
    _ options: Options, session: SessionID, queue: RequestQueue = RequestQueue(),
    inherited: SpoolFile? = nil, initialize: JSON? = nil,
    note: @escaping @Sendable (String) -> Void = { _ in },
    onEnd: @escaping @Sendable (RequestQueue.Ended) -> Void
  ) {
    (self.options, self.session, self.queue) = (options, session, queue)
    (spool, isInherited) = (inherited, inherited != nil)
    (self.initialize, self.note, self.onEnd) = (initialize, note, onEnd)
    lastError = .unreachable(socket: options.socketPath, "the connection was lost")
  }

  /// Starts to connect, if it has not; `first` is used as the first connection.
  func start(over first: (any RequestLink)? = nil) {
    guard link == nil else { return }
    link = Task { await self.run(first) }
  }

  /// Starts to connect for an editor that gave these params of `initialize`.
  func start(_ initialize: JSON) {
    self.initialize = initialize
    start()
  }

  /// Takes a request, and returns its counter without waiting for the answer. Waits while there is
  /// no room, unless `isEnding` becomes true: what an editor that ends has sent is not much, and
  /// will not be sent again. `payload` makes the request's params.
  ///
  /// - Throws: what `payload` throws; the counter is not used then.
  @discardableResult
  func send<Failure>(
    _ effect: OpenDocuments.Effect? = nil, unless isEnding: @Sendable () -> Bool = { false },
    _ payload: @Sendable (RequestTicket) throws(Failure) -> ByteParts
  ) async throws(Failure) -> UInt64 {
    while !hasRoom, !isEnding() { _ = await wait(atMost: options.pauseMax) { hasRoom } }
    let ticket = RequestTicket(session: session, counter: queue.lastCounter + 1)
    let bytes = try payload(ticket)
    if queue.isEmpty { lastProgress = .now }
    queue.append(bytes, effect)
    start()
    sendQueued()
    keepInSpool()
    return ticket.counter
  }

  private var hasRoom: Bool {
    queue.isEmpty
      || queue.memorySize <= options.memorySizeMax && queue.count < options.queueCountMax
        && spool?.size ?? 0 < options.spool?.sizeMax ?? .max
  }

  /// Waits until every request so far has ended; false if that took longer than `patience`.
  func flush(atMost patience: Duration? = nil) async -> Bool {
    let last = queue.lastCounter
    return await wait(atMost: patience) { queue.firstCounter > last }
  }

  private func wait(atMost patience: Duration?, until isDone: () -> Bool) async -> Bool {
    let deadline = patience.map { ContinuousClock.now + $0 }
    let timer = patience.map { patience in
      Task {
        try await Task.sleep(for: patience)
        self.resumeWaiters()
      }
    }
    defer { timer?.cancel() }
    while !isDone() {
      if let deadline, deadline <= .now { return false }
      await withCheckedContinuation { waiter in
        // If the caller's task has an executor of its own, other work may have run since.
        if isDone() || deadline.map({ $0 <= .now }) == true { return waiter.resume() }
        waiters.append(waiter)
      }
    }
    return true
  }

  private func resumeWaiters() {
    let resumed = waiters
    waiters = []
    for waiter in resumed { waiter.resume() }
  }

  /// Notes that a request has ended.
  func end(_ counter: UInt64, _ outcome: RequestQueue.Outcome) {
    (hasProgress, lastProgress) = (true, .now)
    report(queue.end(counter, outcome))
  }

  /// Ends all requests with this error.
  func endAll(_ error: ProtocolError) { report(queue.endAll(error)) }

  private func report(_ ended: [RequestQueue.Ended]) {
    for request in ended { onEnd(request) }
    removeSpoolIfDone()
    resumeWaiters()
  }

  /// Ends the connection, and returns when no other is made. Nothing may be sent afterwards.
  func stop() async {
    link?.cancel()
    await link?.value
  }

  /// Waits at most `patience` for answers, or `shortPatience` without a connection; then stops,
  /// and leaves in the spool what is not answered.
  ///
  /// - Throws: `ProtocolError` of code `storeUnreadable` if the spool cannot be written.
  func finish(
    patience: Duration, withoutConnection shortPatience: Duration
  ) async throws(ProtocolError) {
    let first = min(shortPatience, patience)
    if !(await flush(atMost: first)), connection != nil {
      _ = await flush(atMost: patience - first)
    }
    if queue.isEmpty { await connection?.link.leave() }
    await stop()
    defer {
      for timer in [spoolTimer, syncTimer] { timer?.cancel() }
      // Releases the lock: what is left is for the next process.
      spool = nil
    }
    if !queue.isEmpty { try leaveInSpool() }
  }
}
