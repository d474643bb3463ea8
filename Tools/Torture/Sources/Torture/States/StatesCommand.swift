import ArgumentParser

/// Crash states by enumeration.
struct StatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "states",
    abstract: "Stops the machine at every operation, with every way unsynced changes can end.",
    discussion: """
      Each state of the disk is recovered twice, appended to, and recovered again. What was \
      acknowledged is there once and in order; what else is there is what was submitted next.
      """)

  @OptionGroup var options: RunOptions

  @Option(help: "2: stops recovery as well, and recovers from that.")
  var depth = 1

  func validate() throws {
    guard (1...2).contains(depth) else { throw ValidationError("--depth is 1 or 2") }
  }

  func run() throws {
    let depth = depth
    let seen = DigestSet()
    let campaign = Campaign(
      "states", options, defaultCount: 50_000, arguments: depth == 1 ? "" : " --depth \(depth)")
    try campaign.run { seed, worker in
      var states = StateEnumeration(seed: seed, depth: depth, seen: seen, worker)
      try states.run()
    }
  }
}
