import EditLog
import Synchronization
import TestSupport

/// A reader on a simulated disk, and a writer that takes some steps at random moments between two
/// of its operations. A case is the same each time it is run.
final class InterleavedStore: Sendable {
  private static let path = "/store"
  private let system = SimulatedFileSystem()
  private let workload: Workload
  private let seed: UInt64
  private let writer: Mutex<WriterBox?>
  private let turns: Mutex<Turns>
  private let failures = Mutex<[String]>([])

  /// When the writer takes its next turn, and what it does then.
  private struct Turns {
    var random: SplitMix64
    /// One operation of the reader in so many is followed by a turn.
    let rarity: UInt64
    let stepCountMax: UInt64
    /// Few enough that the reader gets to the end of what grows before it.
    var left: Int

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      rarity = 4 << (random.next() % 5)
      stepCountMax = 2 << (random.next() % 4)
      left = 40
    }

    mutating func stepCount() -> Int {
      guard left > 0, random.next() % rarity == 0 else { return 0 }
      left -= 1
      return 1 + Int(random.next() % stepCountMax)
    }
  }

  init(seed: UInt64) throws {
    self.seed = seed
    workload = Workload(seed: seed)
    writer = Mutex(WriterBox(try openWriter(system, seed: seed)))
    turns = Mutex(Turns(seed: seed))
  }

  func run(_ worker: Worker) {
    let watched = FaultyFileSystem(system) { _ in self.act() }
    var reading = StoreReading(Self.path, watched, workload)
    for _ in 0..<3 { worker.check { try reading.read(verifies: true) } }
    for failure in failures.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  private func act() {
    let (count, isKilled) = turns.withLock { turns in
      (turns.stepCount(), turns.random.next() % 8 == 0)
    }
    guard count > 0 else { return }
    do {
      try writer.withLock { writer in
        if isKilled {
          workload.dropJobs()
          writer = nil
          writer = WriterBox(try openWriter(system, seed: seed))
        }
        for _ in 0..<count { if let writer { try workload.step(writer.writer) } }
      }
    } catch { failures.withLock { $0.append("\(error)") } }
  }
}
