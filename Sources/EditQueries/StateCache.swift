import EditLog
import EditModel
import Replay
import Synchronization
import TextState

/// Keeps the state of the last answer that was sent in parts, so that the next part needs no
/// replay. One state, for a few seconds: it may be large.
final class StateCache: Sendable {
  /// Which state it is. Numbers of documents are never used again, and the log only grows.
  struct Key: Hashable {
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

  private struct Kept {
    var key: Key
    var state: TextState
    var generation: UInt64
  }

  private struct Contents {
    var kept: Kept?
    var generation: UInt64 = 0
  }

  private static let duration = Duration.seconds(5)
  private let contents = Mutex(Contents())

  /// Removes and returns the state, if it is kept.
  func take(_ key: Key) -> TextState? {
    contents.withLock { contents in
      guard contents.kept?.key == key else { return nil }
      return contents.kept.take()?.state
    }
  }

  /// Keeps a state instead of the one before.
  func put(_ state: TextState, _ key: Key) {
    let generation = contents.withLock { contents in
      contents.generation += 1
      contents.kept = Kept(key: key, state: state, generation: contents.generation)
      return contents.generation
    }
    Task { [weak self] in
      try? await Task.sleep(for: Self.duration)
      self?.drop(generation)
    }
  }

  /// Drops the state.
  func drop() { contents.withLock { $0.kept = nil } }

  private func drop(_ generation: UInt64) {
    contents.withLock { contents in
      if contents.kept?.generation == generation { contents.kept = nil }
    }
  }
}
