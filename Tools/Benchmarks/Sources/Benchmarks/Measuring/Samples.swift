/// What a contender gave.
struct Samples {
  let name: String
  private(set) var values: [Double] = []
  /// The first samples of turns of several.
  private(set) var firsts: [Double] = []
  /// Nanoseconds that have passed in its turns.
  private(set) var spent: UInt64 = 0

  init(name: String) { self.name = name }

  /// Takes a turn of samples.
  mutating func take(_ contender: Contender) throws {
    let start = Clock.now
    if contender.turn > 1 { firsts.append(try contender.sample()) }
    for _ in 0..<max(1, contender.turn - 1) { values.append(try contender.sample()) }
    spent += Clock.now - start
  }

  /// The middle value; 0 where there is none.
  var median: Double { Self.median(values) }

  /// The first samples as a contender's own.
  var first: Samples {
    var samples = self
    (samples.values, samples.firsts) = (firsts, [])
    return samples
  }

  private static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let (sorted, middle) = (values.sorted(), values.count / 2)
    return values.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2
      : sorted[middle]
  }
}
