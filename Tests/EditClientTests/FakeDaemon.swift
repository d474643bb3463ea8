import EditModel
import EditProtocol
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A daemon that keeps edits in memory and behaves badly by seed: connections drop before a
/// request is handled, or between its handling and its answer; requests are refused for now.
/// What it keeps outlives its sockets, as a log outlives a process.
final class FakeDaemon: Sendable {
  /// What may happen to a request, as chances in a hundred.
  struct Chances: Sendable {
    var dropBefore = 0
    var dropAfter = 0
    var overloaded = 0
  }

  /// One logged request.
  struct Logged: Sendable, Equatable {
    var session: String
    var counter: UInt64
    var text: String
  }

  fileprivate struct State {
    var random: SplitMix64
    var logged: [Logged] = []
    var answers: [RequestTicket: AppendResult] = [:]
    var sequence: SequenceNumber = 0
    var server: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
    var connectionCount = 0
    /// How often it was killed.
    var killCount = 0
  }

  let path: String
  private let directory: String
  private let chances: Chances
  private let state: Mutex<State>

  init(seed: UInt64 = 0, chances: Chances = Chances()) throws {
    var template = Array("/tmp/edit-protocol-XXXXXX\0".utf8CString.dropLast())
    guard mkdtemp(&template) != nil else { throw IOError(errnoCode: errno, reason: "mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = directory + "/socket"
    self.chances = chances
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  var logged: [Logged] { state.withLock { $0.logged } }
  var connectionCount: Int { state.withLock { $0.connectionCount } }

  func start() async throws {
    let life = state.withLock { $0.killCount }
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(FrameDecoder()), Connection(daemon: self, life: life),
          ])
        }
      }
      .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    state.withLock { $0.server = server }
  }

  /// As a SIGKILL: every socket is gone, what was logged stays.
  func kill() async {
    let channels = state.withLock { state in
      state.killCount += 1
      defer { (state.server, state.connections) = (nil, [:]) }
      return Array(state.connections.values) + (state.server.map { [$0] } ?? [])
    }
    for channel in channels { try? await channel.close() }
  }

  func remove() async {
    await kill()
    unlink(path)
    rmdir(directory)
  }

  /// Notes a connection; false for one that was accepted just before the daemon was killed.
  private func connected(_ channel: any Channel, life: Int) -> Bool {
    state.withLock { state in
      guard state.killCount == life else { return false }
      state.connections[ObjectIdentifier(channel)] = channel
      state.connectionCount += 1
      return true
    }
  }

  /// What to answer, nil for nothing, and whether the connection ends then.
  private func handle(_ message: RPCMessage) -> (answer: RPCMessage?, ends: Bool) {
    guard case .request(let id, let method, let params) = message else { return (nil, false) }
    switch method {
    case "editlog/append":
      do throws(ProtocolError) {
        let request = try params.params { (json) throws(ShapeError) in
          try AppendRequest(json: json)
        }
        return append(request, id)
      } catch { return (.failure(id: id, error), false) }
    case "echo": return (.response(id: id, result: params), false)
    case "ignore": return (nil, false)
    case "die": return (nil, true)
    default: return (.failure(id: id, .methodNotFound(method)), false)
    }
  }

  private func append(_ request: AppendRequest, _ id: RPCID) -> (answer: RPCMessage?, ends: Bool) {
    state.withLock { state in
      let chance = Int.random(in: 0..<100, using: &state.random)
      if chance < chances.dropBefore { return (nil, true) }
      if chance < chances.dropBefore + chances.overloaded {
        return (.failure(id: id, .overloaded(retryAfterMillis: 1)), true)
      }
      let answer = RPCMessage.response(id: id, result: state.log(request).json)
      let isDropped = chance < chances.dropBefore + chances.overloaded + chances.dropAfter
      return isDropped ? (nil, true) : (answer, false)
    }
  }

  private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let daemon: FakeDaemon
    private let life: Int
    /// A connection that ends reads nothing more, as the article demands.
    private var isEnding = false

    init(daemon: FakeDaemon, life: Int) { (self.daemon, self.life) = (daemon, life) }

    func channelActive(context: ChannelHandlerContext) {
      guard !daemon.connected(context.channel, life: life) else { return }
      isEnding = true
      context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isEnding, let message = try? RPCMessage(body: unwrapInboundIn(data)) else { return }
      let (answer, ends) = daemon.handle(message)
      if let answer { context.writeAndFlush(wrapOutboundOut(answer.frame), promise: nil) }
      if ends {
        isEnding = true
        context.close(promise: nil)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}

extension FakeDaemon.State {
  fileprivate mutating func log(_ request: AppendRequest) -> AppendResult {
    if let ticket = request.ticket, var answer = answers[ticket] {
      answer.duplicate = true
      return answer
    }
    let first = sequence + 1
    sequence += UInt64(request.edits.count)
    let answer = AppendResult(first: first, sequence: sequence, durable: true)
    if let ticket = request.ticket {
      answers[ticket] = answer
      logged.append(
        FakeDaemon.Logged(
          session: ticket.session.name, counter: ticket.counter,
          text: request.edits.map { String($0.action.replacement ?? "") }.joined()))
    }
    return answer
  }
}

extension AppendRequest {
  /// A request that inserts `text`.
  static func inserting(_ text: String) throws -> AppendRequest {
    guard let document = DocumentID("doc") else { throw ProtocolError(.internalError, "no name") }
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
    return AppendRequest(document: document, edits: [AppendEdit(action: action)])
  }
}
