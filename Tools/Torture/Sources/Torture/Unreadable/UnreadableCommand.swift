import ArgumentParser
import TestSupport

/// Files that cannot be opened or read for a moment.
struct UnreadableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unreadable",
    abstract: "Lets each file refuse to be opened, listed or read, with each errno, in each work.",
    discussion: """
      A start, an append, a sealing, an attachment, a checkpoint, a repair, an acceptance, a \
      forgetting and a reading, on a store with every kind of file and a loss that is known. Such \
      an error says nothing about bytes: nothing sound is replaced or removed, no loss is invented \
      or forgotten, and nothing is called damaged.
      """)

  @OptionGroup var options: RunOptions

  func run() throws {
    let campaign = Campaign("unreadable", options, defaultCount: 20_000)
    try campaign.run { seed, worker in
      let store = try UnreadableStore(seed: seed)
      var number = 0
      for work in UnreadableWork.allCases {
        let operations = try store.operations(of: work)
        for code in UnreadableRun.codes {
          for isForEver in [false, true] {
            for (position, operation) in operations.enumerated() {
              number += 1
              guard worker.wants(number) else {
                if campaign.isOver { return }
                continue
              }
              let run = UnreadableRun(
                store: store, work: work, code: code, isForEver: isForEver,
                first: position + 1, operation: operation)
              worker.begin(number)
              do { try run.run() } catch let failure as StateCheck.Failure {
                worker.found(failure.what, "\(run): \(failure.detail)")
              } catch { worker.found("an error", "\(run): \(error)") }
              worker.end()
              campaign.note()
            }
          }
        }
      }
    }
  }
}
