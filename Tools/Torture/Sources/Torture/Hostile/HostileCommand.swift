import ArgumentParser

/// Files that are not what they should be, on real file systems.
struct HostileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract:
      "Puts links, pipes, folders and files with wrong modes in the place of a store's own.",
    discussion: """
      Each is refused by a reader or a writer, nothing waits for a pipe, and what a link leads to \
      is what it was. Two writers of one store are not let in. The folder is in /dev/shm, or in \
      TMPDIR where that is set.
      """)

  @OptionGroup var options: RunOptions

  func run() throws {
    let campaign = Campaign("hostile", options, defaultCount: HostileStore.caseCount)
    try campaign.run(threads: 1) { seed, worker in
      for number in 0..<HostileStore.caseCount {
        guard worker.wants(number) else {
          if campaign.isOver { return }
          continue
        }
        worker.begin(number)
        do { try HostileStore(seed: seed).run(number) } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        }
        worker.end()
        campaign.note()
      }
    }
  }
}
