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

/// Identifies the value from which the parts of an answer are made.
enum PartKey: Hashable {
  case state(VersionKey)
  case lives(VersionKey)
  case diff(DiffParts.Key)
  case blame(BlameKey)
  case fates(BlameKey)
  case matches(FoundMatches.Key)
}

/// Caches the values from which the last answers in parts were made, so that they are not computed again
/// for the next part.
///
/// It keeps the 8 newest values, each for 5 seconds, because a value may be large. With a value it keeps the
/// memory that was taken for its answer, which is given back without the lock. A question that began before
/// `drop(before:)` neither gets a value nor puts one.
final class PartCache: Sendable {
  private struct Kept {
    var key: PartKey
    var value: any Sendable
    var document: DocumentID
    /// Nil if the memory was given back, because a question about the document needs it.
    var memory: AnswerMemory?
    /// Its number among the values that were put.
    var number: UInt64
  }

  private struct Contents {
    /// By ascending number.
    var kept: [Kept] = []
    var count: UInt64 = 0
    /// The oldest generation whose values are kept.
    var generation: UInt64 = 0
  }

  private static let countMax: UInt64 = 8
  /// The time for which a value is kept.
  private static var duration: Duration { .seconds(5) }

  private let contents = Mutex(Contents())
  private let timer: QueryTimer

  init(_ timer: @escaping QueryTimer) { self.timer = timer }

  /// Removes and returns the value, for a question of `generation`. Nil if there is none for this key.
  func take<Value: Sendable>(_ key: PartKey, _ generation: UInt64) -> Value? {
    contents.withLock { contents in
      guard generation >= contents.generation else { return nil }
      guard let index = contents.kept.firstIndex(where: { $0.key == key }) else {
        // The memory was given back for another value than is wanted.
        contents.kept.removeAll { $0.memory == nil }
        return nil
      }
      return contents.kept.remove(at: index).value as? Value
    }
  }

  /// Keeps a value that a question of `generation` about `document` made, with the memory that was taken
  /// for it.
  func put(
    _ value: some Sendable, _ key: PartKey, of document: DocumentID, _ memory: AnswerMemory,
    _ generation: UInt64
  ) {
    let number = contents.withLock { contents -> UInt64? in
      guard generation >= contents.generation else { return nil }
      contents.count += 1
      contents.kept.append(
        Kept(
          key: key, value: value, document: document, memory: memory, number: contents.count))
      return contents.count
    }
    guard let number else { return }
    drop { $0.key == key && $0.number < number || $0.number + Self.countMax <= number }
    timer(Self.duration) { [weak self] in self?.drop { $0.number == number } }
  }

  /// Gives memory back for other work: drops all values but the newest of `document`. A question about
  /// that document has taken the memory for it as well.
  func makeRoom(for document: DocumentID?) {
    // Memory is given back without the lock.
    _ = contents.withLock { contents in
      let dropped = contents.kept
      contents.kept = []
      if var spared = dropped.last(where: { $0.document == document }) {
        spared.memory = nil
        contents.kept = [spared]
      }
      return dropped
    }
  }

  /// Drops all values, and keeps none of generations before `generation`.
  func drop(before generation: UInt64) {
    contents.withLock { $0.generation = max($0.generation, generation) }
    drop { _ in true }
  }

  private func drop(where isDropped: (Kept) -> Bool) {
    _ = contents.withLock { contents in
      let dropped = contents.kept.filter(isDropped)
      contents.kept.removeAll(where: isDropped)
      return dropped
    }
  }
}
