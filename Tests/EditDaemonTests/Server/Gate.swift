import EditLog
import Glibc
import Synchronization
import TestSupport

/// A file system on which the writes of jobs wait until the gate is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = true
    var journalSyncs = 0
    var jobWrites = 0
  }
  private let state = Mutex(State())

  func disk(on base: any FileSystem) -> FaultyFileSystem {
    FaultyFileSystem(base) { [self] operation in pass(operation) }
  }

  /// Only jobs write in the folders of documents.
  private func pass(_ operation: FaultyFileSystem.Operation) {
    state.withLock { state in
      if operation.path.contains("/journal/"), operation.name == "sync" {
        state.journalSyncs += 1
      }
    }
    guard operation.path.contains("/documents/"), operation.name == "write" else { return }
    state.withLock { $0.jobWrites += 1 }
    while !state.withLock({ $0.isOpen }) { usleep(1_000) }
  }

  func close() { state.withLock { $0.isOpen = false } }
  func open() { state.withLock { $0.isOpen = true } }
  var journalSyncs: Int { state.withLock { $0.journalSyncs } }
  var jobWrites: Int { state.withLock { $0.jobWrites } }
}
