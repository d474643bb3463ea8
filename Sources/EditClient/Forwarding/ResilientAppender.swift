import EditJSON
import EditLogFormat
public import EditModel
public import EditProtocol
public import NIOCore
import Synchronization

/// Appends edits through a daemon that may be killed, restarted or upgraded meanwhile: no request
/// is lost, and none is logged twice.
///
/// Each request gets a ticket (session and counter) and is kept until it is acknowledged. After a
/// lost connection, and after a refusal that may pass, all kept requests are sent again in their
/// order; the daemon answers those it has logged with their first answer. Memory is bounded:
/// `append` waits while the window is full.
///
/// Requests are batches of the native dialect, which the article `Protocol` of `EditProtocol`
/// describes: at most 65,536 edits, and 256 KiB of attribute changes. The result of a request has no
/// `head` if it was acknowledged together with a later one.
///
/// ```swift
/// let appender = try await ResilientAppender.connect(
///   to: socket, session: SessionID.newRun(of: "notes"))
/// try await appender.append(AppendRequest(document: document, edits: edits))
/// try await appender.flush()
/// await appender.close()
/// ```
///
/// A request that the daemon refuses for good is reported, and no further one is taken. Requests
/// that were sent after it may still be logged; give requests a `base` if that matters.
///
/// It keeps its connection, and itself alive, until `close()`.
public final class ResilientAppender: Sendable {
  /// What may be chosen.
  public struct Options: Sendable {
    /// Requests sent and not yet acknowledged.
    public var windowCountMax = 1024
    /// Bytes of them. A larger request is sent alone.
    public var windowSizeMax = 8 << 20
    /// The pause before the first attempt to connect again; doubled with each that fails.
    public var pauseMin: Duration = .milliseconds(10)
    /// The longest pause.
    public var pauseMax: Duration = .seconds(1)
    /// Without a connection, and this long after the last acknowledgement, all waiting requests
    /// fail.
    public var patience: Duration = .seconds(60)
    /// How long a daemon is waited for that sends nothing. Then all waiting requests fail with
    /// `unresponsive`: whether they were logged is not known.
    public var silence = SilenceLimits()
    /// Called before each connection after the first; what it throws ends all requests.
    package var check: (@Sendable () async throws(ProtocolError) -> Void)?
    /// True if requests for a document that an editor has open wait until it is closed there. If false,
    /// the editor is asked to make the edits of a request that is not `atRest`, and the request fails
    /// with `openInEditor` if it does not.
    public var waitsForEditors = false
    /// Bytes in the largest request.
    public var requestSizeMax = FrameDecoder.defaultFrameSizeMax

    /// The defaults.
    public init() {}
  }

  /// Called with each request's end, in the order of their counters, one call at a time. Must not
  /// block.
  public typealias Report =
    @Sendable (_ counter: UInt64, _ result: Result<AppendResult, ProtocolError>) -> Void

  /// The session of all requests.
  public let session: SessionID
  private let core: ForwardingClient
  private let requestSizeMax: Int
  private let isAtRest: Bool
  private let failure: Failure

  /// The first error: no request is taken after it.
  private final class Failure: Sendable {
    private let first = Mutex<ProtocolError?>(nil)
    var error: ProtocolError? { first.withLock { $0 } }
    func note(_ error: ProtocolError) { first.withLock { $0 = $0 ?? error } }
  }

  private init(
    _ socket: String, _ hello: NativeHello, firstCounter: UInt64, _ options: Options,
    _ report: Report?
  ) {
    let failure = Failure()
    (session, self.failure) = (hello.session, failure)
    (requestSizeMax, isAtRest) = (options.requestSizeMax, options.waitsForEditors)
    core = ForwardingClient(
      ForwardingClient.Options(
        socketPath: socket,
        connect: {
          [silence = options.silence, check = options.check] () async throws(ProtocolError) in
          try await check?()
          return try await AppendLink.connect(to: socket, hello, silence)
        },
        windowCountMax: options.windowCountMax, windowSizeMax: options.windowSizeMax,
        queueCountMax: options.windowCountMax, memorySizeMax: options.windowSizeMax,
        pauseMin: options.pauseMin, pauseMax: options.pauseMax, patience: options.patience,
        isFinal: { [.unresponsive, .notPermitted, .invalidParams].contains($0) },
        refusalCountMax: { [waits = options.waitsForEditors] code in
          code.isRetryable || waits && code == .openInEditor ? nil : 1
        }),
      session: session, queue: RequestQueue(firstCounter: firstCounter)
    ) { ended in
      let result = ended.outcome.flatMap { answer -> Result<AppendResult, ProtocolError> in
        if case .appended(let result) = answer { return .success(result) }
        return .failure(ProtocolError(.internalError, "the answer is not that to an append"))
      }
      if case .failure(let error) = result { failure.note(error) }
      report?(ended.counter, result)
    }
  }

  /// Connects to the daemon's socket at `path`. `firstCounter` is above every counter that the
  /// session has used; it is 1 for a new session. With `identity`, which is of this session, the daemon
  /// knows who the client is, and stamps its author on edits that name none.
  ///
  /// - Throws: `ProtocolError` if this first attempt fails; only a connection that has been made
  ///   once is waited for.
  public static func connect(
    to path: String, session: SessionID, identity: ClientIdentity? = nil,
    firstCounter: UInt64 = 1, options: Options = Options(), group: (any EventLoopGroup)? = nil,
    report: Report? = nil
  ) async throws(ProtocolError) -> ResilientAppender {
    precondition(firstCounter > 0 && firstCounter < .max / 2)
    precondition(identity.map { $0.session == session } ?? true)
    let hello = NativeHello(client: identity?.client, session: session, author: identity?.author)
    let link = try await AppendLink.connect(to: path, hello, options.silence, group: group)
    let appender = ResilientAppender(path, hello, firstCounter: firstCounter, options, report)
    await appender.core.start(over: link)
    return appender
  }

  /// Sends a request with the next counter as its ticket, which replaces its own; waits while the
  /// window is full, not for the acknowledgement. Returns the counter. Requests are logged in the order
  /// of their counters: one caller at a time, if the order matters. O(size).
  ///
  /// - Throws: `ProtocolError`: the first request's failure; `tooLarge` for a request that no daemon
  ///   would take, `invalidParams` for one without edits and `invalidEdit` for an edit outside any text,
  ///   whose counters are not used; `unreachable` after `close()`.
  @discardableResult
  public func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64 {
    var request = request
    if isAtRest { request.atRest = true }
    return try await core.send { [failure, requestSizeMax, request] ticket throws(ProtocolError) in
      if let error = failure.error { throw error }
      var bytes = ByteWriter()
      var scratch = RecordScratch()
      try NativeBatch.write(request, counter: ticket.counter, to: &bytes, with: &scratch)
      guard bytes.count <= requestSizeMax else {
        throw .tooLarge("a request", size: bytes.count, sizeMax: requestSizeMax)
      }
      return ByteParts(bytes.bytes)
    }
  }

  /// Waits until every request so far has ended and was reported.
  ///
  /// - Throws: `ProtocolError`: the first failure of any request.
  public func flush() async throws(ProtocolError) {
    _ = await core.flush()
    if let error = failure.error { throw error }
  }

  /// Ends the connection. Requests not yet acknowledged are reported as `unreachable`; whether
  /// they were logged is not known.
  public func close() async {
    await core.stop()
    let error = ProtocolError.unreachable(
      socket: core.options.socketPath, "this client was closed")
    failure.note(error)
    await core.endAll(error)
  }
}
