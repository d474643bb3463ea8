import EditLogFormat
import EditProtocol
import NIOCore
import Synchronization

/// A connection in the native dialect: sends frames, and passes the daemon's frames on.
final class NativeLink: Sendable {
  /// Called on the connection's event loop with each frame of the daemon, and with nil at the end. Must
  /// not block.
  typealias Receiver = @Sendable (NativeAnswer?) -> Void

  private struct State {
    /// Frames that are not passed to the event loop yet.
    var waiting: [ByteBuffer] = []
    /// Why the connection ended, if that is known.
    var reason: ProtocolError?
  }

  /// What the link and its handler share.
  private final class Shared: Sendable { let state = Mutex(State()) }

  private let channel: any Channel
  private let socket: String
  private let shared: Shared

  /// The size in bytes up to which frames are joined to one write.
  private static let writeSize = 64 << 10

  private init(_ channel: any Channel, _ socket: String, _ shared: Shared) {
    (self.channel, self.socket, self.shared) = (channel, socket, shared)
  }

  /// Connects to the daemon's socket at `path`, and says who the client is. `awaited` is what the link
  /// waits for; it may be called on any thread.
  ///
  /// - Throws: as `EditLogClient.connect`.
  static func connect(
    to path: String, _ hello: NativeHello, group: (any EventLoopGroup)? = nil,
    _ limits: SilenceLimits, awaited: @escaping @Sendable () -> SilenceClock.Awaited,
    _ receive: @escaping Receiver
  ) async throws(ProtocolError) -> NativeLink {
    let shared = Shared()
    let channel = try await DaemonSocket.connect(to: path, group, limits) { channel in
      try channel.pipeline.syncOperations.addHandler(
        Handler(path, shared, limits, on: channel.eventLoop, awaited, receive))
    }
    let link = NativeLink(channel, path, shared)
    link.send { hello.write(to: &$0) }
    return link
  }

  /// Sends a frame. Frames that are sent one after the other go out in that order.
  func send(_ frame: ByteBuffer) {
    let isFirst = shared.state.withLock { state in
      let isFirst = state.waiting.isEmpty
      if let last = state.waiting.indices.last,
        state.waiting[last].readableBytes + frame.readableBytes <= Self.writeSize
      {
        state.waiting[last].writeImmutableBuffer(frame)
      } else {
        state.waiting.append(frame)
      }
      return isFirst
    }
    guard isFirst else { return }
    channel.eventLoop.execute { [self] in
      let frames = shared.state.withLock { state in
        let frames = state.waiting
        state.waiting = []
        return frames
      }
      for frame in frames { channel.write(frame, promise: nil) }
      channel.flush()
    }
  }

  /// Sends the frame that `write` writes.
  func send(_ write: (inout ByteWriter) -> Void) {
    var bytes = ByteWriter()
    write(&bytes)
    send(bytes.withUnsafeBytes { ByteBuffer(bytes: $0) })
  }

  /// Why the connection ended.
  var reason: ProtocolError {
    shared.state.withLock { $0.reason } ?? .unreachable(socket: socket, "the connection was lost")
  }

  /// Starts to end the connection.
  func startClosing() { channel.close(promise: nil) }

  /// Ends the connection, and returns when it has ended.
  func close() async {
    startClosing()
    _ = try? await channel.closeFuture.get()
  }

  private final class Handler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let socket: String
    private let shared: Shared
    private let limits: SilenceLimits
    private let loop: any EventLoop
    private let awaited: @Sendable () -> SilenceClock.Awaited
    private let receive: Receiver
    // The daemon is trusted, and memory grows only with the bytes that arrive.
    private var assembler = FrameAssembler(nativeBodySizeMax: Int(UInt32.max))
    private var context: ChannelHandlerContext?
    private lazy var clock = SilenceClock(
      socket, limits, on: loop, awaited: awaited,
      ping: { [unowned self] in if let context { ping(context) } },
      end: { [unowned self] error in if let context { end(context, error) } })

    init(
      _ socket: String, _ shared: Shared, _ limits: SilenceLimits, on loop: any EventLoop,
      _ awaited: @escaping @Sendable () -> SilenceClock.Awaited, _ receive: @escaping Receiver
    ) {
      (self.socket, self.shared, self.receive) = (socket, shared, receive)
      (self.limits, self.loop, self.awaited) = (limits, loop, awaited)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
      clock.stop()
      self.context = nil
    }

    func flush(context: ChannelHandlerContext) {
      clock.start()
      context.flush()
    }

    private func ping(_ context: ChannelHandlerContext) {
      var bytes = ByteWriter()
      NativeFrame.write(.ping, to: &bytes) { _ in }
      let frame = bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      clock.noteBytes()
      assembler.append(unwrapInboundIn(data))
      do {
        while true {
          switch try assembler.next() {
          case .incomplete: return
          case .announced: assembler.admit()
          case .body(let frame):
            let answer = try frame.withBytes { (bytes) throws(ProtocolError) in
              try NativeAnswer(bytes)
            }
            // A refusal of the connection, which the daemon ends.
            if case .nack(let nack) = answer, nack.counter == 0 { throw nack.error }
            receive(answer)
          }
        }
      } catch { end(context, error) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(context, error) }

    private func end(_ context: ChannelHandlerContext, _ error: any Error) {
      let reason = DaemonSocket.lost(error, socket)
      shared.state.withLock { $0.reason = $0.reason ?? reason }
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      clock.stop()
      receive(nil)
      context.fireChannelInactive()
    }
  }
}
