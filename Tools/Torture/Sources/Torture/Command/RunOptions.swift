import ArgumentParser

/// What all runs take. The first limit that is reached ends a run.
struct RunOptions: ParsableArguments {
  @Option(help: "The first seed; a run continues with the next ones.")
  var seed: UInt64 = 1

  @Option(help: "How many cases to run.")
  var count: Int?

  @Option(help: "How long to run.")
  var minutes: Double?

  @Option(
    name: .customLong("case"), help: "The one case of the seed to run, as a finding names it.")
  var onlyCase: Int?

  func validate() throws {
    guard count ?? 1 > 0, minutes ?? 1 > 0, minutes ?? 1 < 1e6 else {
      throw ValidationError("--count and --minutes must be above 0")
    }
  }
}
