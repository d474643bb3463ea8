import EditLog
import EditModel
import Synchronization
import TestSupport

/// A reader on a simulated disk, and a writer that works between the reader's operations at random
/// moments. A seed determines the whole case.
final class InterleavedStore: Sendable {
  private static let path = "/store"
  private let system = SimulatedFileSystem()
  private let workload: Workload
  private let seed: UInt64
  private let writer: Mutex<WriterBox?>
  private let schedule: Mutex<Schedule>
  private let failures = Mutex<[String]>([])

  /// The random schedule of the writer.
  private struct Schedule {
    private var random: SplitMix64
    /// The mean number of the reader's operations between two turns of the writer.
    private let interval: UInt64
    /// The most steps of the workload in one turn.
    private let stepCountMax: UInt64
    /// Turns left. The store stops growing after them, so the reader ends.
    private var turnsLeft = 40

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      interval = 4 << (random.next() % 5)
      stepCountMax = 2 << (random.next() % 4)
    }

    /// The turn before the next operation of the reader: how many steps, and whether the writer is
    /// killed and opened again first. Returns nil if there is none.
    mutating func next() -> (stepCount: Int, isKilled: Bool)? {
      guard turnsLeft > 0, random.next() % interval == 0 else { return nil }
      turnsLeft -= 1
      return (1 + Int(random.next() % stepCountMax), random.next() % 8 == 0)
    }
  }

  init(seed: UInt64) throws {
    self.seed = seed
    workload = Workload(seed: seed)
    writer = Mutex(WriterBox(try openWriter(system, seed: seed)))
    schedule = Mutex(Schedule(seed: seed))
  }

  func run(_ worker: Worker) {
    let watched = FaultyFileSystem(system) { _ in self.takeTurn() }
    var reading = StoreReading(Self.path, watched, workload)
    for _ in 0..<3 { worker.check { try reading.read(verifies: true) } }
    for failure in failures.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  private func takeTurn() {
    guard let turn = schedule.withLock({ $0.next() }) else { return }
    do {
      try writer.withLock { writer in
        if turn.isKilled {
          workload.dropJobs()
          writer = nil
          writer = WriterBox(try openWriter(system, seed: seed))
        }
        for _ in 0..<turn.stepCount { if let writer { try workload.step(writer.writer) } }
      }
    } catch { failures.withLock { $0.append("\(error)") } }
  }
}
