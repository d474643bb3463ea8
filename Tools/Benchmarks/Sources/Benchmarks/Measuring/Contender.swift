/// One implementation in a race: a name, and a way to take one sample.
struct Contender {
  /// The name in the report.
  let name: String
  /// Samples at most; nil where the effort says it.
  var samplesMax: Int?
  /// Takes a sample. Only what is timed inside counts.
  let sample: () throws -> Double

  init(_ name: String, samplesMax: Int? = nil, sample: @escaping () throws -> Double) {
    (self.name, self.samplesMax, self.sample) = (name, samplesMax, sample)
  }
}

/// What a contender gave.
struct Samples {
  let name: String
  private(set) var values: [Double] = []
  private(set) var spent: UInt64 = 0

  init(name: String) { self.name = name }

  mutating func add(_ value: Double, spent: UInt64) {
    values.append(value)
    self.spent += spent
  }

  /// The middle value; 0 where there is none.
  var median: Double {
    let sorted = values.sorted()
    guard let last = sorted.last else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1
      ? (sorted.isEmpty ? last : sorted[middle])
      : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Takes the contenders' samples in turns (A B A B ...), so that a noisy neighbour disturbs all
/// of them alike.
func race(_ contenders: [Contender], _ effort: Effort) throws -> [Samples] {
  var results = contenders.map { Samples(name: $0.name) }
  var isRunning = true
  while isRunning {
    isRunning = false
    for (index, contender) in contenders.enumerated()
    where !isDone(results[index], contender, effort) {
      let start = Clock.now
      let value = try contender.sample()
      results[index].add(value, spent: Clock.now - start)
      isRunning = true
    }
  }
  return results
}

private func isDone(_ samples: Samples, _ contender: Contender, _ effort: Effort) -> Bool {
  let samplesMax = min(contender.samplesMax ?? effort.samplesMax, effort.samplesMax)
  let count = samples.values.count
  return count >= samplesMax || samples.spent >= effort.budget && count >= effort.samplesMin
}
