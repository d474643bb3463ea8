import ArgumentParser

/// The selection that fits a continuous integration.
struct ContinuousCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ci",
    abstract: "Runs a part of each, in seven minutes on two idle cores.",
    discussion: "Counts are below; a limit of time besides keeps a busy machine from hanging.")

  @OptionGroup var daemon: DaemonOptionGroup

  @Option(help: "The first seed of all runs.")
  var seed: UInt64 = 1

  /// Subcommands with how many cases, and how many minutes at most.
  private static let selection: [(command: String, count: Int?, minutes: Double)] = [
    ("states", 50_000, 1), ("states --depth 2", 2_000, 0.3), ("sim", 100_000, 1.2),
    ("sweep", 4_000, 0.5), ("flip", 40_000, 0.5), ("rewrite", 1_000, 0.3),
    ("readers", 3_300, 0.3), ("forged", nil, 0.5), ("forge", 2_000, 0.5),
    ("missing", 5_000, 1.5), ("hostile", nil, 0.2),
    ("kill", 1_000, 0.5), ("flood", 2, 0.5), ("full", 32, 0.4), ("fsync", 3, 0.5),
    ("cut", 50, 0.8),
  ]

  func run() throws {
    var hasFailed = false
    for (command, count, minutes) in Self.selection {
      let words = command.split(separator: " ").map(String.init)
      var arguments = words + ["--seed", "\(seed)", "--minutes", "\(minutes)"]
      if let count { arguments += ["--count", "\(count)"] }
      if ["kill", "flood", "full", "fsync", "cut"].contains(words[0]) {
        arguments += ["--daemon", daemon.daemon]
      }
      var parsed = try Torture.parseAsRoot(arguments)
      do { try parsed.run() } catch is ExitCode { hasFailed = true }
    }
    if hasFailed { throw ExitCode(1) }
  }
}
