import ArgumentParser
import Synchronization
import TestSupport

/// Files written by a program that knows the format and means harm.
struct ForgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forge",
    abstract: "Forges parts of a store with right checksums; checks and kept heads must tell.",
    discussion: """
      Sections, blocks, checkpoints, the durable mark, names, batches, folders: each is changed, \
      or taken from another life of the store, an older copy or another document. With a kept \
      head, `verify --head` finds each change at or before it; verified reading gives what was \
      acknowledged or an error; the daemon, once it has checked, too. Without a head, what the \
      article Threats says is found, is. --only takes the targets whose name begins so.
      """)

  @OptionGroup var options: RunOptions

  @Option(help: "Only targets whose name begins so.")
  var only: String?

  /// Forgeries of one store.
  private static let casesOfStore = 200
  /// Of one with links of the hash chain, which takes longer; one store in sixteen.
  private static let casesOfLongStore = 12

  func run() throws {
    let targets = ForgeTarget.all.filter { $0.name.hasPrefix(only ?? "") }
    guard !targets.isEmpty else {
      throw ValidationError("no target is named so: \(ForgeTarget.all.map(\.name))")
    }
    let campaign = Campaign(
      "forge", options, defaultCount: 100_000, arguments: only.map { " --only \($0)" } ?? "")
    let ways = Mutex<[String: Int]>([:])
    try campaign.run(
      { seed, worker in
        let isLong = seed % 16 == 3
        let store = try ForgeStore(seed: seed, isLong: isLong)
        do { try ForgeVerdict.checkSound(store) } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        }
        for number in 0..<(isLong ? Self.casesOfLongStore : Self.casesOfStore)
        where worker.wants(number) {
          worker.begin(number)
          // Long stores do not always meet the same targets.
          let target = targets[(number + Int(seed % 1_009) * 13) % targets.count]
          let way = Self.run(target, number, store, worker)
          worker.end()
          if let way { ways.withLock { $0[way, default: 0] += 1 } }
        }
      },
      atEnd: {
        for (way, count) in ways.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
          campaign.add("\(count) \(way)")
        }
      })
  }

  /// One forgery; how it was found, nil if the store has nothing of the kind.
  private static func run(
    _ target: ForgeTarget, _ number: Int, _ store: ForgeStore, _ worker: Worker
  ) -> String? {
    var random = SplitMix64(seed: worker.seed &* 1_000_003 &+ UInt64(number))
    guard let forgery = target.forge(store, &random) else {
      worker.campaign.skip("a store has no \(target.name)")
      return nil
    }
    worker.campaign.note()
    guard forgery.files.contains(where: { store.files[$0] != $1 }) else { return "not a change" }
    let disk = SimulatedFileSystem(store.snapshot)
    forgery.apply(to: disk)
    var verdict = ForgeVerdict(store, forgery)
    do { try verdict.check(disk, daemon: number % 4 == 0) } catch let failure as StateCheck.Failure
    {
      worker.found(failure.what, "\(target.name): \(failure.detail)")
    } catch { worker.found("an error", "\(target.name): \(error)") }
    return verdict.how.rawValue
  }
}
