import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import EditClient

/// A daemon that accepts connections and answers as a test says. Nothing depends on how long it takes.
private final class SilentServer: Sendable {
  /// What a connection gets.
  enum Reply: Sendable {
    case nothing
    /// Its end, without a byte.
    case end
    case bytes(String)
  }

  private struct State {
    var server: (any Channel)?
    /// The first connection that spoke JSON.
    var main: (any Channel)?
    var pingCount = 0
  }
  private let state = Mutex(State())
  private let onPing: @Sendable (SilentServer, _ count: Int) -> Reply

  var pingCount: Int { state.withLock { $0.pingCount } }

  /// Listens at `path`. `onPing` says what the connection of each ping gets.
  init(
    at path: String, onPing: @escaping @Sendable (SilentServer, Int) -> Reply = { _, _ in .nothing }
  ) async throws {
    self.onPing = onPing
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(self))
        }
      }
      .bind(unixDomainSocketPath: path).get()
    state.withLock { $0.server = server }
  }

  /// Sends bytes over the connection that spoke JSON.
  func send(_ text: String) {
    state.withLock { $0.main }?.writeAndFlush(ByteBuffer(string: text), promise: nil)
  }

  func close() async { try? await state.withLock { $0.server }?.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: SilentServer
    private var hasBegun = false

    init(_ server: SilentServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasBegun else { return }
      hasBegun = true
      let channel = context.channel
      guard unwrapInboundIn(data).readableBytesView.first == 0x89 else {
        return server.state.withLock { $0.main = channel }
      }
      let count = server.state.withLock { state in
        state.pingCount += 1
        return state.pingCount
      }
      switch server.onPing(server, count) {
      case .nothing: break
      case .end: channel.close(promise: nil)
      case .bytes(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
      }
    }
  }
}

/// A daemon that sends nothing is not waited for without end.
@Suite(.timeLimit(.minutes(5))) struct SilenceTests {
  private let folder = TemporaryFolder()

  private func options(
    _ notes: Notes = Notes(), silenceMax: Duration = .milliseconds(400)
  ) -> EditLogClient.Options {
    var options = EditLogClient.Options()
    options.silence = SilenceLimits(silenceMax: silenceMax, noteDelay: .milliseconds(100)) {
      notes.add($0)
    }
    return options
  }

  private final class Notes: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ note: String) { list.withLock { $0.append(note) } }
  }

  /// The answer to call 1.
  private static let answer: String = {
    let body = #"{"jsonrpc":"2.0","id":1,"result":[7]}"#
    return "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }()

  @Test func `a call ends if the daemon sends nothing, and says so before`() async throws {
    let server = try await SilentServer(at: folder.path("s"))
    let notes = Notes()
    let client = try await EditLogClient.connect(to: folder.path("s"), options: options(notes))
    let error = await #expect(throws: ProtocolError.self) { try await client.call("ask") }
    #expect(error?.code == .unresponsive)
    #expect(error?.message.contains("has sent nothing for 0.4 s") == true)
    #expect(notes.all == [folder.path("s")], "once")
    #expect(server.pingCount > 0)
    await client.close()
    await server.close()
  }

  @Test func `a daemon that answers pings may take any time`() async throws {
    // A ping goes out after a quarter of the limit, so six take longer than it.
    let server = try await SilentServer(at: folder.path("s")) { server, count in
      if count == 6 { server.send(Self.answer) }
      return .bytes("x")
    }
    let client = try await EditLogClient.connect(
      to: folder.path("s"), options: options(silenceMax: .seconds(3)))
    #expect(try await client.call("ask") == [7])
    #expect(server.pingCount >= 6)
    await client.close()
    await server.close()
  }

  @Test func `an answer that trickles goes on, and one that stops in its middle ends`() async throws
  {
    for isWhole in [true, false] {
      let path = folder.path("s\(isWhole)")
      let bytes = Self.answer.unicodeScalars.map { String($0) }
      // No ping is answered: the bytes of the answer are the only sign of life.
      let server = try await SilentServer(at: path) { server, count in
        if isWhole, count < 6 { server.send(bytes[count - 1]) }
        if isWhole, count == 6 { server.send(bytes[5...].joined()) }
        if !isWhole, count == 1 { server.send(bytes[..<15].joined()) }
        return .end
      }
      let client = try await EditLogClient.connect(
        to: path, options: options(silenceMax: isWhole ? .seconds(3) : .milliseconds(400)))
      if isWhole {
        #expect(try await client.call("ask") == [7])
      } else {
        let error = await #expect(throws: ProtocolError.self) { try await client.call("ask") }
        #expect(error?.code == .unresponsive)
      }
      await client.close()
      await server.close()
    }
  }

  @Test func `a socket whose queue of connections is full is not waited for without end`()
    async throws
  {
    let path = folder.path("s")
    let listener = try BlockedListener(at: path)
    let notes = Notes()
    let error = await #expect(throws: ProtocolError.self) {
      _ = try await EditLogClient.connect(to: path, options: options(notes))
    }
    #expect(error?.code == .unresponsive)
    #expect(notes.all == [path])
    listener.close()
  }

  @Test func `a writer and a follower end too`() async throws {
    let server = try await SilentServer(at: folder.path("s"))
    var options = ResilientAppender.Options()
    options.silence = self.options().silence
    let results = Mutex<[ProtocolError.Code?]>([])
    let appender = try await ResilientAppender.connect(
      to: folder.path("s"), session: SessionID.newRun(of: "test"), options: options
    ) { _, result in
      if case .failure(let error) = result { results.withLock { $0.append(error.code) } }
    }
    try await appender.append(.inserting("a"))
    let error = await #expect(throws: ProtocolError.self) { try await appender.flush() }
    #expect(error?.code == .unresponsive)
    #expect(results.withLock { $0 } == [.unresponsive])
    await appender.close()
    let document = try #require(DocumentID("a"))
    var follower = EditFollower(
      document, at: folder.path("s"), silence: self.options().silence
    ).makeAsyncIterator()
    let refusal = await #expect(throws: ProtocolError.self) { _ = try await follower.next() }
    #expect(refusal?.code == .unresponsive)
    await server.close()
  }
}

/// A socket that listens, accepts nothing, and has as many connections as the system keeps.
private final class BlockedListener {
  private var descriptors: [Int32] = []

  init(at path: String) throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    descriptors.append(listener)
    let address = try #require(SocketAddress(socketPath: path))
    let bound = address.withSockAddr { bind(listener, $0, socklen_t($1)) }
    try #require(bound == 0)
    try #require(listen(listener, 0) == 0)
    while true {
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      descriptors.append(descriptor)
      let connected = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
      guard connected == 0 else {
        try #require(errno == EAGAIN)
        return
      }
    }
  }

  func close() { for descriptor in descriptors { Glibc.close(descriptor) } }
}
