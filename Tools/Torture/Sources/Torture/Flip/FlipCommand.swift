import ArgumentParser
import Synchronization
import TestSupport

/// Bytes that change after they were written.
struct FlipCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flip",
    abstract: "Changes every bit and byte of a store's files; moves blocks, files and names.",
    discussion: """
      A reader then gets the same entries, or an error or a note that names the file. Where a \
      file is cut, emptied, or put back, and the rest does not show it, the last acknowledgement \
      has to. One bit takes no more than the batch it is in. One case in 64 is also recovered. Without a limit one store is gone through wholly; \
      with one, its cases come in an order that is spread over all of them.
      """)

  @OptionGroup var options: RunOptions

  @Option(help: "Bytes of the journal.")
  var tail = 64 << 10

  func run() throws {
    let tail = tail
    let shown = Atomic<Int>(0)
    let total = Damage.count(try DamagedStore(seed: options.seed, tailSize: tail))
    let campaign = Campaign(
      "flip", options, defaultCount: total, arguments: tail == 64 << 10 ? "" : " --tail \(tail)")
    let parts: UInt64 = campaign.options.onlyCase == nil ? 2 : 1
    try campaign.run(
      { unit, worker in
        // Two threads share a store: the even cases and the odd ones.
        let (number, part) = (unit - campaign.options.seed).quotientAndRemainder(dividingBy: parts)
        worker.seed = campaign.options.seed + number
        let store = try DamagedStore(seed: worker.seed, tailSize: tail)
        let (first, count) = (Damage.firstCount(store), Damage.count(store))
        let step = Self.step(for: count - first)
        for index in stride(from: Int(part), to: count, by: Int(parts)) {
          let position = max(index - first, 0).multipliedFullWidth(by: step)
          let spread = (count - first).dividingFullWidth(position).remainder
          let number = index < first ? index : first + spread
          if worker.wants(number) {
            try Self.run(number, store, worker, shown)
          } else if campaign.isOver {
            return
          }
        }
      },
      atEnd: {
        campaign.add("\(shown.load(ordering: .relaxed)) shown by the acknowledgement alone")
      })
  }

  private static func run(
    _ number: Int, _ store: DamagedStore, _ worker: Worker, _ shown: borrowing Atomic<Int>
  ) throws {
    let damage = Damage(number, store)
    let disk = SimulatedFileSystem(store.snapshot)
    var verdict = DamageVerdict(store, damage)
    worker.begin(number)
    damage.apply(to: disk, store)
    do {
      try verdict.read(disk)
      if number % 64 == 0 || number < Damage.firstCount(store) { try verdict.recover(disk) }
    } catch let failure as StateCheck.Failure {
      worker.found(failure.what, failure.detail)
    }
    worker.checkTime(1)
    worker.end()
    if verdict.isShownByHead { shown.add(1, ordering: .relaxed) }
    worker.campaign.note()
  }

  /// A step that has no factor in common with `count`, about 0.618 of it.
  private static func step(for count: Int) -> Int {
    var step = max(1, Int(Double(count) * 0.618))
    while greatestCommonDivisor(step, count) != 1 { step += 1 }
    return step
  }

  private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
    right == 0 ? left : greatestCommonDivisor(right, left % right)
  }
}
