import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A daemon that keeps what reaches it in memory, and fails on purpose.
///
/// It keeps what a real one keeps: the answers by session and counter, so that a request that is
/// sent again is handled once, and the documents that each session has open, which `initialize`
/// replaces. A message that a real daemon could not interpret becomes a violation. What it keeps
/// outlives its sockets, as a log outlives a process.
final class FakeDaemon: Sendable {
  /// How it fails.
  struct Faults: Sendable {
    /// How many requests in a hundred end the connection before they are handled.
    var dropBefore = 0
    /// How many in a hundred end it after they are handled, before the answer.
    var dropAfter = 0
    /// How many in a hundred are refused for now.
    var overloaded = 0
    /// Answers come after 0 to this many milliseconds, in any order.
    var delayMax = 0
    /// Answers are held back until `release()`.
    var holds = false
    /// Refusals of counters: each time one comes, the next code in its list. A fault of the
    /// request is refused each time.
    var refusals: [UInt64: [ProtocolError.Code]] = [:]
  }

  struct Handled: Hashable, Sendable {
    var session: String
    var counter: UInt64
    var method: String
    var params: JSON
  }

  fileprivate struct State {
    var faults: Faults
    var random: SplitMix64
    var handled: [Handled] = []
    /// The highest counter of each session, refused ones too.
    var last: [String: UInt64] = [:]
    var answers: [RequestTicket: JSON] = [:]
    var open: [String: Set<String>] = [:]
    var initialized: [(session: String, params: JSON)] = []
    var violations: [String] = []
    var held: [@Sendable () -> Void] = []
    var exits = 0
    var sequence: SequenceNumber = 0
    var server: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
    var connectionCount = 0
    var killCount = 0
  }

  let path: String
  private let state: Mutex<State>

  /// A daemon that listens at `path`.
  init(_ path: String, _ faults: Faults = Faults(), seed: UInt64 = 0) async throws {
    self.path = path
    state = Mutex(State(faults: faults, random: SplitMix64(seed: seed)))
    try await start()
  }

  var handled: [Handled] { state.withLock { $0.handled } }
  var violations: [String] { state.withLock { $0.violations } }
  var initialized: [(session: String, params: JSON)] { state.withLock { $0.initialized } }
  var exits: Int { state.withLock { $0.exits } }
  var connectionCount: Int { state.withLock { $0.connectionCount } }

  func start() async throws {
    let life = state.withLock { $0.killCount }
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Connection(self, life: life))
        }
      }
      .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    state.withLock { $0.server = server }
  }

  /// As a SIGKILL: every socket is gone, what was handled stays.
  func kill() async {
    let channels = state.withLock { state in
      state.killCount += 1
      defer { (state.server, state.connections) = (nil, [:]) }
      return Array(state.connections.values) + (state.server.map { [$0] } ?? [])
    }
    for channel in channels { try? await channel.close() }
  }

  /// Gives the answers held back, and holds none from now on.
  func release() {
    let held = state.withLock { state in
      state.faults.holds = false
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer() }
  }
}

extension FakeDaemon {
  private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let daemon: FakeDaemon
    private let life: Int
    /// A connection that ends reads nothing more, as the article demands.
    private var isEnding = false
    /// After a refusal that may pass, no later request may be handled: its counter would hide the
    /// refused one when that comes again.
    private var isRefusing = false
    /// Set by the first byte.
    private var assembler: FrameAssembler?
    private var isNative = false
    private var hello: NativeHello?
    /// Bytes of batches.
    private var received: UInt64 = 0

    init(_ daemon: FakeDaemon, life: Int) { (self.daemon, self.life) = (daemon, life) }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      let isAccepted = daemon.state.withLock { state in
        // It may have been accepted just before the daemon was killed.
        guard state.killCount == life else { return false }
        state.connections[ObjectIdentifier(channel)] = channel
        state.connectionCount += 1
        return true
      }
      if !isAccepted { end(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
      isEnding = true
      let key = ObjectIdentifier(context.channel)
      daemon.state.withLock { _ = $0.connections.removeValue(forKey: key) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
      isEnding = true
      context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      if assembler == nil, let first = bytes.readableBytesView.first {
        isNative = first == NativeFrame.magic
        assembler =
          isNative
          ? FrameAssembler(nativeBodySizeMax: 1 << 20) : FrameAssembler(frameSizeMax: 1 << 20)
      }
      assembler?.append(bytes)
      do {
        while !isEnding, let step = try assembler?.next() {
          switch step {
          case .incomplete: return
          case .announced: assembler?.admit()
          case .body(let body):
            if isNative { try takeNative(body, context) } else { try take(body, context) }
          }
        }
      } catch { violate("\(error)") }
    }

    private func take(_ body: ByteBuffer, _ context: ChannelHandlerContext) throws {
      switch try RPCMessage(body: body) {
      case .request(let id, let method, let params):
        try take(Request(id: id, method: method, params: params), context)
      case .notification("exit", _): daemon.state.withLock { $0.exits += 1 }
      // A client that is slow to send its first message shows that it is there, and one that ends cancels what
      // it waits for.
      case .notification("$/here", _), .notification("initialized", _),
        .notification(CancelParams.method, _):
        break
      case let other: violate("\(other)")
      }
    }

    private func takeNative(_ frame: ByteBuffer, _ context: ChannelHandlerContext) throws {
      try frame.withBytes { (bytes) throws(any Error) in
        let (kind, body) = try NativeFrame.open(bytes)
        guard let hello else {
          hello = try NativeHello(body)
          context.writeAndFlush(wrapOutboundOut(Self.native(grant(0))), promise: nil)
          return
        }
        guard kind == .batch else { return violate("\(kind)") }
        received += UInt64(bytes.count)
        let (request, ticket) = try NativeBatch.read(body, of: hello, last: nil)
        let grant = grant(received)
        handle(ticket, context, { Self.native(grant, Self.answer(to: ticket, $0)) }) {
          $0.log(request)
        }
      }
    }

    private func grant(_ received: UInt64) -> (inout ByteWriter) -> Void {
      NativeGrant(byteCount: received + 4_000, bodySizeMax: 1 << 20).write
    }

    private static func native(_ writes: ((inout ByteWriter) -> Void)...) -> ByteBuffer {
      var bytes = ByteWriter()
      for write in writes { write(&bytes) }
      return ByteBuffer(bytes: bytes.bytes)
    }

    private static func answer(
      to ticket: RequestTicket, _ result: Result<JSON, ProtocolError>
    ) -> (inout ByteWriter) -> Void {
      switch result {
      case .success(let json):
        guard let result = try? AppendResult(json: json) else { return { _ in } }
        return NativeAck(
          counters: ticket.counter...ticket.counter, edits: result.first...result.sequence
        ).write
      case .failure(let error): return NativeNack(counter: ticket.counter, error).write
      }
    }

    private struct Request {
      let id: RPCID
      let method: String
      let params: JSON

      func reply(_ result: Result<JSON, ProtocolError>) -> ByteBuffer {
        switch result {
        case .success(let json): RPCMessage.response(id: id, result: json).frame
        case .failure(let error): RPCMessage.failure(id: id, error).frame
        }
      }
    }

    private func violate(_ what: String) { daemon.state.withLock { $0.violations.append(what) } }

    private func take(_ request: Request, _ context: ChannelHandlerContext) throws {
      switch request.method {
      case "initialize": initialize(request, context)
      case "echo": answer(.response(id: request.id, result: request.params), context)
      case "ignore": break
      case "die": end(context)
      case "editlog/append":
        do {
          let append = try AppendRequest(json: request.params)
          guard let ticket = append.ticket else {
            let result = daemon.state.withLock { $0.log(append) }
            return answer(.response(id: request.id, result: result), context)
          }
          handle(ticket, context, request.reply) { $0.log(append) }
        } catch {
          answer(.failure(id: request.id, ProtocolError(error.within("params"))), context)
        }
      case "editlog/forward":
        let forward = try ForwardRequest(json: request.params)
        handle(forward.ticket, context, request.reply) { $0.take(forward) }
      default: answer(.failure(id: request.id, .methodNotFound(request.method)), context)
      }
    }

    private func initialize(_ request: Request, _ context: ChannelHandlerContext) {
      let editlog = request.params["initializationOptions"]?["editlog"]
      guard let session = editlog?["session"]?.text, case .array(let open)? = editlog?["open"]
      else { return violate("initialize without session: \(request.params)") }
      daemon.state.withLock { state in
        state.initialized.append((session, request.params))
        state.open[session] = Set(open.compactMap(\.text))
      }
      let result = InitializeResult(
        positionEncoding: .utf16, version: "test", frameSizeMax: 1 << 20)
      let message = RPCMessage.response(id: request.id, result: result.json)
      context.writeAndFlush(wrapOutboundOut(message.frame), promise: nil)
    }

    private func handle(
      _ ticket: RequestTicket, _ context: ChannelHandlerContext,
      _ reply: (Result<JSON, ProtocolError>) -> ByteBuffer,
      _ body: @Sendable (inout State) -> JSON
    ) {
      if chance(\.dropBefore) { return end(context) }
      if let error = refusal(of: ticket) {
        return answer(reply(.failure(error)), context)
      }
      let result = daemon.state.withLock { state in
        let answer = body(&state)
        return state.answer(to: ticket, answer)
      }
      if chance(\.dropAfter) { return end(context) }
      answer(reply(.success(result)), context)
    }

    private func chance(_ fault: KeyPath<Faults, Int>) -> Bool {
      daemon.state.withLock { state in
        Int.random(in: 0..<100, using: &state.random) < state.faults[keyPath: fault]
      }
    }

    private func refusal(of ticket: RequestTicket) -> ProtocolError? {
      if isRefusing { return ProtocolError(.overloaded, "an earlier request was refused") }
      if chance(\.overloaded) {
        isRefusing = true
        return .overloaded(retryAfterMillis: 1)
      }
      let code = daemon.state.withLock { state -> ProtocolError.Code? in
        guard let code = state.faults.refusals[ticket.counter]?.first else { return nil }
        if code.isFaultOfRequest {
          let last = state.last[ticket.session.name] ?? 0
          state.last[ticket.session.name] = max(last, ticket.counter)
        } else {
          state.faults.refusals[ticket.counter]?.removeFirst()
        }
        return code
      }
      guard let code else { return nil }
      isRefusing = !code.isFaultOfRequest
      return ProtocolError(code, "no to \(ticket), secret")
    }

    private func answer(_ message: RPCMessage, _ context: ChannelHandlerContext) {
      answer(message.frame, context)
    }

    private func answer(_ frame: ByteBuffer, _ context: ChannelHandlerContext) {
      let channel = context.channel
      let send: @Sendable () -> Void = { channel.writeAndFlush(frame, promise: nil) }
      let delay = daemon.state.withLock { state -> Int? in
        if state.faults.holds {
          state.held.append(send)
          return nil
        }
        return Int.random(in: 0...state.faults.delayMax, using: &state.random)
      }
      guard let delay else { return }
      if delay == 0 { return send() }
      context.eventLoop.scheduleTask(in: .milliseconds(Int64(delay)), send)
    }
  }
}

extension FakeDaemon.State {
  /// The first answer to a request; with it, the request's counter is used.
  fileprivate mutating func answer(to ticket: RequestTicket, _ answer: JSON) -> JSON {
    if let first = answers[ticket] { return first }
    let session = ticket.session.name
    answers[ticket] = answer
    last[session] = max(ticket.counter, last[session] ?? 0)
    return answer
  }

  /// True if this is the first time that the request comes. Notes a counter out of order.
  private mutating func isNew(_ ticket: RequestTicket) -> Bool {
    let last = last[ticket.session.name] ?? 0
    guard ticket.counter > last else { return false }
    if ticket.counter != last + 1 {
      violations.append("\(ticket.counter) after \(last) in \(ticket.session)")
    }
    return true
  }

  fileprivate mutating func log(_ request: AppendRequest) -> JSON {
    if let ticket = request.ticket {
      guard isNew(ticket) else { return .null }
      let text = request.edits.map { String($0.action.replacement ?? "") }.joined()
      handled.append(
        FakeDaemon.Handled(
          session: ticket.session.name, counter: ticket.counter, method: "editlog/append",
          params: JSON(text)))
    }
    let first = sequence + 1
    sequence += UInt64(request.edits.count)
    return AppendResult(first: first, sequence: sequence, durable: true).json
  }

  fileprivate mutating func take(_ request: ForwardRequest) -> JSON {
    let (session, counter) = (request.ticket.session.name, request.ticket.counter)
    read(request, session)
    if isNew(request.ticket) {
      handled.append(
        FakeDaemon.Handled(
          session: session, counter: counter, method: request.method, params: request.params))
    }
    return ForwardResult(counter: counter, durable: true).json
  }

  /// What is read again is read in the same way: it must make sense then as well.
  private mutating func read(_ request: ForwardRequest, _ session: String) {
    guard var open = open[session] else {
      return violations.append("a message before initialize in \(session)")
    }
    defer { self.open[session] = open }
    if case .array(let files)? = request.params["files"] {
      for file in files {
        guard let old = file["oldUri"]?.text, let new = file["newUri"]?.text else { continue }
        if open.remove(old) != nil { open.insert(new) }
      }
    }
    guard let uri = request.params["textDocument"]?["uri"]?.text else { return }
    switch request.method {
    case "textDocument/didOpen": open.insert(uri)
    case _ where !open.contains(uri):
      violations.append("\(request.ticket.counter) \(request.method): \(uri) is not open")
    case "textDocument/didClose": open.remove(uri)
    default: break
    }
  }
}

extension JSON {
  var text: String? {
    guard case .string(let string) = self else { return nil }
    return string.string
  }
}

extension AppendRequest {
  /// A request that inserts `text`.
  static func inserting(_ text: String) throws -> AppendRequest {
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
    return AppendRequest(
      document: EditClientTests.document("doc"), edits: [AppendEdit(action: action)])
  }
}
