import CoreMetrics
import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditDaemon

/// Metrics in the text format of Prometheus.
@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
  /// The values of a text by their names, labels included.
  private func values(_ text: String) throws -> [String: Double] {
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      try #require(parts.count == 2, "\(line)")
      let value = try #require(Double(parts[1]), "\(line)")
      values["\(parts[0])"] = value
    }
    return values
  }

  @Test func numbersAreThoseThatWereGiven() throws {
    let registry = MetricsRegistry()
    let counter = Counter(label: "b_total", factory: registry)
    let gauge = Meter(label: "a", factory: registry)
    counter.increment(by: 3)
    Counter(label: "b_total", factory: registry).increment()
    gauge.set(7)
    gauge.decrement(by: 2.5)
    #expect(registry.text == "# TYPE a gauge\na 4.5\n# TYPE b_total counter\nb_total 4\n")
    gauge.destroy()
    #expect(registry.text == "# TYPE b_total counter\nb_total 4\n")
  }

  @Test func timesAreInTheFirstBucketThatHasRoom() throws {
    let registry = MetricsRegistry()
    let timer = Timer(label: "t_seconds", factory: registry)
    let times: [Int64] = [-1, 0, 1, 50_000, 50_001, 100_000, 100_001, 1_000_000_000, .max / 2]
    for time in times { timer.recordNanoseconds(time) }
    let values = try values(registry.text)
    #expect(values["t_seconds_count"] == 9)
    #expect(values["t_seconds_bucket{le=\"+Inf\"}"] == 9)
    for (name, count) in values {
      guard let bound = name.split(separator: "\"").dropFirst().first.flatMap({ Double($0) }) else {
        continue
      }
      #expect(count == Double(times.count { Double($0) / 1e9 <= bound }), "\(name)")
    }
    #expect(values.count == 24)
  }

  @Test func aDaemonCountsWhatItDoes() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      for _ in 0..<5 { _ = try await client.append("a", put("x")) }
      let status = try await client.call(StatusRequest(hasMetrics: true)).daemon
      let values = try values(try #require(status?.metrics))
      #expect(values["editlog_logged_entries_total"] == 5)
      #expect(values["editlog_batches_total"] == 5)
      #expect(values["editlog_acknowledgement_seconds_count"] == 5)
      #expect(values["editlog_connections"] == 1)
      #expect(values["editlog_connections_admitted_total"] == 1)
      #expect(status?.lastMinuteCount == 5)
      #expect((status?.lastMinuteLag ?? 0) > 0)
      #expect(try await client.call(StatusRequest()).daemon?.metrics == nil)
      await client.close()
    }
  }
}
