import EditLog
import EditLogFormat
package import EditModel
import NIOConcurrencyHelpers
import Synchronization

/// Tells followers which documents have new entries, once the entries are durable.
package final class CommitFeed: Sendable {
  /// Entries of a document that became durable.
  package struct NewEntries: Sendable {
    package var id: DocumentID
    /// The edit before the first of them.
    package var before: SequenceNumber
    /// The number of events before the first edit of them.
    package var firstEventCount: Int
  }

  /// What became durable together.
  package struct Commit: Sendable {
    /// The documents with new entries.
    package var documents: [NewEntries] = []
    /// The new name of each renamed document, by its old name.
    package var newNames: [DocumentID: DocumentID] = [:]
    /// A document that was forgotten.
    package var forgotten: DocumentID?
  }

  /// Called on the ingest loop. Must not block.
  package typealias Follower = @Sendable (Commit) -> Void

  private let followers = NIOLockedValueBox<[Int: Follower]>([:])
  private let count = Atomic<Int>(0)
  private let lastKey = Atomic<Int>(0)

  init() {}

  /// Adds a follower. Returns the key to remove it.
  package func add(_ follower: @escaping Follower) -> Int {
    let key = lastKey.add(1, ordering: .relaxed).newValue
    followers.withLockedValue { $0[key] = follower }
    count.add(1, ordering: .relaxed)
    return key
  }

  package func remove(_ key: Int) {
    guard followers.withLockedValue({ $0.removeValue(forKey: key) }) != nil else { return }
    count.subtract(1, ordering: .relaxed)
  }

  /// Tells all followers. `commit` is not made if there are none.
  func tell(_ commit: @autoclosure () -> Commit) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    let commit = commit()
    for follower in followers.withLockedValue({ Array($0.values) }) { follower(commit) }
  }
}

extension CommitFeed.NewEntries {
  init(_ id: DocumentID, _ entries: EncodedEntries) {
    self.init(id: id, before: entries.before, firstEventCount: entries.firstEventCount)
  }

  init(_ id: DocumentID, _ entries: [HistoryEntry]) {
    self.init(
      id: id, before: entries.first?.before ?? 0,
      firstEventCount: entries.prefix { !$0.isEdit }.count)
  }
}
