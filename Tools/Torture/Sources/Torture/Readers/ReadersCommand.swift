import ArgumentParser

/// Readers of a store that is being written.
struct ReadersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Reads and verifies real files while a writer appends, rolls and seals.",
    discussion: """
      Each reading succeeds, gives an exact prefix of what was submitted that holds all that was \
      acknowledged before it began, and never less than the one before; a verification finds \
      nothing. Case 0 of a seed reads real files beside a thread that writes, in /dev/shm, or in \
      TMPDIR if that is set. In the others, on a simulated disk, the writer takes steps at random \
      moments between two operations of the reader.
      """)

  @OptionGroup var options: RunOptions

  /// Simulated cases of each seed.
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
