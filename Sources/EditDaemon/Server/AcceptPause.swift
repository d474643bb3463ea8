import Logging
import NIOCore

/// Stops accepting for a moment if the system has no descriptor or no memory for another connection.
/// Without a pause, the loop would try again at once and fail each time, because the listening socket
/// stays readable.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let pause = TimeAmount.milliseconds(100)
  private let logger: Logger
  private var isPaused = false
  /// The time of the last log line. Errors may come ten times a second.
  private var lastReported: NIODeadline?

  init(logger: Logger) { self.logger = logger }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isPaused else { return }
    isPaused = true
    if lastReported.map({ $0 + .minutes(1) < .now() }) ?? true {
      logger.warning("cannot accept connections for now: \(error)")
      lastReported = .now()
    }
    context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) {
      let (handler, context) = bound.value
      handler.isPaused = false
      context.channel.setOption(.autoRead, value: true).whenFailure { _ in }
    }
  }
}
