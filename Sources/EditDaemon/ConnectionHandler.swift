import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore

/// One connection: reads messages, hands them to the daemon's parts, writes the answers.
///
/// Appends and editors' messages go to ingest in the order they came. Questions are answered
/// beside it, each after everything that came before it on the connection. Bytes in flight are
/// bounded: past the bound, and while the peer does not take its answers, the connection is read
/// no further.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let number: Int
  private let services: DaemonServices
  private let logger: Logger
  /// Who the messages of an editor come from; a bridge names its run.
  private var key: EditorKey
  private var isEditor = false
  private var inFlight = 0
  private var isReading = true
  /// True where the client said that it sends no more; it may still wait for answers.
  private var isInputClosed = false

  init(number: Int, services: DaemonServices, logger: Logger) {
    (self.number, self.services, self.logger) = (number, services, logger)
    key = .connection(number)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let body = unwrapInboundIn(data)
    let json: JSON
    do throws(ProtocolError) {
      json = try JSON(body: body)
    } catch {
      // An undecodable message is skipped: the frame's end is known.
      return write(.failure(id: nil, error), context)
    }
    do throws(ProtocolError) {
      switch try RPCMessage(json: json) {
      case .request(let id, let method, let params):
        try request(id, method, params, size: body.readableBytes, context)
      case .notification(let method, let params):
        notification(method, params, size: body.readableBytes, context)
      case .response, .failure: break
      }
    } catch {
      write(.failure(id: RPCMessage.id(in: json), error), context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      isInputClosed = true
      closeWhereDone(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    // A bridge ends its documents itself: its connection may end with a daemon's restart.
    switch key {
    case .connection:
      if isEditor { services.ingest.submit(.editor(key, .end, ticket: nil) { _ in }) }
    case .bridge:
      services.ingest.submit(.look({ [key] in $0.forgetIdleEditor(key) }) { _ in })
    }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? FrameError {
      let code: ProtocolError.Code =
        if case .bodyTooLarge = error { .tooLarge } else { .parseError }
      write(.failure(id: nil, ProtocolError(code, "\(error)")), context)
    } else {
      logger.info("connection \(number) failed: \(error)")
    }
    context.close(promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    setReading(context)
    context.fireChannelWritabilityChanged()
  }

  private func admit(_ size: Int, _ context: ChannelHandlerContext) {
    inFlight += size
    setReading(context)
  }

  private func release(_ size: Int, _ context: ChannelHandlerContext) {
    inFlight -= size
    setReading(context)
    closeWhereDone(context)
  }

  /// Ends a connection whose client sends no more, once everything is answered.
  private func closeWhereDone(_ context: ChannelHandlerContext) {
    if isInputClosed, inFlight == 0 { context.close(promise: nil) }
  }

  /// Holds reading back while too much is in flight, or too many answers wait to be taken.
  private func setReading(_ context: ChannelHandlerContext) {
    let limit = services.limits.bytesInFlightMax / (isReading ? 1 : 2)
    let mayRead = inFlight <= limit && context.channel.isWritable
    guard mayRead != isReading else { return }
    isReading = mayRead
    context.channel.setOption(.autoRead, value: mayRead).whenFailure { _ in }
  }

  private func write(_ message: RPCMessage, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(message.frame), promise: nil)
  }
}

// Requests and notifications.
extension ConnectionHandler {
  private func request(
    _ id: RPCID, _ method: String, _ params: JSON, size: Int, _ context: ChannelHandlerContext
  ) throws(ProtocolError) {
    switch method {
    case "initialize":
      let result = try initialize(params)
      write(.response(id: id, result: result), context)
    case "shutdown":
      write(.response(id: id, result: .null), context)
    case "editlog/append":
      let append = try params.params { (json) throws(ShapeError) in try AppendRequest(json: json) }
      admit(size, context)
      services.ingest.submit(
        .append(append, answer(id, size: size, context) { $0.json }))
    case "editlog/forward":
      try forward(id, params, size: size, context)
    default:
      guard DaemonMethods.requests.contains(method) else { throw .methodNotFound(method) }
      admit(size, context)
      let reply = answer(id, size: size, context) { (result: JSON) in result }
      services.answer(method, params, reply)
    }
  }

  private func notification(
    _ method: String, _ params: JSON, size: Int, _ context: ChannelHandlerContext
  ) {
    switch method {
    case "exit": context.close(promise: nil)
    // Kate says it as a notification.
    case "shutdown", "initialized": break
    default:
      do throws(ProtocolError) {
        guard DaemonMethods.told.contains(method), let message = try LSPMessage(method, params)
        else { return }
        isEditor = true
        admit(size, context)
        let reply = whenAnswered(size: size, context)
        services.ingest.submit(.editor(key, message, ticket: nil, reply))
      } catch {
        logger.notice("connection \(number): \(method): \(error)")
      }
    }
  }

  private func initialize(_ params: JSON) throws(ProtocolError) -> JSON {
    let (client, attachment) = (
      InitializeParams(json: params), EditorAttachment(initialize: params)
    )
    if let session = attachment.session { key = .bridge(session) }
    services.ingest.submit(
      .editor(
        key, .initialize(LSPClient(client), open: attachment.open), ticket: nil, { _ in }))
    return InitializeResult(
      positionEncoding: client.positionEncoding, version: EditLogVersion.current,
      frameSizeMax: services.limits.frameSizeMax
    ).json
  }

  private func forward(
    _ id: RPCID, _ params: JSON, size: Int, _ context: ChannelHandlerContext
  ) throws(ProtocolError) {
    let forwarded = try params.params { (json) throws(ShapeError) in
      try ForwardRequest(json: json)
    }
    let counter = forwarded.ticket.counter
    let message = try LSPMessage(forwarded)
    admit(size, context)
    let reply = answer(id, size: size, context) { (_: Void) in
      ForwardResult(counter: counter, durable: true).json
    }
    services.ingest.submit(
      .editor(.bridge(forwarded.ticket.session), message, ticket: forwarded.ticket, reply))
  }

  /// A reply that writes the answer from wherever it is called.
  private func answer<Value>(
    _ id: RPCID, size: Int, _ context: ChannelHandlerContext,
    _ json: @escaping @Sendable (Value) -> JSON
  ) -> IngestRequest.Reply<Value> {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    return { result in
      let message: RPCMessage =
        switch result {
        case .success(let value): .response(id: id, result: json(value))
        case .failure(let error): .failure(id: id, error)
        }
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.write(message, context)
        handler.release(size, context)
      }
    }
  }

  /// A reply to nobody: only the bytes in flight are released.
  private func whenAnswered(size: Int, _ context: ChannelHandlerContext)
    -> IngestRequest.Reply<Void>
  {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    return { result in
      bound.eventLoop.execute {
        let (handler, context) = bound.value
        handler.release(size, context)
        if case .failure(let error) = result {
          handler.logger.error("connection \(handler.number): \(error.wordsForLog)")
        }
      }
    }
  }
}
