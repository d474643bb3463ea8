import EditLog
import EditModel
import Glibc
import Synchronization
import TestSupport

/// A writer in one thread and copies in another, on real files.
final class LiveCopies: Sendable {
  private let folder: TemporaryFolder
  private let workload: Workload
  private let doomed = DoomedDocuments()
  private let options: StoreWriter.Options
  private let isDone = Atomic<Bool>(false)
  private let failure = Mutex<String?>(nil)
  private static let copyCount = 12

  private var path: String { folder.path("store") }

  init(seed: UInt64) throws {
    folder = TemporaryFolder(in: scratchPlace)
    workload = Workload(seed: seed)
    options = .small(seed: seed)
    _ = try writer()
  }

  private func writer() throws -> StoreWriter {
    try StoreWriter(at: path, random: SeededBytes(seed: 1), options: options)
  }

  func run(_ worker: Worker) {
    let writing = Threads(count: 1) { _ in self.write() }
    for _ in 1...Self.copyCount where !worker.campaign.isOver {
      worker.check {
        let check = CopyCheck(workload, doomed)
        _ = try StoreBackup(of: path, to: folder.path("backup")).run()
        try check.check(try Store.open(at: folder.path("backup")))
      }
    }
    isDone.store(true, ordering: .relaxed)
    writing.wait {}
    if let failure = failure.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  /// Opens the store again and again, so that recovery is copied too.
  private func write() {
    var random = SplitMix64(seed: 5)
    do {
      while !isDone.load(ordering: .relaxed) {
        let writer = try writer()
        for number in 0..<40 where !isDone.load(ordering: .relaxed) {
          try workload.step(writer)
          if number % 10 == 9 {
            try workload.finishJobs(writer)
            try doomed.step(writer, random.next())
          }
        }
        if Bool.random() { try writer.close() }
        workload.dropJobs()
      }
    } catch { failure.withLock { $0 = "\(error)" } }
  }
}
