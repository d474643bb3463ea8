import ArgumentParser

/// The selection that fits a continuous integration.
struct ContinuousCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ci",
    abstract: "Runs a fixed part of each, in five minutes on two idle cores.",
    discussion: "Counts are fixed; each run ends after 10 minutes if a machine is that slow.")

  @OptionGroup var daemon: DaemonOptionGroup

  @Option(help: "The first seed of all runs.")
  var seed: UInt64 = 1

  /// Subcommands with how many cases; without a count, all there are.
  private static let selection: [(command: String, count: Int?)] = [
    ("states", 50_000), ("states --depth 2", 2_000), ("sim", 80_000), ("sweep", 4_000),
    ("flip", 40_000), ("rewrite", 1_000), ("readers", 3_300), ("copies", 400),
    ("forged", nil), ("forge", 2_000), ("missing", 4_000), ("unreadable", 8_000),
    ("attachments", 2_000), ("hostile", 290), ("kill", 1_000), ("asked", 200), ("counters", 400),
    ("flood", 2), ("crowd", 3), ("full", 20), ("fsync", 3),
    ("cut", 40),
  ]
  private static let minutesMax = 10

  func run() throws {
    var hasFailed = false
    for (command, count) in Self.selection {
      let words = command.split(separator: " ").map(String.init)
      var arguments = words + ["--seed", "\(seed)", "--minutes", "\(Self.minutesMax)"]
      if let count { arguments += ["--count", "\(count)"] }
      if ["kill", "asked", "counters", "flood", "crowd", "full", "fsync", "cut"].contains(words[0])
      {
        arguments += ["--daemon", daemon.daemon]
      }
      var parsed = try Torture.parseAsRoot(arguments)
      do { try parsed.run() } catch is ExitCode { hasFailed = true }
    }
    if hasFailed { throw ExitCode(1) }
  }
}
