import EditJSON
import EditProtocol
import NIOCore

/// What the client sends over its connection.
enum ClientCommand: Sendable {
  /// A request; its answer fulfils the promise. The frame is in parts, of which there is at least
  /// one.
  case call(id: RPCID, frame: [ByteBuffer], EventLoopPromise<JSON>)
  /// A notification, which has no answer.
  case notify(frame: ByteBuffer)
  /// Nothing is sent: the progress that the daemon reports under this token is passed on. The token is
  /// the number of the call.
  case watch(ProgressToken, @Sendable (Double) -> Void)
}

/// Matches answers with calls, on one event loop. When it leaves the pipeline or the connection
/// ends, every waiting call fails.
final class ClientHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ClientCommand
  typealias OutboundOut = ByteBuffer

  private let socket: String
  private let callCountMax: Int
  private let onNotification: (@Sendable (String, JSON) -> Void)?
  private let onRequest: EditLogClient.Options.OnRequest?
  private var waiting: [RPCID: EventLoopPromise<JSON>] = [:]
  /// The calls whose progress is watched.
  private var watched: [ProgressToken: @Sendable (Double) -> Void] = [:]
  private static let greetingTime = TimeAmount.seconds(2)
  private var greeting: Scheduled<Void>?
  /// Why the connection ended, if that is known.
  private var reason: ProtocolError?
  private let silence: SilenceLimits
  private let loop: any EventLoop
  private var context: ChannelHandlerContext?
  private(set) lazy var clock = SilenceClock(
    socket, silence, on: loop,
    awaited: { [unowned self] in waiting.isEmpty ? .nothing : .answer },
    end: { [unowned self] error in if let context { end(context, error) } })

  init(socket: String, _ options: EditLogClient.Options, on loop: any EventLoop) {
    (self.socket, self.loop, silence) = (socket, loop, options.silence)
    callCountMax = options.callCountMax
    (onNotification, onRequest) = (options.onNotification, options.onRequest)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  /// The daemon ends a connection that sends no first message for a while; a program may connect
  /// long before it sends one.
  func channelActive(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    greeting = context.eventLoop.scheduleTask(in: Self.greetingTime) {
      let (handler, context) = bound.value
      let hello = RPCMessage.notification(method: "$/here", params: .null)
      context.writeAndFlush(handler.wrapOutboundOut(hello.frame), promise: nil)
    }
    context.fireChannelActive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    greeting?.cancel()
    greeting = nil
    switch unwrapOutboundIn(data) {
    case .notify(let frame): context.write(wrapOutboundOut(frame), promise: promise)
    case .watch(let token, let onProgress):
      watched[token] = onProgress
      promise?.succeed()
    case .call(let id, let frame, let answer):
      guard waiting.count < callCountMax, context.channel.isActive else {
        let error: ProtocolError =
          context.channel.isActive ? .overloaded(retryAfterMillis: 100) : lost
        _ = take(id)
        answer.fail(error)
        promise?.fail(error)
        return
      }
      waiting[id] = answer
      clock.start()
      for part in frame.dropLast() { context.write(wrapOutboundOut(part), promise: nil) }
      context.write(wrapOutboundOut(frame[frame.count - 1]), promise: promise)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    do throws(ProtocolError) {
      switch try RPCMessage(body: unwrapInboundIn(data)) {
      case .response(let id, let result): take(id)?.succeed(result)
      case .failure(let id?, let error): take(id)?.fail(error)
      case .failure(nil, let error): end(context, error)
      case .notification(ProgressParams.method, let params) where noteProgress(params): break
      case .notification(let method, let params): onNotification?(method, params)
      case .request(let id, let method, let params): take(context, id, method, params)
      }
    } catch { end(context, error) }
  }

  /// Removes and returns the call that waits for this answer.
  private func take(_ id: RPCID) -> EventLoopPromise<JSON>? {
    if case .integer(let number) = id { watched[ProgressToken(number)] = nil }
    return waiting.removeValue(forKey: id)
  }

  /// Passes on the progress of a call. False if it is not one that is watched.
  private func noteProgress(_ params: JSON) -> Bool {
    guard let progress = ProgressParams(json: params), let onProgress = watched[progress.token]
    else { return false }
    if let percentage = progress.percentage { onProgress(Double(percentage) / 100) }
    return true
  }

  private func take(
    _ context: ChannelHandlerContext, _ id: RPCID, _ method: String, _ params: JSON
  ) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let reply: EditLogClient.Options.Reply = { result in
      let answer: RPCMessage =
        switch result {
        case .success(let result): .response(id: id, result: result)
        case .failure(let error): .failure(id: id, error)
        }
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        context.writeAndFlush(handler.wrapOutboundOut(answer.frame), promise: nil)
      }
    }
    if onRequest?(method, params, reply) != true { reply(.failure(.methodNotFound(method))) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(context, DaemonSocket.lost(error, socket))
  }

  private func end(_ context: ChannelHandlerContext, _ error: ProtocolError) {
    if reason == nil { reason = error }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    greeting?.cancel()
    clock.stop()
    failAll()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    clock.stop()
    self.context = nil
    failAll()
  }

  private var lost: ProtocolError {
    reason ?? .unreachable(socket: socket, "the connection was lost")
  }

  private func failAll() {
    let calls = waiting
    (waiting, watched) = ([:], [:])
    for promise in calls.values { promise.fail(lost) }
  }
}
