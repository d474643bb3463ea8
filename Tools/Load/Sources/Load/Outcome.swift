import Histogram

/// What all connections of a run gave together.
struct Outcome {
  private let editCount: UInt64
  private let editsPerSecond: Double
  private let times: Histogram<UInt64>

  /// Sends on as many connections as asked for, each on a thread of its own.
  init(_ count: Int, _ plan: SendingPlan, to socket: String, in dialect: Dialect) throws {
    let run = MonotonicClock.now
    let parts = try Threads.run(count) { number in
      let sender = try Sender(
        Connection(path: socket), dialect.requests(for: "load-\(run)-\(number)"), plan)
      try sender.run()
      return Part(count: sender.count, span: sender.span, times: sender.times)
    }
    var times = Sender.emptyTimes
    for part in parts { times.add(part.times) }
    let start = parts.map(\.span.start).min() ?? 0
    let end = parts.map(\.span.end).max() ?? 0
    editCount = parts.reduce(0) { $0 + $1.count } * UInt64(plan.batch)
    editsPerSecond = Double(editCount) / max(1e-9, Double(end - start) / 1e9)
    self.times = times
  }

  private struct Part: Sendable {
    let count: UInt64
    let span: (start: UInt64, end: UInt64)
    let times: Histogram<UInt64>
  }

  /// The time below which `percent` of the acknowledgements came, in microseconds.
  private func micros(_ percent: Double) -> Double {
    Double(times.valueAtPercentile(percent)) / 1_000
  }

  private var rows: [(name: String, value: Double)] {
    [
      ("edits_per_second", editsPerSecond.rounded()), ("ack_p50_micros", micros(50)),
      ("p99", micros(99)), ("p999", micros(99.9)), ("max", Double(times.max) / 1_000),
    ]
  }

  var json: String {
    "{\"edits\":\(editCount),"
      + rows.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  var text: String {
    "\(editCount) edits acknowledged\n"
      + rows.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
  }
}
