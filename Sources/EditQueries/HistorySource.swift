package import EditLog
package import EditModel
package import EditProtocol
import Replay
package import TextState

/// Where queries read: a store's files, or a daemon that holds the newest versions in memory.
package protocol HistorySource: Sendable {
  /// What the store holds; the footers of all segments are read if it has at most `countMax`
  /// documents.
  func documents(openingUpTo countMax: Int) async throws(ProtocolError) -> [DocumentSummary]
  /// The history of a document up to now, nil where there is no such document.
  func history(of document: DocumentID) async throws(ProtocolError) -> History?
  /// How the store is, besides its documents.
  func status() async throws(ProtocolError) -> StoreStatus
  /// What is lost of documents that are not known; asked with every question about one.
  func losses() async throws(ProtocolError) -> [StoreLoss]
  /// What a check of every byte finds, up to now.
  func verify() async throws(ProtocolError) -> VerificationReport
  /// What the store takes, by document and kind.
  func usage() async throws(ProtocolError) -> StoreUsage
  /// What can be mended, and what opening the store for writing would do by itself.
  func repairPlan() async throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep])
  /// The store's folder.
  var path: String { get }
  /// The newest version, if it is in memory.
  func newestState(of document: DocumentID) async -> TextState?
  /// The daemon whose histories these are, if one runs.
  func daemonStatus() async -> DaemonStatus?
}

/// The files of a store, read without the daemon and without locks.
package struct StoreFiles: HistorySource {
  private let store: Store
  /// The store's folder.
  package let path: String

  /// The store in the folder at `path`.
  package init(at path: String) throws(ProtocolError) {
    self.path = path
    do { store = try Store.open(at: path) } catch { throw ProtocolError(error) }
  }

  /// What the store holds.
  package func documents(
    openingUpTo countMax: Int = 0
  ) throws(ProtocolError) -> [DocumentSummary] {
    do { return try store.documents(openingUpTo: countMax) } catch { throw ProtocolError(error) }
  }

  /// The history of a document up to now.
  package func history(of document: DocumentID) throws(ProtocolError) -> History? {
    do { return try store.history(of: document) } catch { throw ProtocolError(error) }
  }

  /// How the store is.
  package func status() throws(ProtocolError) -> StoreStatus {
    do { return try store.status() } catch { throw ProtocolError(error) }
  }

  /// What is lost of documents that are not known.
  package func losses() throws(ProtocolError) -> [StoreLoss] {
    do { return try store.losses() } catch { throw ProtocolError(error) }
  }

  /// What a check of every byte finds.
  package func verify() throws(ProtocolError) -> VerificationReport {
    do { return try store.verify(CheckpointComparison()) } catch { throw ProtocolError(error) }
  }

  /// What the store takes.
  package func usage() throws(ProtocolError) -> StoreUsage {
    do { return try store.usage() } catch { throw ProtocolError(error) }
  }

  /// What can be mended, and what opening the store for writing would do by itself.
  package func repairPlan() throws(ProtocolError) -> (repairs: [Repair], steps: [RecoveryStep]) {
    do { return (try store.repairs(CheckpointComparison()), store.recoverySteps()) } catch {
      throw ProtocolError(error)
    }
  }

  /// Nil: files hold no state in memory.
  package func newestState(of document: DocumentID) -> TextState? { nil }

  /// Nil: no daemon is asked.
  package func daemonStatus() -> DaemonStatus? { nil }
}
