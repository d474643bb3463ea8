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
  private let isDone = Atomic<Bool>(false)
  private let failure = Mutex<String?>(nil)
  private static let readingCount = 60

  init(seed: UInt64) throws {
    folder = TemporaryFolder(in: scratchPlace)
    path = folder.path("store")
    workload = Workload(seed: seed)
    _ = try Self.writer(path)
  }

  private static func writer(_ path: String) throws -> StoreWriter {
    try StoreWriter(at: path, random: SeededBytes(seed: 1), options: .small)
  }

  func run(_ worker: Worker) throws {
    let writing = Threads(count: 1) { _ in self.write() }
    var before: [DocumentID: Int] = [:]
    for number in 1...Self.readingCount where !worker.campaign.isOver {
      do {
        before = try read(before, verifies: number % 10 == 0)
      } catch let failure as StateCheck.Failure {
        worker.found(failure.what, failure.detail)
      } catch {
        worker.found("a reading failed", "\(error)")
      }
      worker.campaign.note()
    }
    isDone.store(true, ordering: .relaxed)
    writing.wait {}
    if let failure = failure.withLock({ $0 }) { worker.found("the writer failed", failure) }
  }

  /// Opens the store again and again, so that recovery is read too.
  private func write() {
    do {
      while !isDone.load(ordering: .relaxed) {
        let writer = try Self.writer(path)
        for _ in 0..<40 where !isDone.load(ordering: .relaxed) { try workload.step(writer) }
        if Bool.random() { try writer.close() }
        workload.dropJobs()
      }
    } catch { failure.withLock { $0 = "\(error)" } }
  }

  private func read(
    _ before: [DocumentID: Int], verifies: Bool
  ) throws -> [DocumentID: Int] {
    let acknowledged = workload.oracle.acknowledged
    let store = try Store.open(at: path)
    guard store.damages.isEmpty else {
      throw StateCheck.Failure(what: "a false alarm", detail: "\(store.damages)")
    }
    var counts: [DocumentID: Int] = [:]
    for document in workload.documents {
      let history = try store.history(of: document)
      let found = try entries(history)
      counts[document] = found.count
      let least = max(before[document] ?? 0, acknowledged[document] ?? 0)
      guard found.count >= least, history?.damage.isEmpty ?? true else {
        throw StateCheck.Failure(
          what: "a reading lacks what was acknowledged",
          detail: "\(found.count) of \(least) entries of \(document)")
      }
      // Asked afterwards: it was submitted before it was written.
      guard workload.oracle.histories[document, default: []].starts(with: found) else {
        throw StateCheck.Failure(what: "wrong entries", detail: "\(document)")
      }
    }
    if verifies, case let problems = try store.verify().problems, !problems.isEmpty {
      throw StateCheck.Failure(what: "a false alarm", detail: "\(problems)")
    }
    return counts
  }
}
