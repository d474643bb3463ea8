import EditLog
import EditModel
import Glibc
import Synchronization
import TestSupport

/// A writer in one thread and a reader in another, on real files.
final class LiveStore: Sendable {
  private let folder: TemporaryFolder
  private let path: String
  private let workload: Workload
  private let options: StoreWriter.Options
  private let isDone = Atomic<Bool>(false)
  private let failure = Mutex<String?>(nil)
  private static let readingCount = 60

  init(seed: UInt64) throws {
    folder = TemporaryFolder(in: scratchPlace)
    path = folder.path("store")
    workload = Workload(seed: seed)
    options = .small(seed: seed)
    _ = try writer()
  }

  private func writer() throws -> StoreWriter {
    try StoreWriter(at: path, random: SeededBytes(seed: 1), options: options)
  }

  func run(_ worker: Worker) {
    let writing = Threads(count: 1) { _ in self.write() }
    var reading = StoreReading(path, PosixFileSystem(), workload)
    for number in 1...Self.readingCount where !worker.campaign.isOver {
      worker.check { try reading.read(verifies: number % 10 == 0) }
    }
    isDone.store(true, ordering: .relaxed)
    writing.wait {}
    if let failure = failure.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  /// Opens the store again and again, so that recovery is read too.
  private func write() {
    do {
      while !isDone.load(ordering: .relaxed) {
        let writer = try writer()
        for _ in 0..<40 where !isDone.load(ordering: .relaxed) { try workload.step(writer) }
        if Bool.random() { try writer.close() }
        workload.dropJobs()
      }
    } catch { failure.withLock { $0 = "\(error)" } }
  }
}
