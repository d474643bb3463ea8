import CoreMetrics
import EditModel
import NIOConcurrencyHelpers
import Synchronization

/// Metrics of one daemon, in the text format of Prometheus.
///
/// A counter and a gauge are one number. A timer is a histogram in seconds. Dimensions are not used.
/// Updates of counters and timers are a few atomic additions; they never block.
///
/// The format: https://prometheus.io/docs/instrumenting/exposition_formats/
final class MetricsRegistry: MetricsFactory {
  private let metrics = NIOLockedValueBox<[String: any Exposed]>([:])

  /// All metrics, sorted by name.
  var text: String {
    metrics.withLockedValue { $0 }.sorted { $0.key.precedesExactly($1.key) }
      .map { name, metric in metric.text(name) }.joined()
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    add(CounterValue(), label)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    add(GaugeValue(), label)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    add(GaugeValue(), label)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    add(Histogram(), label)
  }

  func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// Two metrics of one name are one metric.
  private func add<Value: Exposed>(_ value: Value, _ label: String) -> Value {
    metrics.withLockedValue { metrics in
      if let known = metrics[label] as? Value { return known }
      metrics[label] = value
      return value
    }
  }

  private func remove(_ handler: AnyObject) {
    metrics.withLockedValue { $0 = $0.filter { $0.value !== handler } }
  }
}

/// A metric that can be written.
private protocol Exposed: AnyObject, Sendable {
  func text(_ name: String) -> String
}

private func lines(_ name: String, _ type: String, _ values: [(String, String)]) -> String {
  values.reduce("# TYPE \(name) \(type)\n") { $0 + name + $1.0 + " " + $1.1 + "\n" }
}

private final class CounterValue: CounterHandler, Exposed {
  private let value = Atomic<Int64>(0)
  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }

  func text(_ name: String) -> String {
    lines(name, "counter", [("", "\(value.load(ordering: .relaxed))")])
  }
}

private final class GaugeValue: MeterHandler, RecorderHandler, Exposed {
  private let bits = Atomic<UInt64>(0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }
  func increment(by amount: Double) { add(amount) }
  func decrement(by amount: Double) { add(-amount) }

  private func add(_ amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (done, now) = bits.weakCompareExchange(
        expected: old, desired: new, ordering: .relaxed)
      if done { return }
      old = now
    }
  }

  func text(_ name: String) -> String {
    lines(name, "gauge", [("", "\(Double(bitPattern: bits.load(ordering: .relaxed)))")])
  }
}

/// Buckets of 50 µs to 52 s, each twice as long as the one before.
private final class Histogram: TimerHandler, Exposed {
  private static let (firstBound, boundCount): (Int64, Int) = (50_000, 21)

  private let counts: [BucketCount] = (0...Histogram.boundCount).map { _ in BucketCount() }
  private let sum = Atomic<Int64>(0)

  private final class BucketCount: Sendable { let value = Atomic<UInt64>(0) }

  func recordNanoseconds(_ duration: Int64) {
    let time = max(duration, 0)
    // The number of bounds that are shorter.
    let halves = UInt64(max(time - 1, 0) / Self.firstBound)
    let bucket = min(UInt64.bitWidth - halves.leadingZeroBitCount, Self.boundCount)
    counts[bucket].value.wrappingAdd(1, ordering: .relaxed)
    sum.wrappingAdd(time, ordering: .relaxed)
  }

  func text(_ name: String) -> String {
    var values: [(String, String)] = []
    var total: UInt64 = 0
    for (index, count) in counts.enumerated() {
      total += count.value.load(ordering: .relaxed)
      let bound =
        index == Self.boundCount ? "+Inf" : "\(Double(Self.firstBound << index) / 1e9)"
      values.append(("_bucket{le=\"\(bound)\"}", "\(total)"))
    }
    values.append(("_sum", "\(Double(sum.load(ordering: .relaxed)) / 1e9)"))
    values.append(("_count", "\(total)"))
    return lines(name, "histogram", values)
  }
}
