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
/// for the next part. It keeps one value for 5 seconds, because the value may be large. A question
/// that began before `drop(before:)` neither gets a value nor puts one.
final class PartCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Kept {
    var key: Key
    var value: Value
    /// Its number among the values that were put.
    var number: UInt64
  }

  private struct Contents {
    var kept: Kept?
    var count: UInt64 = 0
    /// The oldest generation whose values are kept.
    var generation: UInt64 = 0
  }

  /// The time for which a value is kept.
  private static var duration: Duration { .seconds(5) }

  private let contents = Mutex(Contents())
  private let timer: QueryTimer

  init(_ timer: @escaping QueryTimer) { self.timer = timer }

  /// Removes and returns the value, for a question of `generation`. Nil if there is none for this key.
  func take(_ key: Key, _ generation: UInt64) -> Value? {
    contents.withLock { contents in
      guard generation >= contents.generation, contents.kept?.key == key else { return nil }
      return contents.kept.take()?.value
    }
  }

  /// Replaces the cached value by one that a question of `generation` made.
  func put(_ value: Value, _ key: Key, _ generation: UInt64) {
    let number = contents.withLock { contents -> UInt64? in
      guard generation >= contents.generation else { return nil }
      contents.count += 1
      contents.kept = Kept(key: key, value: value, number: contents.count)
      return contents.count
    }
    guard let number else { return }
    timer(Self.duration) { [weak self] in self?.drop(number) }
  }

  /// Drops the value, and keeps none of generations before `generation`.
  func drop(before generation: UInt64) {
    contents.withLock { contents in
      contents.kept = nil
      contents.generation = max(contents.generation, generation)
    }
  }

  private func drop(_ number: UInt64) {
    contents.withLock { contents in
      if contents.kept?.number == number { contents.kept = nil }
    }
  }
}
