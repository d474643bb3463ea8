import EditLogFormat
import EditModel
import EditProtocol
import NIOCore
import NIOPosix
import TestSupport

/// A connection in the native dialect that sends any bytes, and returns the frames that it receives.
struct NativeConnection {
  let channel: any Channel
  private var answers: AsyncStream<NativeAnswer>.Iterator

  init(to socket: String) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: NativeAnswer.self)
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
        }
      }
      .connect(unixDomainSocketPath: socket).get()
    answers = stream.makeAsyncIterator()
  }

  /// The next answer; nil if the connection has ended.
  mutating func next() async -> NativeAnswer? { await answers.next() }

  /// The next acknowledgement or refusal.
  mutating func settled() async -> NativeAnswer? {
    while let answer = await next() {
      if case .grant = answer { continue }
      return answer
    }
    return nil
  }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  func hello(
    _ session: String = "run", author: String? = nil, of client: SessionDescription? = nil
  ) async throws {
    guard let session = SessionID(session) else { throw CancellationError() }
    var bytes = ByteWriter()
    NativeHello(client: client, session: session, author: author).write(to: &bytes)
    try await send(bytes.bytes)
  }

  /// Sends a frame about a subscription.
  func send(_ following: NativeFollowing) async throws {
    var bytes = ByteWriter()
    following.write(to: &bytes)
    try await send(bytes.bytes)
  }

  /// The frame of a batch.
  static func batch(
    _ name: String, _ counter: UInt64, _ edits: [AppendEdit], base: SequenceNumber? = nil
  ) throws -> [UInt8] {
    var scratch = RecordScratch()
    var bytes = ByteWriter()
    try NativeBatch.write(
      AppendRequest(document: document(name), base: base, edits: edits), counter: counter,
      to: &bytes, with: &scratch)
    return bytes.bytes
  }

  func close() async throws { try await channel.close() }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    let continuation: AsyncStream<NativeAnswer>.Continuation
    private var assembler = FrameAssembler(nativeBodySizeMax: 1 << 20)

    init(continuation: AsyncStream<NativeAnswer>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      assembler.append(unwrapInboundIn(data))
      do {
        while true {
          switch try assembler.next() {
          case .incomplete: return
          case .announced: assembler.admit()
          case .body(let frame):
            continuation.yield(try frame.withBytes { try NativeAnswer($0) })
          }
        }
      } catch { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
