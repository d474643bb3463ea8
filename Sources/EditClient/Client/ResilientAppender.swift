public import EditModel
public import EditProtocol
public import NIOCore
import NIOPosix
import Synchronization

/// Appends edits through a daemon that may be killed, restarted or upgraded meanwhile: nothing
/// is lost and nothing is doubled.
///
/// Each request gets a ticket (session and counter) and is kept until it is acknowledged. When
/// the connection is lost, all kept requests are sent again in their order over a new one; the
/// daemon answers those it has with their first answer. Memory is bounded: `append` waits while
/// the window is full.
///
/// A request that the daemon refuses for good is reported, and no further one is taken. Those
/// sent behind it may have been logged all the same; give requests a `base` where that matters.
///
/// It keeps its connection, and itself alive, until `close()`.
public final class ResilientAppender: Sendable {
  /// What may be chosen.
  public struct Options: Sendable {
    /// Requests sent and not yet acknowledged.
    public var windowCountMax = 1024
    /// Bytes of them. A single larger request still goes, alone.
    public var windowSizeMax = 8 << 20
    /// The pause before the first attempt to connect again; doubled with each that fails.
    public var pauseMin: Duration = .milliseconds(10)
    /// The longest pause.
    public var pauseMax: Duration = .seconds(1)
    /// Without a connection, and this long after the last acknowledgement, all waiting requests
    /// fail.
    public var patience: Duration = .seconds(60)
    /// The connection's options.
    public var client = EditLogClient.Options()

    /// The defaults.
    public init() {}
  }

  /// Told of each request's end, in the order of their counters. Runs on an event loop; must
  /// not block.
  public typealias Report =
    @Sendable (_ counter: UInt64, _ result: Result<AppendResult, ProtocolError>) -> Void

  /// The session of all requests.
  public let session: SessionID
  private let socket: String
  private let options: Options
  /// One loop for all connections, so that reports never overlap.
  private let loop: any EventLoop
  private let report: Report?
  private let state: Mutex<State>

  /// What is under way. Invariant: `window` holds the requests `firstCounter`, `firstCounter` + 1,
  /// …, the first of which has no outcome yet.
  fileprivate struct State {
    var window: ArraySlice<Entry> = []
    var firstCounter: UInt64
    /// The requests before this one were reported: at most `firstCounter`.
    var reportedCounter: UInt64
    var windowSize = 0
    var client: EditLogClient?
    var failure: ProtocolError?
    var isClosed = false
    var pause: Duration?
    /// Why the daemon last refused a request for now, until one succeeds.
    var refusal: ProtocolError?
    var refusalPause: Duration = .zero
    var lastProgress = ContinuousClock.now
    var room: [CheckedContinuation<Void, Never>] = []
    var flushes: [(end: UInt64, CheckedContinuation<Void, Never>)] = []
    var keeper: Task<Void, Never>?

    var nextCounter: UInt64 { firstCounter + UInt64(window.count) }

    init(firstCounter: UInt64) {
      (self.firstCounter, reportedCounter) = (firstCounter, firstCounter)
    }
  }

  fileprivate struct Entry {
    let frame: ByteBuffer
    var outcome: Result<AppendResult, ProtocolError>?
  }

  private init(
    socket: String, session: SessionID, firstCounter: UInt64, options: Options,
    loop: any EventLoop, report: Report?
  ) {
    (self.socket, self.session, self.options) = (socket, session, options)
    (self.loop, self.report) = (loop, report)
    state = Mutex(State(firstCounter: firstCounter))
  }

  /// Connects to the daemon's socket at `path`. `firstCounter` is above every counter that the
  /// session has used; it is 1 for a new session.
  ///
  /// - Throws: `ProtocolError` where this first attempt fails; only a connection that was there
  ///   once is waited for.
  public static func connect(
    to path: String, session: SessionID, firstCounter: UInt64 = 1, options: Options = Options(),
    group: (any EventLoopGroup)? = nil, report: Report? = nil
  ) async throws(ProtocolError) -> ResilientAppender {
    precondition(firstCounter > 0 && firstCounter < .max / 2)
    var options = options
    options.client.callCountMax = max(options.client.callCountMax, options.windowCountMax)
    let loop = (group ?? MultiThreadedEventLoopGroup.singleton).next()
    let client = try await EditLogClient.connect(to: path, options: options.client, group: loop)
    let appender = ResilientAppender(
      socket: path, session: session, firstCounter: firstCounter, options: options, loop: loop,
      report: report)
    appender.state.withLock { state in
      state.client = client
      state.keeper = Task { await appender.keepConnected(client) }
    }
    return appender
  }

  /// Sends a request with the next counter as its ticket; waits while the window is full, not
  /// for the acknowledgement. Returns the counter. Requests are logged in the order of their
  /// counters: one caller at a time, where the order matters.
  ///
  /// - Throws: `ProtocolError`: the first request's failure, `tooLarge` for a request no daemon
  ///   would take, `unreachable` after `close()`.
  @discardableResult
  public func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64 {
    while true {
      switch try admit(request) {
      case .sent(let counter): return counter
      case .full: await waitForRoom()
      }
    }
  }

  /// Waits until every request so far has ended and was reported.
  ///
  /// - Throws: `ProtocolError`: the first failure of any request.
  public func flush() async throws(ProtocolError) {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        let isDone = state.reportedCounter == state.nextCounter
        if !isDone { state.flushes.append((state.nextCounter, continuation)) }
        return isDone
      }
      if isDone { continuation.resume() }
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the connection. Requests not yet acknowledged are reported as `unreachable`; whether
  /// they were logged is not known.
  public func close() async {
    let (client, keeper) = state.withLock { state in
      state.isClosed = true
      return (state.client, state.keeper)
    }
    client?.startClosing()
    keeper?.cancel()
    await keeper?.value
    await client?.close()
  }
}

// Requests: into the window, out again when they have ended.
extension ResilientAppender {
  private enum Admission {
    case sent(UInt64)
    case full
  }

  private func admit(_ request: AppendRequest) throws(ProtocolError) -> Admission {
    let result = state.withLock { state -> Result<Admission, ProtocolError> in
      if let failure = state.failure { return .failure(failure) }
      if state.isClosed { return .failure(.unreachable(socket: socket, "this client was closed")) }
      guard
        state.window.isEmpty
          || state.window.count < options.windowCountMax
            && state.windowSize < options.windowSizeMax
      else { return .success(.full) }
      let counter = state.nextCounter
      let frame = frame(request, counter)
      let (size, sizeMax) = (frame.readableBytes, options.client.frameSizeMax)
      guard size <= sizeMax else {
        return .failure(.tooLarge("a request", size: size, sizeMax: sizeMax))
      }
      if state.window.isEmpty { state.lastProgress = .now }
      state.window.append(Entry(frame: frame))
      state.windowSize += size
      // Sent under the lock, so that the order on the wire is that of the counters. Off the
      // event loop this only queues the bytes.
      if let client = state.client { send(counter, frame, over: client) }
      return .success(.sent(counter))
    }
    return try result.get()
  }

  private func frame(_ request: AppendRequest, _ counter: UInt64) -> ByteBuffer {
    var request = request
    request.ticket = RequestTicket(session: session, counter: counter)
    let id = RPCID.integer(Int64(clamping: counter))
    return RPCMessage.request(id: id, method: "editlog/append", params: request.json).frame
  }

  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let mayGo = state.withLock { state in
        let mayGo =
          state.failure != nil || state.isClosed || state.window.isEmpty
          || state.window.count < options.windowCountMax
            && state.windowSize < options.windowSizeMax
        if !mayGo { state.room.append(continuation) }
        return mayGo
      }
      if mayGo { continuation.resume() }
    }
  }

  private func send(_ counter: UInt64, _ frame: ByteBuffer, over client: EditLogClient) {
    let promise = client.makePromise()
    promise.futureResult.whenComplete { [weak self] result in
      self?.answered(counter, result, over: client)
    }
    client.send(id: .integer(Int64(clamping: counter)), frame: frame, promise)
  }

  private func answered(
    _ counter: UInt64, _ result: Result<JSON, any Error>, over client: EditLogClient
  ) {
    switch result {
    case .success(let json):
      let result = Result { () throws(ShapeError) in try AppendResult(json: json) }
      end(
        counter,
        result.mapError { error in
          ProtocolError(.internalError, "the daemon's answer to editlog/append: \(error)")
        })
    case .failure(let error as ProtocolError) where error.code.isRetryable:
      // Lost with the connection, or refused for now: either way it is sent again over the
      // next connection, with all behind it, so that the order holds.
      note(refusal: error)
      client.startClosing()
    case .failure(let error):
      end(counter, .failure((error as? ProtocolError) ?? ProtocolError(.internalError, "\(error)")))
    }
  }

  /// Notes a request's end, and takes the ended ones off the window's front.
  private func end(_ counter: UInt64, _ outcome: Result<AppendResult, ProtocolError>) {
    let ended = state.withLock { state in
      // A second answer: the first connection's came after the request was sent again.
      guard counter >= state.firstCounter, counter < state.nextCounter else {
        return [(UInt64, Result<AppendResult, ProtocolError>)]()
      }
      let index = state.window.startIndex + Int(counter - state.firstCounter)
      if state.window[index].outcome == nil { state.window[index].outcome = outcome }
      if case .failure(let error) = outcome, state.failure == nil { state.failure = error }
      (state.lastProgress, state.refusal) = (.now, nil)
      return state.takeEnded()
    }
    tell(ended)
  }

  /// Reports what has ended, then resumes what waits for it. On the loop.
  private func tell(_ ended: [(UInt64, Result<AppendResult, ProtocolError>)]) {
    if let report { for (counter, outcome) in ended { report(counter, outcome) } }
    let waiting = state.withLock { state in
      state.reportedCounter += UInt64(ended.count)
      return state.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }
}

extension ResilientAppender.State {
  /// Takes the ended requests off the window's front.
  fileprivate mutating func takeEnded() -> [(UInt64, Result<AppendResult, ProtocolError>)] {
    var ended: [(UInt64, Result<AppendResult, ProtocolError>)] = []
    while let entry = window.first, let outcome = entry.outcome {
      ended.append((firstCounter, outcome))
      windowSize -= entry.frame.readableBytes
      window.removeFirst()
      firstCounter += 1
    }
    return ended
  }

  /// What may go on now: callers that wait for room, and flushes whose requests were all reported.
  fileprivate mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
    defer { (room, flushes) = ([], flushes.filter { $0.end > reportedCounter }) }
    return room + flushes.filter { $0.end <= reportedCounter }.map(\.1)
  }
}

// The connection: kept, or made again.
extension ResilientAppender {
  private func keepConnected(_ first: EditLogClient) async {
    var client = first
    while true {
      await client.waitUntilClosed()
      let pause = state.withLock { state in
        defer { (state.client, state.pause) = (nil, nil) }
        return state.pause
      }
      guard let next = await reconnect(after: pause ?? options.pauseMin) else { return }
      client = next
      sendAgain(over: next)
    }
  }

  /// A request was refused for now: the next attempt waits as long as the daemon says, or longer
  /// each time.
  private func note(refusal error: ProtocolError) {
    guard error.code != .unreachable else { return }
    state.withLock { state in
      if case .integer(let millis)? = error.details["retryAfterMillis"] {
        state.pause = .milliseconds(min(max(millis, 0), 60_000))
      } else {
        state.refusalPause = min(
          (state.refusal == nil ? options.pauseMin : state.refusalPause) * 2, options.pauseMax)
        state.pause = state.refusalPause
      }
      state.refusal = error
    }
  }

  /// A new connection; nil, with everything ended, where there is none in time or none is
  /// wanted any more.
  private func reconnect(after first: Duration) async -> EditLogClient? {
    var pause = first
    var lastError = ProtocolError.unreachable(socket: socket, "the connection was lost")
    while true {
      if state.withLock({ $0.isClosed }) {
        giveUp(.unreachable(socket: socket, "this client was closed"))
        return nil
      }
      if state.withLock({ !$0.window.isEmpty && .now - $0.lastProgress > options.patience }) {
        giveUp(state.withLock { $0.refusal } ?? lastError)
        return nil
      }
      try? await Task.sleep(for: pause)
      do throws(ProtocolError) {
        return try await EditLogClient.connect(to: socket, options: options.client, group: loop)
      } catch { lastError = error }
      pause = min(max(pause, options.pauseMin) * 2, options.pauseMax)
    }
  }

  private func sendAgain(over client: EditLogClient) {
    let isClosed = state.withLock { state in
      for (offset, entry) in state.window.enumerated() where entry.outcome == nil {
        send(state.firstCounter + UInt64(offset), entry.frame, over: client)
      }
      state.client = client
      return state.isClosed
    }
    if isClosed { client.startClosing() }
  }

  /// Ends everything that waits with this error.
  private func giveUp(_ error: ProtocolError) {
    let ended = state.withLock { state in
      if state.failure == nil { state.failure = error }
      for index in state.window.indices where state.window[index].outcome == nil {
        state.window[index].outcome = .failure(error)
      }
      return state.takeEnded()
    }
    // On the loop, where all other reports are made.
    loop.execute { self.tell(ended) }
  }
}
