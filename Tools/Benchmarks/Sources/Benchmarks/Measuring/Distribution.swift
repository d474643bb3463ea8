/// Times of which the middle and the tail matter, in nanoseconds.
struct Distribution {
  private var times: [Double] = []

  /// Adds a time.
  mutating func add(_ time: Double) { times.append(time) }

  /// The time that `fraction` of all times do not exceed; 0 if there are none.
  func quantile(_ fraction: Double) -> Double {
    guard !times.isEmpty else { return 0 }
    return times.sorted()[Int(Double(times.count - 1) * fraction)]
  }

  /// Median, 99th percentile and maximum in microseconds.
  func lines(_ figure: String, _ trace: String) -> [ReportLine] {
    [("p50", 0.5), ("p99", 0.99), ("max", 1)].map { name, fraction in
      ReportLine(
        "\(figure)/\(name)", trace, quantile(fraction) / 1e3, "us", samples: times.count)
    }
  }
}
