/// How much work a run puts into its figures.
struct Effort {
  /// Samples of a contender at least, however slow it is.
  var samplesMin: Int
  /// Samples of a contender at most.
  var samplesMax: Int
  /// Nanoseconds after which a contender with enough samples gives no more.
  var budget: UInt64
  /// Nanoseconds that one sample of a repeated operation should last.
  var sampleLength: Double

  /// For figures to quote.
  static let full = Effort(
    samplesMin: 5, samplesMax: 101, budget: 1_000_000_000, sampleLength: 4_000_000)
  /// Enough to see that everything runs.
  static let quick = Effort(
    samplesMin: 1, samplesMax: 5, budget: 20_000_000, sampleLength: 500_000)
}
