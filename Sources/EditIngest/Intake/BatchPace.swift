/// How many requests are written as one batch: so many that one flush serves many, but so few that their
/// work beside the flush takes about 2 ms. A request that comes meanwhile waits for that, however fast
/// others send.
struct BatchPace {
  private static let batchNanoseconds = 2_000_000.0
  private static let countMin = 16
  private static let countMax = 2_048

  /// The time of a request, a moving average.
  private var nanoseconds = 4_000.0

  var count: Int {
    Int(min(Double(Self.countMax), max(Double(Self.countMin), Self.batchNanoseconds / nanoseconds)))
  }

  /// Records the time of a batch of `count` requests without its flush.
  mutating func note(count: Int, nanoseconds time: Int64) {
    guard count > 0 else { return }
    // The time of a batch of few requests is mostly the same for any number of them.
    let weight = min(0.25, Double(count) / 256)
    nanoseconds += (Double(max(0, time)) / Double(count) - nanoseconds) * weight
  }
}
