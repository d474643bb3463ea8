import EditModel
import EditProtocol
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A daemon that remembers what reached it, and fails on purpose.
///
/// It keeps what a real one keeps: the highest counter of each session, so that a resend is
/// handled once, and which documents each session has open, which `initialize` sets anew. What a
/// real one could not make sense of becomes a violation.
final class BridgeDaemon: Sendable {
  /// How it fails.
  struct Faults: Sendable {
    /// One in so many messages ends the connection before it is handled; 0 for none.
    var dropBefore = 0
    /// One in so many messages ends the connection after it is handled, before the answer.
    var dropAfter = 0
    /// Answers come after 0 to so many milliseconds.
    var delayMax = 0
    /// Answers are held back until `release()`.
    var holds = false
    /// Refusals of counters, each given once for each code in the list.
    var refusals: [UInt64: [ProtocolError.Code]] = [:]
  }

  struct Handled: Hashable, Sendable {
    var session: String
    var counter: UInt64
    var method: String
    var params: JSON
  }

  struct State: Sendable {
    var faults: Faults
    var random: SplitMix64
    var handled: [Handled] = []
    var last: [String: UInt64] = [:]
    var open: [String: Set<String>] = [:]
    var initialized: [(session: String, params: JSON)] = []
    var violations: [String] = []
    var held: [@Sendable () -> Void] = []
    var exits = 0
    var connections: [ObjectIdentifier: any Channel] = [:]
  }

  private let box: Box
  private let channel: any Channel

  init(_ socket: String, _ faults: Faults = Faults(), seed: UInt64 = 0) async throws {
    let box = Box(State(faults: faults, random: SplitMix64(seed: seed)))
    self.box = box
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(FrameDecoder()), Connection(box),
          ])
        }
      }
      .bind(unixDomainSocketPath: socket, cleanupExistingSocketFile: true).get()
  }

  final class Box: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  var handled: [Handled] { box.state.withLock { $0.handled } }
  var violations: [String] { box.state.withLock { $0.violations } }
  var initialized: [(session: String, params: JSON)] { box.state.withLock { $0.initialized } }
  var exits: Int { box.state.withLock { $0.exits } }

  /// Gives the answers held back, and holds none from now on.
  func release() {
    let held = box.state.withLock { state in
      state.faults.holds = false
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer() }
  }

  /// Ends every connection; the socket stays.
  func dropAll() {
    for channel in box.state.withLock({ Array($0.connections.values) }) {
      channel.close(promise: nil)
    }
  }

  func stop() async {
    dropAll()
    try? await channel.close().get()
  }
}

extension BridgeDaemon {
  private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: Box
    private var isDropped = false
    /// After a refusal that is not for good nothing behind it may be taken, because its counter
    /// would hide the refused message when that comes again.
    private var refusesAll: ProtocolError.Code?

    init(_ box: Box) { self.box = box }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      box.state.withLock { $0.connections[ObjectIdentifier(channel)] = channel }
    }

    func channelInactive(context: ChannelHandlerContext) {
      isDropped = true
      let key = ObjectIdentifier(context.channel)
      box.state.withLock { _ = $0.connections.removeValue(forKey: key) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isDropped else { return }
      do {
        switch try RPCMessage(body: unwrapInboundIn(data)) {
        case .request(let id, "initialize", let params): initialize(id, params, context)
        case .request(let id, "editlog/forward", let params): try forward(id, params, context)
        // A client that was slow to send its first message says that it is there.
        case .notification("$/here", _): break
        case .notification("exit", _): box.state.withLock { $0.exits += 1 }
        case let other: violate("\(other)")
        }
      } catch { violate("\(error)") }
    }

    private func violate(_ what: String) { box.state.withLock { $0.violations.append(what) } }

    private func initialize(_ id: RPCID, _ params: JSON, _ context: ChannelHandlerContext) {
      let editlog = params["initializationOptions"]?["editlog"]
      guard let session = editlog?["session"]?.text, case .array(let open)? = editlog?["open"]
      else { return violate("initialize without session: \(params)") }
      box.state.withLock { state in
        state.initialized.append((session, params))
        state.open[session] = Set(open.compactMap(\.text))
      }
      let result = InitializeResult(
        positionEncoding: .utf16, version: "test", frameSizeMax: 1 << 20)
      context.writeAndFlush(
        wrapOutboundOut(RPCMessage.response(id: id, result: result.json).frame), promise: nil)
    }

    private func forward(
      _ id: RPCID, _ params: JSON, _ context: ChannelHandlerContext
    ) throws {
      let request = try ForwardRequest(json: params)
      if chance(\.dropBefore) { return drop(context) }
      if let code = refusesAll ?? refusal(request) {
        if code != .invalidParams { refusesAll = code }
        return answer(.failure(id: id, ProtocolError(code, "no: \(request.params)")), context)
      }
      box.state.withLock { $0.handle(request) }
      if chance(\.dropAfter) { return drop(context) }
      let result = ForwardResult(counter: request.ticket.counter, durable: true)
      answer(.response(id: id, result: result.json), context)
    }

    private func chance(_ fault: KeyPath<Faults, Int>) -> Bool {
      box.state.withLock { state in
        let one = state.faults[keyPath: fault]
        return one > 0 && Int.random(in: 0..<one, using: &state.random) == 0
      }
    }

    private func refusal(_ request: ForwardRequest) -> ProtocolError.Code? {
      let (session, counter) = (request.ticket.session.name, request.ticket.counter)
      return box.state.withLock { state in
        guard var codes = state.faults.refusals[counter], !codes.isEmpty else { return nil }
        let code = codes.removeFirst()
        state.faults.refusals[counter] = codes
        if code == .invalidParams { state.last[session] = counter }
        return code
      }
    }

    private func drop(_ context: ChannelHandlerContext) {
      isDropped = true
      context.close(promise: nil)
    }

    private func answer(_ message: RPCMessage, _ context: ChannelHandlerContext) {
      let channel = context.channel
      let send: @Sendable () -> Void = { channel.writeAndFlush(message.frame, promise: nil) }
      let delay = box.state.withLock { state -> Int? in
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

extension BridgeDaemon.State {
  fileprivate mutating func handle(_ request: ForwardRequest) {
    let (session, counter) = (request.ticket.session.name, request.ticket.counter)
    read(request, session)
    let last = last[session] ?? 0
    guard counter > last else { return }
    if counter != last + 1 { violations.append("\(counter) after \(last) in \(session)") }
    self.last[session] = counter
    handled.append(
      BridgeDaemon.Handled(
        session: session, counter: counter, method: request.method, params: request.params))
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
