import ArgumentParser
import Synchronization

/// Clients, a server and a bad disk in one deterministic thread.
struct SimCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sim",
    abstract: "Simulates clients, a server, clocks and a disk that fails; counts crashes.",
    discussion: """
      Clients number their requests, lose acknowledgements, and send again. Each request is in \
      the history exactly once, in the order of its session. An older copy of the disk put back \
      confirms no later acknowledgement. One seed is one simulation; the same seed does the same.
      """)

  @OptionGroup var options: RunOptions

  @Flag(help: "Prints a hash of all that happened, the same for the same seeds.")
  var printHash = false

  func run() throws {
    let campaign = Campaign("sim", options, defaultCount: 100_000)
    // One simulation alone says what it does, on standard error.
    let tell: (@Sendable (String) -> Void)? =
      options.onlyCase == nil ? nil : { @Sendable line in writeAll(line + "\n", to: 2) }
    let total = Atomic<UInt64>(0)
    let kinds = Mutex<[String: Int]>([:])
    defer {
      if printHash {
        let digits = String(total.load(ordering: .relaxed), radix: 16)
        writeAll("trace hash \(digits)\n", to: 1)
      }
    }
    // A seed is run to its end, so that the same seeds are the same run.
    try campaign.run(
      { seed, worker in
        worker.begin(0)
        let simulation = Simulation(seed: seed, tell: tell)
        do { try simulation.run() } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        } catch {
          worker.found("refused", "\(error)")
        }
        campaign.note(ran: simulation.crashCount, distinct: simulation.crashCount)
        total.wrappingAdd(simulation.trace.hash, ordering: .relaxed)
        kinds.withLock { $0.merge(simulation.counts, uniquingKeysWith: +) }
      },
      atEnd: {
        let counts = kinds.withLock { $0 }.sorted { $0.key < $1.key }
        for (kind, count) in counts { campaign.add("\(count) \(kind)") }
      })
  }
}
