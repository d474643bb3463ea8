/// One implementation in a race: a name, and a way to take one sample.
struct Contender {
  /// The name in the report.
  let name: String
  /// The largest number of samples; nil if the effort determines it.
  var samplesMax: Int?
  /// Samples taken in a row when it is this contender's turn. Of several, the first is kept
  /// apart: it finds caches and branch predictors as another contender left them.
  var turn: Int
  /// Takes a sample. Only what is timed inside counts.
  let sample: () throws -> Double

  init(
    _ name: String, samplesMax: Int? = nil, turn: Int = 1, sample: @escaping () throws -> Double
  ) {
    (self.name, self.samplesMax, self.turn, self.sample) = (name, samplesMax, turn, sample)
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
      try results[index].take(contender)
      isRunning = true
    }
  }
  return results
}

private func isDone(_ samples: Samples, _ contender: Contender, _ effort: Effort) -> Bool {
  let count = samples.values.count
  if count >= min(contender.samplesMax ?? effort.samplesMax, effort.samplesMax) { return true }
  if samples.spent < effort.budget { return false }
  return count >= effort.samplesMin || count > 0 && samples.spent >= 5 * effort.budget
}
