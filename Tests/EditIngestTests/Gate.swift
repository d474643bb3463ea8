import DaemonTestSupport
import EditLog
import Glibc
import NIOPosix
import Synchronization
import TestSupport

@testable import EditIngest

/// False until it is set.
final class Flag: Sendable {
  private let value = Mutex(false)
  func set() { value.withLock { $0 = true } }
  var isSet: Bool { value.withLock(\.self) }
}

/// Makes a file system on which some operations wait until the gate is opened: by default the writes
/// of jobs.
final class Gate: Sendable {
  private struct State {
    var isOpen = true
    var journalSyncs = 0
    var arrivals = 0
  }
  private let state = Mutex(State())
  private let operationName: String

  /// A gate for operations of this name on files of documents. Operations on the ingest loop do not
  /// wait.
  init(for operationName: String = "write") { self.operationName = operationName }

  func disk(on base: any FileSystem) -> FaultyFileSystem {
    FaultyFileSystem(base) { [self] operation in pass(operation) }
  }

  private func pass(_ operation: FaultyFileSystem.Operation) {
    state.withLock { state in
      if operation.path.contains("/journal/"), operation.name == "sync" {
        state.journalSyncs += 1
      }
    }
    guard operation.path.contains("/documents/"), operation.name == operationName,
      MultiThreadedEventLoopGroup.currentEventLoop == nil
    else { return }
    state.withLock { $0.arrivals += 1 }
    while !state.withLock({ $0.isOpen }) { usleep(1_000) }
  }

  /// Keeps the loop of an ingest busy until the gate is opened.
  func hold(_ ingest: Ingest) {
    ingest.later { _ in while !self.state.withLock({ $0.isOpen }) { usleep(1_000) } }
  }

  func close() { state.withLock { $0.isOpen = false } }
  func open() { state.withLock { $0.isOpen = true } }
  var journalSyncs: Int { state.withLock { $0.journalSyncs } }
  var arrivals: Int { state.withLock { $0.arrivals } }
}
