import ArgumentParser
import TestSupport

/// The k-th operation fails, for each k.
struct SweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Lets the k-th operation fail, for each k, in each way, once and for ever.",
    discussion: """
      A failed flush loses the bytes it was to make durable. Nothing acknowledged is lost, \
      whether the process alone ends or the machine with it; nothing is acknowledged after a \
      failed flush; the errors are those the interface documents. A bit that changes while a \
      segment is written is noticed before the segment counts.
      """)

  @OptionGroup var options: RunOptions

  func run() throws {
    let campaign = Campaign("sweep", options, defaultCount: 20_000)
    try campaign.run { seed, worker in
      var number = 0
      for job in SweepJob.allCases {
        let operations = try SweepRun.operations(of: job, seed: seed)
        for fault in SweepFault.allCases {
          for forEver in fault.canBeForEver ? [false, true] : [false] {
            for (position, operation) in operations.enumerated() where fault.concerns(operation) {
              number += 1
              guard worker.wants(number) else {
                if campaign.isOver { return }
                continue
              }
              let run = SweepRun(
                seed: seed, job: job, fault: fault, forEver: forEver,
                position: position + 1, operation: operation)
              worker.begin(number)
              do { try run.run() } catch let failure as StateCheck.Failure {
                worker.found(failure.what, "\(run): \(failure.detail)")
              } catch {
                worker.found("refused", "\(run): \(error)")
              }
              worker.checkTime(2)
              worker.end()
              campaign.note()
            }
          }
        }
      }
    }
  }
}
