import Glibc
import Histogram

/// One connection: sends requests by a plan, and measures their acknowledgements.
final class Sender {
  private let connection: Connection
  private var requests: any RequestWriter
  private let plan: SendingPlan
  /// Nanoseconds from sending a request, or from when it was due, to its acknowledgement.
  private(set) var times = Sender.emptyTimes
  /// For times up to an hour.
  static var emptyTimes: Histogram<UInt64> {
    Histogram(
      highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
  }

  /// Requests acknowledged.
  private(set) var count: UInt64 = 0
  /// When the first request was sent, and the last was acknowledged.
  private(set) var span: (start: UInt64, end: UInt64) = (0, 0)
  /// For each request that waits for its acknowledgement: when it was sent or due.
  private var starts: [UInt64] = []
  private var sentCount: UInt64 = 0
  private var unsent: [UInt8] = []
  private var unsentStart = 0
  private var received = [UInt8](repeating: 0, count: 1 << 18)
  private var receivedCount = 0

  init(_ connection: consuming Connection, _ requests: any RequestWriter, _ plan: SendingPlan) {
    self.connection = connection
    (self.requests, self.plan) = (requests, plan)
    unsent = requests.opening
    starts = [UInt64](repeating: 0, count: plan.inFlight)
  }

  /// Sends until the plan's time is over, then waits for the last acknowledgement.
  func run() throws {
    let start = MonotonicClock.now
    let end = start + plan.nanoseconds
    span = (start, start)
    while true {
      var now = MonotonicClock.now
      let isOver = now >= end
      if isOver, count == sentCount { return }
      if !isOver { fill(start, now) }
      try flush()
      if try !receive() {
        now = MonotonicClock.now
        connection.wait(sends: unsentStart < unsent.count, nanoseconds: pause(start, now, end))
        _ = try receive()
      }
    }
  }

  /// Writes the requests that are due and have room.
  private func fill(_ start: UInt64, _ now: UInt64) {
    // What the system has not taken yet is enough.
    guard unsent.count - unsentStart < 1 << 18 else { return }
    while sentCount - count < plan.inFlight {
      var time = now
      if let interval = plan.interval {
        time = start + UInt64(Double(sentCount) * interval)
        guard time <= now else { return }
      }
      starts[Int(sentCount % UInt64(plan.inFlight))] = time
      sentCount += 1
      requests.write(request: sentCount, batch: plan.batch, to: &unsent)
      if unsent.count - unsentStart >= 1 << 18 { return }
    }
  }

  /// For how long nothing is to do if nothing is received.
  private func pause(_ start: UInt64, _ now: UInt64, _ end: UInt64) -> UInt64 {
    let limit: UInt64 = 1_000_000_000
    guard let interval = plan.interval, sentCount - count < plan.inFlight, now < end else {
      return limit
    }
    let next = start + UInt64(Double(sentCount) * interval)
    return next > now ? min(limit, next - now) : 0
  }

  private func flush() throws {
    guard unsentStart < unsent.count else { return }
    unsentStart += try unsent.withUnsafeBytes {
      try connection.send(UnsafeRawBufferPointer(rebasing: $0[unsentStart...]))
    }
    guard unsentStart == unsent.count else { return }
    unsent.removeAll(keepingCapacity: true)
    unsentStart = 0
  }

  /// Reads answers. Returns whether there was something to receive.
  private func receive() throws -> Bool {
    let room = receivedCount
    let got = try received.withUnsafeMutableBytes {
      try connection.receive(into: UnsafeMutableRawBufferPointer(rebasing: $0[room...]))
    }
    guard got > 0 else { return false }
    receivedCount += got
    let (size, last) = try received.withUnsafeBytes {
      try requests.readAnswers(UnsafeRawBufferPointer(rebasing: $0[..<receivedCount]))
    }
    if last > count {
      let now = MonotonicClock.now
      while count < last {
        times.record(now - min(now, starts[Int(count % UInt64(plan.inFlight))]))
        count += 1
      }
      span.end = now
    }
    received.replaceSubrange(0..<size, with: EmptyCollection())
    received.append(contentsOf: repeatElement(0, count: size))
    receivedCount -= size
    return true
  }
}
