import EditJSON
import EditProtocol
import NIOCore
import NIOPosix

/// A connection that sends any bytes, and returns the frames that it receives.
struct RawClient {
  let channel: any Channel
  private var frames: AsyncStream<JSON>.Iterator
  /// Answers by their identifiers that came before one that was waited for.
  private var kept: [JSON: JSON] = [:]

  /// Connects. Nothing is read before `startReading()` if `isReading` is false.
  init(to socket: String, isReading: Bool = true) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: JSON.self)
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: isReading)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(FrameDecoder()), FrameCollector(continuation: continuation),
          ])
        }
      }
      .connect(unixDomainSocketPath: socket).get()
    frames = stream.makeAsyncIterator()
  }

  /// The body of the next frame; nil if the connection has ended, and five minutes after it began.
  mutating func next() async -> JSON? { await frames.next() }

  /// The answer to the request `id`. Answers come in any order: those to others are kept.
  mutating func answer(to id: Int) async -> JSON? {
    if let answer = kept.removeValue(forKey: JSON(id)) { return answer }
    while let json = await next() {
      guard let key = json["id"], key != .null else { continue }
      if key == JSON(id) { return json }
      kept[key] = json
    }
    return nil
  }

  func send(_ bytes: ByteBuffer) async throws { try await channel.writeAndFlush(bytes) }
  func send(_ string: String) async throws { try await send(ByteBuffer(string: string)) }

  /// Sends requests numbered from `first` in one write.
  func send(_ requests: [(method: String, params: JSON)], from first: Int = 1) async throws {
    var buffer = ByteBuffer()
    for (index, request) in requests.enumerated() {
      RPCMessage.request(
        id: .integer(Int64(first + index)), method: request.method, params: request.params
      ).write(frameInto: &buffer)
    }
    try await send(buffer)
  }

  func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }
  func close() async throws { try await channel.close() }
}

private final class FrameCollector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  let continuation: AsyncStream<JSON>.Continuation

  init(continuation: AsyncStream<JSON>.Continuation) { self.continuation = continuation }

  /// A test that waits for a frame that does not come ends with nil.
  func channelActive(context: ChannelHandlerContext) {
    let end = context.eventLoop.scheduleTask(in: .minutes(5)) { [continuation] in
      continuation.finish()
    }
    context.channel.closeFuture.whenComplete { _ in end.cancel() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let json = try? JSON(body: unwrapInboundIn(data)) { continuation.yield(json) }
  }
  func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
  // The daemon may close before it has read everything: the kernel calls that a reset.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
