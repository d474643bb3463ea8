import ArgumentParser

/// Copies of a store that is being written.
struct CopiesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copies",
    abstract: "Backs up a store, again and again, while a writer appends, seals and forgets.",
    discussion: """
      Each copy opens as a store, a verification finds nothing, and it has an exact prefix of what \
      was submitted with all that was acknowledged before the run began: entries, attachments, \
      and nothing of a document that was forgotten. A machine that stops during a run leaves what \
      the run before copied, and the next run completes it. Case 0 of each seed copies real files \
      while another thread writes them. The other cases use a simulated disk: the writer works \
      between the operations of the run at random moments, and a case repeats exactly.
      """)

  @OptionGroup var options: RunOptions

  /// Simulated cases per seed.
  private static let interleavedCount = 40

  func run() throws {
    let campaign = Campaign("copies", options, defaultCount: 1_000)
    try campaign.run { seed, worker in
      if worker.wants(0) {
        worker.begin(0)
        try LiveCopies(seed: seed).run(worker)
      }
      for number in 1...Self.interleavedCount where worker.wants(number) {
        worker.begin(number)
        try InterleavedCopies(seed: seed &* 1_000 &+ UInt64(number)).run(worker)
      }
    }
  }
}
