package import EditJSON
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
    /// True if requests for a document that an editor has open wait until it is closed there. If false,
    /// the editor is asked to make the edits, and they fail with `openInEditor` if it does not.
    public var waitsForEditors = false
    /// The connection's options.
    public var client = EditLogClient.Options()

    /// The defaults.
    public init() {}
  }

  /// Called with each request's end, in the order of their counters, one call at a time. Must not
  /// block.
  public typealias Report =
    @Sendable (_ counter: UInt64, _ result: Result<AppendResult, ProtocolError>) -> Void

  private static let method = "editlog/append"

  /// The session of all requests.
  public let session: SessionID
  private let core: ForwardingClient
  private let frameSizeMax: Int
  private let isAtRest: Bool
  private let failure: Failure

  /// The first error: no request is taken after it.
  private final class Failure: Sendable {
    private let first = Mutex<ProtocolError?>(nil)
    var error: ProtocolError? { first.withLock { $0 } }
    func note(_ error: ProtocolError) { first.withLock { $0 = $0 ?? error } }
  }

  private init(
    socket: String, session: SessionID, identity: ClientIdentity?, firstCounter: UInt64,
    options: Options, report: Report?
  ) {
    let failure = Failure()
    (self.session, self.failure) = (session, failure)
    (frameSizeMax, isAtRest) = (options.client.frameSizeMax, options.waitsForEditors)
    core = ForwardingClient(
      ForwardingClient.Options(
        socketPath: socket, method: Self.method, client: options.client,
        windowCountMax: options.windowCountMax, windowSizeMax: options.windowSizeMax,
        queueCountMax: options.windowCountMax, memorySizeMax: options.windowSizeMax,
        pauseMin: options.pauseMin, pauseMax: options.pauseMax, patience: options.patience,
        refusalCountMax: { [waits = options.waitsForEditors] code in
          code.isRetryable || waits && code == .openInEditor ? nil : 1
        }, isProgram: true),
      session: session, queue: RequestQueue(firstCounter: firstCounter),
      initialize: identity?.initializeParams
    ) { ended in
      let result = ended.outcome.flatMap(Self.read)
      if case .failure(let error) = result { failure.note(error) }
      report?(ended.counter, result)
    }
  }

  private static func read(_ answer: JSON) -> Result<AppendResult, ProtocolError> {
    Result { () throws(ShapeError) in try AppendResult(json: answer) }.mapError { error in
      ProtocolError(.internalError, "the daemon's answer to \(method): \(error)")
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
    var options = options
    options.client.callCountMax = max(options.client.callCountMax, options.windowCountMax)
    let client = try await EditLogClient.connect(to: path, options: options.client, group: group)
    let appender = ResilientAppender(
      socket: path, session: session, identity: identity, firstCounter: firstCounter,
      options: options, report: report)
    await appender.core.start(over: client)
    return appender
  }

  /// Sends a request with the next counter as its ticket; waits while the window is full, not
  /// for the acknowledgement. Returns the counter. Requests are logged in the order of their
  /// counters: one caller at a time, if the order matters.
  ///
  /// - Throws: `ProtocolError`: the first request's failure, `tooLarge` for a request that no
  ///   daemon would take, `unreachable` after `close()`.
  @discardableResult
  public func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64 {
    try await append(params: request.members(edits: request.edits.map(\.json)))
  }

  /// Sends a request with these params, to which the ticket is added; as `append(_:)`. Long strings
  /// that stayed in a frame are sent from there.
  @discardableResult
  package func append(params: JSONObject) async throws(ProtocolError) -> UInt64 {
    try await core.send { [failure, frameSizeMax, isAtRest] ticket throws(ProtocolError) in
      if let error = failure.error { throw error }
      var params = params
      params["session"] = JSON(ticket.session.name)
      params["counter"] = JSON(ticket.counter)
      if isAtRest { params["atRest"] = true }
      let payload = ByteParts(.object(params))
      let size = ForwardingClient.frameSize(
        id: ticket.counter, method: Self.method, params: payload)
      guard size <= frameSizeMax else {
        throw .tooLarge("a request", size: size, sizeMax: frameSizeMax)
      }
      return payload
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
