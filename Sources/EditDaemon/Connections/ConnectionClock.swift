import EditProtocol
import NIOCore

/// When a connection has to have done what. Used on its event loop alone.
struct ConnectionClock {
  /// Bytes a second that a frame has to bring while others wait for the room it takes.
  private static let rateMin = 16 << 20
  /// How often a connection is looked at that owes something.
  private static let period = TimeAmount.seconds(1)
  /// How long a client may take nothing of an answer while files of answers are scarce.
  private static let takingTime = TimeAmount.seconds(30)

  private let limits: DaemonLimits
  private let connected = NIODeadline.now()
  /// True from the first message on.
  private(set) var isProven = false
  /// When the frame that has begun did so.
  private var frameStart: NIODeadline?
  /// Bytes of that frame, if it takes room that others may wait for.
  private var sharedSize = 0
  /// When the client last took a part of an answer, or there was none.
  private var taken = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var isStopped = false

  init(_ limits: DaemonLimits) { self.limits = limits }

  mutating func prove() { isProven = true }

  /// A frame was let in; the time it waited does not count.
  mutating func beginFrame(size: Int) { (frameStart, sharedSize) = (.now(), size) }
  mutating func endFrame() { (frameStart, sharedSize) = (nil, 0) }

  /// All bytes that have come were read, and a frame is partly among them or not.
  mutating func noteFrame(isPartial: Bool) {
    if !isPartial { frameStart = nil } else if frameStart == nil { frameStart = .now() }
  }

  mutating func noteTaken() { taken = .now() }

  mutating func stop() {
    isStopped = true
    timer?.cancel()
    timer = nil
  }

  /// Calls `body` when there may be something to complain of.
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

  /// The timer has fired: what this connection is to be ended for.
  ///
  /// - Parameter isWaiting: true while its frame waits for room, which is not its fault.
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
          .overloaded, "a frame came too slowly while others waited for its room; send it again")
      }
    }
    if hasAnswers, areFilesScarce, now >= taken + Self.takingTime {
      return ProtocolError(.overloaded, "answers were not taken; ask again")
    }
    return nil
  }

  private static func late(_ what: String, _ milliseconds: Int64) -> ProtocolError {
    ProtocolError(
      .overloaded,
      "\(what) has to be whole in \(milliseconds) ms; connect again when there is one to send")
  }
}
