import EditProtocol
import NIOCore

/// The time limits of a connection. Used only on its event loop.
struct ConnectionClock {
  /// The minimum rate of a frame, in bytes a second, while others wait for shared bytes.
  private static let rateMin = 16 << 20
  /// The time between two checks of a connection.
  private static let period = TimeAmount.seconds(1)
  /// The time in which a client must read a part of an answer while files of answers are scarce.
  private static let takingTime = TimeAmount.seconds(30)

  private let limits: DaemonLimits
  private let connected = NIODeadline.now()
  /// True after the first message.
  private(set) var isProven = false
  /// The start of the frame that is being received.
  private(set) var frameStart: NIODeadline?
  /// When its first bytes arrived, even if it was admitted later.
  private(set) var frameBegun: NIODeadline?
  /// The size of that frame in bytes, if it uses shared bytes.
  private var sharedSize = 0
  /// The last time when the client took a part of an answer, or there was no answer.
  private var taken = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var isStopped = false

  init(_ limits: DaemonLimits) { self.limits = limits }

  mutating func prove() { isProven = true }

  /// Records that a frame was admitted. The time that it waited does not count.
  mutating func beginFrame(size: Int) {
    let now = NIODeadline.now()
    (frameStart, sharedSize) = (now, size)
    if frameBegun == nil { frameBegun = now }
  }
  mutating func endFrame() { (frameStart, frameBegun, sharedSize) = (nil, nil, 0) }

  /// Records that all received bytes were read, and whether they end inside a frame.
  mutating func noteFrame(isPartial: Bool) {
    if !isPartial {
      (frameStart, frameBegun) = (nil, nil)
    } else if frameStart == nil {
      frameStart = .now()
      if frameBegun == nil { frameBegun = frameStart }
    }
  }

  mutating func noteTaken() { taken = .now() }

  mutating func stop() {
    isStopped = true
    timer?.cancel()
    timer = nil
  }

  /// Calls `body` when a time limit may have passed.
  mutating func arm(
    hasAnswers: Bool, _ loop: any EventLoop, _ body: @escaping @Sendable () -> Void
  ) {
    guard !isStopped, timer == nil else { return }
    if !isProven, frameStart == nil {
      let due = connected + .milliseconds(limits.firstMessageMilliseconds)
      timer = loop.scheduleTask(deadline: max(due, .now() + .milliseconds(10)), body)
    } else if frameStart != nil || hasAnswers {
      let shortest = min(limits.frameMilliseconds, limits.firstMessageMilliseconds)
      timer = loop.scheduleTask(in: min(Self.period, .milliseconds(max(10, shortest))), body)
    }
  }

  /// The error with which to end the connection. Returns nil if it has kept all time limits. Called by
  /// the timer.
  ///
  /// - Parameter isWaiting: True while its frame waits for free bytes.
  mutating func check(
    isWaiting: Bool, isContended: Bool, areFilesScarce: Bool, hasAnswers: Bool
  ) -> ProtocolError? {
    timer = nil
    let now = NIODeadline.now()
    if isWaiting { return nil }
    if !isProven, sharedSize == 0,
      now >= connected + .milliseconds(limits.firstMessageMilliseconds)
    {
      return Self.late("the first message", limits.firstMessageMilliseconds)
    }
    if let frameStart {
      guard now < frameStart + .milliseconds(limits.frameMilliseconds) else {
        return Self.late("a frame", limits.frameMilliseconds)
      }
      let fair = TimeAmount.seconds(1) + .milliseconds(Int64(sharedSize / (Self.rateMin / 1_000)))
      if sharedSize > 0, isContended, now >= frameStart + fair {
        return ProtocolError(
          .overloaded,
          "a frame was sent too slowly while other clients waited for memory; send it again")
      }
    }
    if hasAnswers, areFilesScarce, now >= taken + Self.takingTime {
      return ProtocolError(.overloaded, "answers were not read in time; ask again")
    }
    return nil
  }

  private static func late(_ what: String, _ milliseconds: Int64) -> ProtocolError {
    ProtocolError(
      .overloaded,
      "\(what) was not complete after \(milliseconds) ms; connect again, and send it at once")
  }
}
