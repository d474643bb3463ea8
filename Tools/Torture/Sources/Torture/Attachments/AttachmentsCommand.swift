import ArgumentParser
import TestSupport

/// Attachments that are missing or changed.
struct AttachmentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments",
    abstract: "Takes acknowledged attachments away, cuts, empties, changes and exchanges them.",
    discussion: """
      Before a reading, a start, a sealing, a compaction, the forgetting of another document. Each \
      is named by `verify` until its loss is accepted, or the same bytes are attached again; it is \
      never given with other bytes; and nothing sound is named.
      """)

  @OptionGroup var options: RunOptions

  private static let casesOfStore = 100

  func run() throws {
    let campaign = Campaign("attachments", options, defaultCount: 20_000)
    try campaign.run { seed, worker in
      let store = try AttachmentStore(seed: seed)
      for number in 0..<Self.casesOfStore where worker.wants(number) {
        worker.begin(number)
        let one = AttachmentCase(store, seed: seed &* 1_000_003 &+ UInt64(number))
        do { try one.run() } catch let failure as StateCheck.Failure {
          worker.found(failure.what, "\(one): \(failure.detail)")
        } catch { worker.found("an error", "\(one): \(error)") }
        worker.end()
        campaign.note()
      }
    }
  }
}
