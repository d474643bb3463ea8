import EditLogFormat
import EditModel
import EditProtocol
import NIOCore
import NIOPosix

/// Asks whether a daemon lives, over a connection of its own.
enum DaemonPing {
  /// True if the daemon at the socket sends anything within this time. An overloaded daemon refuses the
  /// connection, and that is a sign of life too.
  static func send(
    to socket: String, within time: Duration, on loop: any EventLoop
  ) -> EventLoopFuture<Bool> {
    let promise = loop.makePromise(of: Bool.self)
    let limit = loop.scheduleTask(in: TimeAmount(time)) { promise.succeed(false) }
    promise.futureResult.whenComplete { _ in limit.cancel() }
    DaemonSocket.open(socket, loop) { channel in
      try channel.pipeline.syncOperations.addHandler(Handler(promise))
    }.whenComplete { result in
      switch result {
      case .failure: promise.succeed(false)
      case .success(let channel):
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in promise.succeed(false) }
        channel.writeAndFlush(frames, promise: nil)
      }
    }
    return promise.futureResult
  }

  /// A hello and a ping.
  private static var frames: ByteBuffer {
    var bytes = ByteWriter()
    NativeHello(client: nil, session: SessionID.newRun(of: "ping")).write(to: &bytes)
    NativeFrame.write(.ping, to: &bytes) { _ in }
    return bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }
  }

  /// Keeps the promise with the first bytes.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<Bool>

    init(_ promise: EventLoopPromise<Bool>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed(true) }
  }
}
