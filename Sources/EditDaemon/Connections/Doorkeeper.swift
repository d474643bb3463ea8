import EditProtocol
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// Receives connections: checks the peer, counts them, and only then lets them be read.
///
/// If there are too many, the daemon closes the connection that has been quiet the longest among
/// those without a message; if all have sent one, it refuses the new one.
final class Doorkeeper: Sendable {
  private struct Guest {
    let channel: any Channel
    var lastHeard = NIODeadline.now()
  }

  private struct State {
    var next = 1
    /// Connections that count, those that have sent a message and those that have not.
    var open: Set<Int> = []
    /// Those that have not.
    var unproven: [Int: Guest] = [:]
    var leavingCount = 0
  }

  private let services: DaemonServices
  private let desk: QuestionDesk
  private let logger: Logger
  private let peers = PeerCheck()
  private let state = NIOLockedValueBox(State())

  init(services: DaemonServices, logger: Logger) {
    (self.services, self.logger) = (services, logger)
    desk = QuestionDesk(services)
  }

  func receive(_ channel: any Channel) -> EventLoopFuture<Void> {
    peers.admit(channel).flatMap { [self] (isAdmitted: Bool) in
      guard isAdmitted else {
        logger.warning("refused a connection of another user")
        return refuse(channel, peers.refusal)
      }
      guard let number = letIn(channel) else {
        return refuse(channel, .overloaded(retryAfterMillis: 1_000))
      }
      channel.closeFuture.whenComplete { [self] _ in leave(number) }
      return admit(channel, number)
    }
  }

  /// A connection that has sent no message yet was heard of.
  func hear(_ number: Int) {
    state.withLockedValue { $0.unproven[number]?.lastHeard = .now() }
  }

  /// A connection has sent its first message.
  func prove(_ number: Int) { state.withLockedValue { $0.unproven[number] = nil } }

  /// Counts a connection and closes another if there is no room; returns nil if it is refused.
  private func letIn(_ channel: any Channel) -> Int? {
    let (number, idlest) = state.withLockedValue { state -> (Int?, (any Channel)?) in
      var idlest: (any Channel)?
      if state.open.count >= services.limits.connectionCountMax {
        guard let oldest = state.unproven.min(by: { $0.value.lastHeard < $1.value.lastHeard })
        else { return (nil, nil) }
        idlest = oldest.value.channel
        state.unproven[oldest.key] = nil
        state.open.remove(oldest.key)
      }
      state.next += 1
      state.open.insert(state.next)
      state.unproven[state.next] = Guest(channel: channel)
      return (state.next, idlest)
    }
    idlest?.pipeline.fireUserInboundEventTriggered(Eviction())
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
          number: number, services: services, desk: desk, doorkeeper: self, logger: logger))
    }.flatMap { channel.setOption(.autoRead, value: true) }
  }

  /// Ends a refused connection once it can have read the reason; at once if too many are
  /// leaving.
  func dismiss(_ channel: any Channel) {
    let mayLinger = state.withLockedValue { state in
      state.leavingCount += 1
      return state.leavingCount <= services.limits.leavingCountMax
    }
    channel.closeFuture.whenComplete { [state] _ in
      state.withLockedValue { $0.leavingCount -= 1 }
    }
    if mayLinger { Farewell.linger(channel) } else { channel.close(promise: nil) }
  }

  /// Tells a connection why it cannot stay, and closes it when that can have been read.
  private func refuse(_ channel: any Channel, _ error: ProtocolError) -> EventLoopFuture<Void> {
    let message = RPCMessage.failure(id: nil, error).frame
    // Not chained: the channel is written to once it is set up.
    channel.eventLoop.execute {
      channel.writeAndFlush(message).whenComplete { [self] _ in dismiss(channel) }
    }
    return channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Farewell())
    }
  }
}

/// Asks a connection that has not sent a message to make room.
struct Eviction: Sendable {}

/// The end of a connection that is refused: what it still sends is thrown away, so that the
/// system does not discard the error before the client reads it.
final class Farewell: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let time = TimeAmount.seconds(1)

  /// Sends no more, and closes when the client does, or a moment later.
  static func linger(_ channel: any Channel) {
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
