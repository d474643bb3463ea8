import ArgumentParser
import Synchronization
import TestSupport

/// Files that are not there, or not what they were.
struct MissingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "missing",
    abstract: "Takes files and folders away, cuts them, puts older copies and neighbours in place.",
    discussion: """
      One or two files or folders of a store, at some moment of its life, before a start, an \
      append, a sealing, a stop or a reading. Every reading path then shows the whole text, or \
      says what is lost; so it does after more starts and stops, until the loss is accepted, and \
      then it stays listed. Nothing is appended after a gap, and no number is given twice.
      """)

  @OptionGroup var options: RunOptions

  /// Cases of one store.
  private static let casesOfStore = 250

  func run() throws {
    let campaign = Campaign("missing", options, defaultCount: 1_000_000)
    try campaign.run { seed, worker in
      let store = try MissingStore(seed: seed)
      let moments = store.moments.indices.filter { store.moments[$0].mayBeHit }
      for number in moments {
        do { try MissingCase.checkSound(store, moment: number) } catch let failure
          as StateCheck.Failure
        {
          worker.found(failure.what, failure.detail)
        }
      }
      for number in 0..<Self.casesOfStore where worker.wants(number) {
        worker.begin(number)
        Self.run(number, store, moments[number % moments.count], worker)
        worker.end()
      }
    }
  }

  private static func run(
    _ number: Int, _ store: MissingStore, _ moment: Int, _ worker: Worker
  ) {
    var one = MissingCase(
      store, moment: moment, seed: worker.seed &* 1_000_003 &+ UInt64(number))
    do { try one.run() } catch let failure as StateCheck.Failure {
      worker.found(failure.what, failure.detail)
    } catch { worker.found("an error", "\(error); \(one.context)") }
    worker.checkTime(5)
    guard one.count > 0 else { return worker.campaign.skip("nothing to damage") }
    worker.campaign.note()
  }
}
