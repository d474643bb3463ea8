/// One line of a report.
struct ReportLine: Encodable {
  /// What was measured; a baseline's own line is `figure/baseline`.
  let figure: String
  /// The text or history it was measured on.
  let trace: String
  /// The median.
  let value: Double
  let unit: String
  /// What the ratio is to: a contender of the same run. Nil if there is none.
  let baseline: String?
  /// Value to the baseline's value.
  let ratio: Double?
  /// Samples that the value is the median of.
  let samples: Int

  init(
    _ figure: String, _ trace: String, _ value: Double, _ unit: String,
    baseline: (name: String, value: Double)? = nil, samples: Int = 1
  ) {
    (self.figure, self.trace, self.value, self.unit) = (figure, trace, value, unit)
    (self.baseline, self.samples) = (baseline?.name, samples)
    ratio = baseline.flatMap { $0.value > 0 ? value / $0.value : nil }
  }

  private enum Key: String, CodingKey {
    case figure, trace, value, unit, baseline, ratio, samples
  }

  /// Every key is written, nulls too.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(figure, forKey: .figure)
    try container.encode(trace, forKey: .trace)
    try container.encode(Numbers.rounded(value), forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encode(baseline, forKey: .baseline)
    try container.encode(ratio.map(Numbers.rounded), forKey: .ratio)
    try container.encode(samples, forKey: .samples)
  }
}

extension [ReportLine] {
  /// The lines of a race. The first contender is the subject; every other has a line of its
  /// own. All ratios are to `baseline`.
  init(
    _ figure: String, _ trace: String, _ unit: String, per count: Double = 1,
    _ race: [Samples], baseline: String? = nil
  ) {
    let reference = race.first { $0.name == baseline }
    self = race.enumerated().map { index, samples in
      let isReference = samples.name == reference?.name
      return ReportLine(
        index == 0 ? figure : "\(figure)/\(samples.name)", trace, samples.median / count, unit,
        baseline: isReference ? nil : reference.map { ($0.name, $0.median / count) },
        samples: samples.values.count)
    }
  }
}
