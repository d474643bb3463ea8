import ArgumentParser

/// Readers of a store that is being written.
struct ReadersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Reads and verifies real files while a writer appends, rolls and seals.",
    discussion: """
      Each reading succeeds, gives an exact prefix of what was submitted that holds all that was \
      acknowledged before it began, and never less than the one before. Every tenth reading is a \
      verification, which finds nothing. The folder is in /dev/shm, or in TMPDIR where that is \
      set.
      """)

  @OptionGroup var options: RunOptions

  func run() throws {
    let campaign = Campaign("readers", options, defaultCount: 3_300)
    try campaign.run { seed, worker in
      worker.begin(0)
      let live = try LiveStore(seed: seed)
      try live.run(worker)
    }
  }
}
