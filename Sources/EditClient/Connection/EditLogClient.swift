public import EditJSON
public import EditProtocol
public import NIOCore
import NIOPosix
import Synchronization

/// A connection to the daemon, for typed calls. Calls are pipelined: many may be under way, and answers
/// are matched by identifier. When the connection is lost, all of them fail with `unreachable`; when the
/// daemon gives no sign of life, with `unresponsive`.
///
/// ```swift
/// let client = try await EditLogClient.connect(to: socket)
/// let state = try await client.call(StateRequest(HistoryReference(document)))
/// ```
///
/// Each method of the article `Protocol` of `EditProtocol` has a type of requests and one of answers. To
/// append edits through restarts of the daemon, use `ResilientAppender`; to follow a document,
/// `EditFollower`.
public final class EditLogClient: Sendable {
  /// What may be chosen.
  public struct Options: Sendable {
    /// Bytes in the largest frame, received or sent.
    public var frameSizeMax = FrameDecoder.defaultFrameSizeMax
    /// Calls under way at once; one more fails with `overloaded`.
    public var callCountMax = 65_536
    /// How long a call waits for a daemon that sends nothing.
    public var silence = SilenceLimits()
    /// Called with each notification that the daemon sends, on the connection's event loop; must
    /// not block.
    public var onNotification: (@Sendable (_ method: String, _ params: JSON) -> Void)?
    /// Called with each request that the daemon sends, as `onNotification`. Returns false if the client
    /// has no such method. Else `reply` may be called once, at any time.
    package var onRequest: OnRequest?

    /// Takes a request of the daemon.
    package typealias OnRequest =
      @Sendable (_ method: String, _ params: JSON, _ reply: @escaping Reply) -> Bool

    /// Answers a request of the daemon.
    package typealias Reply = @Sendable (Result<JSON, ProtocolError>) -> Void

    /// The defaults.
    public init() {}
  }

  /// Bytes in the longest path of a socket: 107 on Linux.
  public static let pathSizeMax = StandardPlaces.socketPathSizeMax

  private let channel: any Channel
  private let socket: String
  private let frameSizeMax: Int
  private let lastID = Atomic<Int64>(0)

  private init(channel: any Channel, socket: String, frameSizeMax: Int) {
    (self.channel, self.socket, self.frameSizeMax) = (channel, socket, frameSizeMax)
  }

  /// Connects to the daemon's socket at `path`. Runs on `group`, or on threads that all clients
  /// share.
  ///
  /// - Throws: `ProtocolError`: `tooLarge` if the path is longer than a socket's can be,
  ///   `notPermitted` if the file system refuses or another user's program listens, `unreachable` if no
  ///   daemon answers, `unresponsive` if it does not accept the connection.
  public static func connect(
    to path: String, options: Options = Options(), group: (any EventLoopGroup)? = nil
  ) async throws(ProtocolError) -> EditLogClient {
    let channel = try await DaemonSocket.connect(to: path, group, options.silence) { channel in
      let handler = ClientHandler(socket: path, options, on: channel.eventLoop)
      try channel.pipeline.syncOperations.addHandlers([
        SilenceHandler(handler.clock),
        ByteToMessageHandler(FrameDecoder(frameSizeMax: options.frameSizeMax)),
        handler,
      ])
    }
    return EditLogClient(channel: channel, socket: path, frameSizeMax: options.frameSizeMax)
  }

  /// Calls a method and waits for its answer. If the task is cancelled, the call no longer waits, and the
  /// daemon is asked to cancel it; a change may still be carried out.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: Its params.
  ///   - onProgress: Called with the part of the work that is done, 0 to 1, if the daemon takes long.
  ///     Called on the connection's event loop; must not block.
  /// - Throws: `ProtocolError`: the daemon's refusal; `unreachable` if the connection is lost
  ///   before the answer, or `unresponsive` if the daemon gives no sign of life. Then it is not known
  ///   whether the call was carried out.
  public func call(
    _ method: String, _ params: JSON = .null, onProgress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> JSON {
    let number = lastID.add(1, ordering: .relaxed).newValue
    let id = RPCID.integer(number)
    var params = params
    if onProgress != nil {
      params = ProgressToken(number).added(to: params)
    }
    let frame = RPCMessage.request(id: id, method: method, params: params).frame
    if let onProgress, refusal(of: [frame]) == nil {
      channel.writeAndFlush(ClientCommand.watch(ProgressToken(number), onProgress), promise: nil)
    }
    let promise = channel.eventLoop.makePromise(of: JSON.self)
    send(id: id, frame: [frame], promise)
    return try await withTaskCancellationHandler {
      try await promise.futureResult.get()
    } onCancel: {
      promise.fail(CancellationError())
      channel.writeAndFlush(
        ClientCommand.notify(frame: CancelParams.message(cancelling: id).frame), promise: nil)
    }
  }

  /// Sends a notification; returns when the operating system has it.
  ///
  /// - Throws: `ProtocolError`.
  public func notify(_ method: String, _ params: JSON = .null) async throws(ProtocolError) {
    let frame = RPCMessage.notification(method: method, params: params).frame
    if let error = refusal(of: [frame]) { throw error }
    do { try await channel.writeAndFlush(ClientCommand.notify(frame: frame)).get() } catch {
      throw (error as? ProtocolError) ?? lost
    }
  }

  /// Calls a method and waits for its answer; as `call(_:_:)`.
  ///
  /// - Throws: `ProtocolError`. The change was then not made, except that with the codes
  ///   `unreachable` and `unresponsive` it may have been made. Sending an `AppendRequest` again with the same ticket
  ///   is harmless.
  public func call<Request: MethodRequest>(
    _ request: Request, onProgress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> Request.Answer {
    try Request.answer(
      try await call(Request.method, request.params, onProgress: onProgress))
  }

  /// Tells the daemon who the client is. What is changed over this connection without another session
  /// belongs to the client's session, and edits that name no author are by its author.
  ///
  /// - Throws: `ProtocolError`.
  public func introduce(_ identity: ClientIdentity) async throws {
    _ = try await call("initialize", identity.initializeParams)
  }

  /// Logs edits; returns when the daemon acknowledged them. As `call(_:)`.
  public func append(_ request: AppendRequest) async throws -> AppendResult {
    try await call(request)
  }

  /// True if the daemon at `socket` sends anything within this time.
  package static func answers(at socket: String, within time: Duration) async -> Bool {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    return (try? await DaemonPing.send(to: socket, within: time, on: loop).get()) ?? false
  }

  /// False if the connection is known to be lost.
  package var isConnected: Bool { channel.isActive }

  /// Ends the connection; calls under way fail. Returns when it is closed.
  public func close() async {
    channel.close(promise: nil)
    _ = try? await channel.closeFuture.get()
  }

  /// Sends a request. Calls made one after the other go out in that order.
  func send(id: RPCID, frame: [ByteBuffer], _ promise: EventLoopPromise<JSON>) {
    if let error = refusal(of: frame) { return promise.fail(error) }
    let lost = lost
    channel.writeAndFlush(ClientCommand.call(id: id, frame: frame, promise)).whenFailure { error in
      promise.fail((error as? ProtocolError) ?? lost)
    }
  }

  /// A promise on the connection's event loop.
  func makePromise() -> EventLoopPromise<JSON> { channel.eventLoop.makePromise() }

  /// Starts to end the connection.
  func startClosing() { channel.close(promise: nil) }

  /// Returns when the connection has ended.
  func waitUntilClosed() async { _ = try? await channel.closeFuture.get() }

  private func refusal(of frame: [ByteBuffer]) -> ProtocolError? {
    let size = frame.reduce(0) { $0 + $1.readableBytes }
    guard size > frameSizeMax else { return nil }
    return .tooLarge("a request", size: size, sizeMax: frameSizeMax)
  }

  private var lost: ProtocolError { .unreachable(socket: socket, "the connection was lost") }
}
