import EditLog
import EditModel
import Replay
import Synchronization

/// Identifies a version of a history. Numbers of documents are never reused, and the log only
/// grows.
struct VersionKey: Hashable {
  /// The document's number in the store.
  var document: UInt64
  /// The version.
  var sequence: SequenceNumber
  /// True if the chain's links were checked.
  var isVerified: Bool

  /// The key of a version of a history.
  init(_ sequence: SequenceNumber, _ replay: Replay) {
    (document, self.sequence) = (replay.history.number, sequence)
    isVerified = replay.isVerified
  }
}

/// Caches the value from which the last answer in parts was made, so that it is not computed again
/// for the next part. It keeps one value for 5 seconds, because the value may be large.
final class PartCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Kept {
    var key: Key
    var value: Value
    var generation: UInt64
  }

  private struct Contents {
    var kept: Kept?
    var generation: UInt64 = 0
  }

  /// The time for which a value is kept.
  private static var duration: Duration { .seconds(5) }

  private let contents = Mutex(Contents())
  private let timer: QueryTimer

  init(_ timer: @escaping QueryTimer) { self.timer = timer }

  /// Removes and returns the value. Nil if there is none for this key.
  func take(_ key: Key) -> Value? {
    contents.withLock { contents in
      guard contents.kept?.key == key else { return nil }
      return contents.kept.take()?.value
    }
  }

  /// Replaces the cached value.
  func put(_ value: Value, _ key: Key) {
    let generation = contents.withLock { contents in
      contents.generation += 1
      contents.kept = Kept(key: key, value: value, generation: contents.generation)
      return contents.generation
    }
    timer(Self.duration) { [weak self] in self?.drop(generation) }
  }

  func drop() { contents.withLock { $0.kept = nil } }

  private func drop(_ generation: UInt64) {
    contents.withLock { contents in
      if contents.kept?.generation == generation { contents.kept = nil }
    }
  }
}
