import CoreMetrics
import EditProtocol
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
    peerCheck.admit(channel).flatMap { [self] (isAdmitted: Bool) in
      guard isAdmitted else {
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
      channel.closeFuture.whenComplete { [self] _ in
        services.metrics.connections.decrement()
        leave(number)
      }
      return admit(channel, number)
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
    let (number, quietest) = state.withLockedValue { state -> (Int?, (any Channel)?) in
      var quietest: (any Channel)?
      if state.open.count >= services.limits.connectionCountMax {
        guard
          let oldest = state.unproven.min(by: { $0.value.lastBytesTime < $1.value.lastBytesTime })
        else { return (nil, nil) }
        quietest = oldest.value.channel
        state.unproven[oldest.key] = nil
        state.open.remove(oldest.key)
      }
      state.next += 1
      state.open.insert(state.next)
      state.unproven[state.next] = Unproven(channel: channel)
      return (state.next, quietest)
    }
    quietest?.pipeline.fireUserInboundEventTriggered(Eviction())
    return number
  }

  private func leave(_ number: Int) {
    state.withLockedValue { state in
      state.unproven[number] = nil
      state.open.remove(number)
    }
  }

  private func admit(_ channel: any Channel, _ number: Int) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        ConnectionHandler(
          number: number, services: services, scheduler: scheduler, admission: self, logger: logger)
      )
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

  /// Sends an error to a new connection, then closes it.
  private func refuse(_ channel: any Channel, _ error: ProtocolError) -> EventLoopFuture<Void> {
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
