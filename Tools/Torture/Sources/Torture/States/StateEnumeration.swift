import EditLog
import EditModel
import TestSupport

/// All states a crash can leave of one recorded run.
struct StateEnumeration {
  private let seed: UInt64
  private let depth: Int
  private let seen: DigestSet
  private let worker: Worker
  private var random: SplitMix64
  private var number = 0
  /// States with what is expected of them, of this run.
  private var checked: Set<UInt64> = []

  init(seed: UInt64, depth: Int, seen: DigestSet, _ worker: Worker) {
    (self.seed, self.depth, self.seen, self.worker) = (seed, depth, seen, worker)
    random = SplitMix64(seed: seed)
  }

  mutating func run() throws {
    let recording = try Recording(seed: seed)
    for moment in recording.moments {
      let pending = moment.snapshot.pending
      for losses in CrashLosses.all(of: pending, seed: random.next()) {
        let crashed = SimulatedFileSystem.crash(moment.snapshot, .each(losses)).snapshot
        if depth == 1 { try check(crashed, moment) } else { try stopRecovery(of: crashed, moment) }
        if worker.campaign.isOver { return }
      }
    }
  }

  private mutating func check(
    _ snapshot: SimulatedFileSystem.Snapshot, _ moment: Recording.Moment
  ) throws {
    number += 1
    let digest = snapshot.digest
    guard checked.insert(digest &+ UInt64(moment.generation) &* 0x9E37_79B9).inserted,
      worker.wants(number)
    else { return }
    worker.begin(number)
    do {
      try StateCheck(expected: moment.expected).check(snapshot)
    } catch let failure as StateCheck.Failure {
      worker.found(failure.what, "before \(moment.operation): \(failure.detail)")
    } catch {
      worker.found("refused", "before \(moment.operation): \(error)")
    }
    worker.end()
    worker.campaign.note(ran: 1, distinct: seen.insert(digest) ? 1 : 0)
  }

  /// Recovers a state, and takes each operation of that for a moment of its own. One state in
  /// four, so that a run reaches many first states.
  private mutating func stopRecovery(
    of snapshot: SimulatedFileSystem.Snapshot, _ moment: Recording.Moment
  ) throws {
    let isChosen = random.next() % 4 == 0
    guard checked.insert(snapshot.digest &+ 1).inserted, isChosen else { return }
    for second in try Recording.recovery(of: snapshot, moment) {
      for losses in CrashLosses.few(of: second.snapshot.pending, seed: random.next()) {
        let crashed = SimulatedFileSystem.crash(second.snapshot, .each(losses)).snapshot
        try check(crashed, second)
        if worker.campaign.isOver { return }
      }
    }
  }
}
