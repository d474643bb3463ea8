import EditProtocol
import NIOCore

/// Ends a connection whose daemon gives no sign of life. Used on the connection's event loop only.
///
/// Time is counted in ticks, of which each counts for at most two: while this process was stopped, it did
/// not wait. Without anything that is awaited there are no ticks.
final class SilenceClock {
  /// What a connection waits for.
  enum Awaited: Hashable, Sendable {
    case nothing
    /// An answer.
    case answer
    /// What may happen at any time, or never. The daemon must answer a ping.
    case events
  }

  private let socket: String
  private let limits: SilenceLimits
  private let loop: any EventLoop
  private let awaited: () -> Awaited
  private let ping: () -> Void
  private let end: (ProtocolError) -> Void

  private var timer: Scheduled<Void>?
  private var lastTick = NIODeadline.now()
  /// The time since the last byte, and since the last sign of life.
  private var (silence, absence) = (Duration.zero, Duration.zero)
  private var isNoted = false
  /// True if a ping over another connection is under way.
  private var isPinging = false
  /// True if a ping was sent over this connection, and nothing has come since.
  private var isEventPingSent = false

  /// A clock of the connection to the daemon at `socket`.
  ///
  /// - Parameters:
  ///   - awaited: What the connection waits for now.
  ///   - ping: Sends a ping over this connection; needed if it waits for events.
  ///   - end: Ends the connection with an error.
  init(
    _ socket: String, _ limits: SilenceLimits, on loop: any EventLoop,
    awaited: @escaping () -> Awaited, ping: @escaping () -> Void = {},
    end: @escaping (ProtocolError) -> Void
  ) {
    (self.socket, self.limits, self.loop) = (socket, limits, loop)
    (self.awaited, self.ping, self.end) = (awaited, ping, end)
  }

  /// Notes that something is awaited. O(1), and without effect while the clock runs.
  func start() {
    guard timer == nil, awaited() != .nothing else { return }
    noteBytes()
    arm()
  }

  /// Notes that bytes have come.
  func noteBytes() { (silence, absence, isEventPingSent) = (.zero, .zero, false) }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  private var tick: Duration {
    switch awaited() {
    case .events: limits.silenceMax
    case .answer, .nothing:
      min(
        max(min(limits.silenceMax / 20, limits.noteDelay / 4), .milliseconds(1)), .milliseconds(500)
      )
    }
  }

  private func arm() {
    let tick = tick
    lastTick = .now()
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = loop.scheduleTask(in: TimeAmount(tick)) { bound.value.passed(tick) }
  }

  private func passed(_ tick: Duration) {
    timer = nil
    let elapsed = min(Duration(NIODeadline.now() - lastTick), tick * 2)
    silence += elapsed
    absence += elapsed
    switch awaited() {
    case .nothing: return
    case .answer: guard checkAnswer() else { return }
    case .events: guard checkEvents() else { return }
    }
    arm()
  }

  /// Returns false if the connection ends.
  private func checkAnswer() -> Bool {
    if silence >= limits.noteDelay, !isNoted {
      isNoted = true
      limits.onSilence?(socket)
    }
    guard absence < limits.silenceMax else {
      end(.unresponsive(socket: socket, after: limits.silenceMax))
      return false
    }
    if absence >= limits.silenceMax / 4, !isPinging { askForLife() }
    return true
  }

  /// Returns false if the connection ends.
  private func checkEvents() -> Bool {
    guard !isEventPingSent else {
      end(.unresponsive(socket: socket, after: limits.silenceMax))
      return false
    }
    if absence >= limits.silenceMax {
      isEventPingSent = true
      ping()
    }
    return true
  }

  /// Sends a ping over another connection.
  private func askForLife() {
    isPinging = true
    let bound = NIOLoopBound(self, eventLoop: loop)
    DaemonPing.send(to: socket, within: limits.silenceMax, on: loop).whenComplete { result in
      let clock = bound.value
      clock.isPinging = false
      if case .success(true) = result { clock.absence = .zero }
    }
  }
}

/// Notes the bytes of a connection, before they are a frame.
final class SilenceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let clock: SilenceClock

  init(_ clock: SilenceClock) { self.clock = clock }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    clock.noteBytes()
    context.fireChannelRead(data)
  }
}
