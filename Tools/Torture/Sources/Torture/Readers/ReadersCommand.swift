import ArgumentParser

/// Readers of a store that is being written.
struct ReadersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Reads and verifies a store while a writer appends, rolls and seals.",
    discussion: """
      Each reading succeeds, gives an exact prefix of what was submitted that holds all that was \
      acknowledged before it began, and never less than the previous one; a verification finds \
      nothing. Case 0 of each seed reads real files while another thread writes them, in /dev/shm, \
      or in TMPDIR if that is set. The other cases use a simulated disk: the writer works between \
      the reader's operations at random moments, and a case repeats exactly.
      """)

  @OptionGroup var options: RunOptions

  /// Simulated cases per seed.
  private static let interleavedCount = 40

  func run() throws {
    let campaign = Campaign("readers", options, defaultCount: 3_300)
    try campaign.run { seed, worker in
      if worker.wants(0) {
        worker.begin(0)
        try LiveStore(seed: seed).run(worker)
      }
      for number in 1...Self.interleavedCount where worker.wants(number) {
        worker.begin(number)
        try InterleavedStore(seed: seed &* 1_000 &+ UInt64(number)).run(worker)
      }
    }
  }
}
