import CoreMetrics
import EditProtocol
import Glibc
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// Admits new connections: checks the user, then counts the connection. It is read only after that.
///
/// If there are too many connections, the daemon closes one that has not sent a message yet, the one
/// whose last byte is the oldest. If all have sent one, it refuses the new connection.
final class ConnectionAdmission: Sendable {
  private struct Unproven {
    let channel: any Channel
    var lastBytesTime = NIODeadline.now()
  }

  private struct State {
    var next = 1
    /// All admitted connections.
    var open: Set<Int> = []
    /// Those that have not sent a message yet.
    var unproven: [Int: Unproven] = [:]
    /// The processes that have connections, by their numbers.
    var peers: [pid_t: (peer: QuestionPeer, connectionCount: Int)] = [:]
    /// The number of connections that read an error before they are closed.
    var leavingCount = 0
  }

  private let services: DaemonServices
  private let scheduler: QuestionScheduler
  private let logger: Logger
  private let peerCheck = PeerCheck()
  private let state = NIOLockedValueBox(State())

  init(services: DaemonServices, logger: Logger) {
    (self.services, self.logger) = (services, logger)
    scheduler = QuestionScheduler(services)
  }

  func receive(_ channel: any Channel) -> EventLoopFuture<Void> {
    peerCheck.admit(channel).flatMap { [self] (process: pid_t?) in
      guard let process else {
        services.metrics.refused.increment()
        logger.warning("refused a connection of another user")
        return refuse(channel, peerCheck.refusal)
      }
      guard let number = register(channel) else {
        services.metrics.refused.increment()
        return refuse(channel, .overloaded(retryAfterMillis: 1_000))
      }
      services.metrics.admitted.increment()
      services.metrics.connections.increment()
      let peer = peer(process)
      channel.closeFuture.whenComplete { [self] _ in
        services.metrics.connections.decrement()
        leave(number, process)
      }
      return admit(channel, number, peer)
    }
  }

  /// Records that a connection has sent bytes, but no message yet.
  func noteBytes(_ number: Int) {
    state.withLockedValue { $0.unproven[number]?.lastBytesTime = .now() }
  }

  /// Records that a connection has sent its first message.
  func prove(_ number: Int) { state.withLockedValue { $0.unproven[number] = nil } }

  /// Counts a connection, and closes another one if there are too many. Returns the connection's
  /// number, or nil if it is refused.
  private func register(_ channel: any Channel) -> Int? {
    let limits = services.limits
    let hasDescriptor = Self.descriptor(of: channel) < limits.descriptorMax
    let (number, quietest) = state.withLockedValue { state -> (Int?, (any Channel)?) in
      var quietest: (any Channel)?
      if state.open.count >= limits.connectionCountMax || !hasDescriptor {
        guard
          let oldest = state.unproven.min(by: { $0.value.lastBytesTime < $1.value.lastBytesTime })
        else { return (nil, nil) }
        quietest = oldest.value.channel
        state.unproven[oldest.key] = nil
        state.open.remove(oldest.key)
        // The next connection gets the descriptor that becomes free.
        if !hasDescriptor { return (nil, quietest) }
      }
      state.next += 1
      state.open.insert(state.next)
      state.unproven[state.next] = Unproven(channel: channel)
      return (state.next, quietest)
    }
    quietest?.pipeline.fireUserInboundEventTriggered(Eviction())
    return number
  }

  /// The number of a connection's descriptor. Called on its event loop.
  private static func descriptor(of channel: any Channel) -> Int {
    let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { Int($0) }
    return (descriptor ?? nil) ?? 0
  }

  /// The process of a new connection.
  private func peer(_ process: pid_t) -> QuestionPeer {
    state.withLockedValue { state in
      state.peers[process, default: (QuestionPeer(), 0)].connectionCount += 1
      return state.peers[process, default: (QuestionPeer(), 0)].peer
    }
  }

  private func leave(_ number: Int, _ process: pid_t) {
    state.withLockedValue { state in
      state.peers[process]?.connectionCount -= 1
      if state.peers[process]?.connectionCount == 0 { state.peers[process] = nil }
      state.unproven[number] = nil
      state.open.remove(number)
    }
  }

  private func admit(
    _ channel: any Channel, _ number: Int, _ peer: QuestionPeer
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        ConnectionHandler(
          number: number, peer: peer, services: services, scheduler: scheduler, admission: self,
          logger: logger))
    }.flatMap { channel.setOption(.autoRead, value: true) }
  }

  /// Closes a connection after a moment in which the client can read the error; at once if there are too
  /// many such connections.
  func dismiss(_ channel: any Channel) {
    let mayWait = state.withLockedValue { state in
      state.leavingCount += 1
      return state.leavingCount <= services.limits.leavingCountMax
    }
    channel.closeFuture.whenComplete { [state] _ in
      state.withLockedValue { $0.leavingCount -= 1 }
    }
    if mayWait {
      RefusedConnectionHandler.closeLater(channel)
    } else {
      channel.close(promise: nil)
    }
  }

  /// The number of descriptors that refused connections may take beyond `descriptorMax`, to read the error.
  private static let refusedDescriptorCount = 8

  /// Sends an error to a new connection, then closes it.
  private func refuse(_ channel: any Channel, _ error: ProtocolError) -> EventLoopFuture<Void> {
    let descriptor = Self.descriptor(of: channel)
    guard descriptor - Self.refusedDescriptorCount < services.limits.descriptorMax else {
      return channel.close()
    }
    let message = RPCMessage.failure(id: nil, error).frame
    // Later, when the channel is set up.
    channel.eventLoop.execute {
      channel.writeAndFlush(message).whenComplete { [self] _ in dismiss(channel) }
    }
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(RefusedConnectionHandler())
    }
  }
}

/// Event that closes a connection without a message, in favour of a new one.
struct Eviction: Sendable {}

/// Handles the end of a refused connection: discards what the client still sends. If it were not read,
/// the system would discard the error before the client reads it.
final class RefusedConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let time = TimeAmount.seconds(1)

  /// Sends no more, and closes the channel when the client does, or after `time`.
  static func closeLater(_ channel: any Channel) {
    channel.close(mode: .output, promise: nil)
    channel.setOption(.autoRead, value: true).whenFailure { _ in }
    let end = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in end.cancel() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
