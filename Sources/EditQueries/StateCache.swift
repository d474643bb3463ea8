import EditLog
import EditModel
import Replay
import Synchronization
import TextState

/// The states that are kept of the documents that are asked about, so that the next question about
/// any version of them replays only a few edits.
///
/// States of two documents are kept, those asked about last, in at most 32 MiB of memory together,
/// and with them the decoded blocks of their histories, in half as much. All are dropped when nothing was
/// asked for 10 seconds.
///
/// A question that began before `drop` may read the history as it was before. It gets states of its
/// own, which are not kept.
final class StateCache: Sendable {
  private struct Known {
    /// The document's number in the store. It is never reused.
    var document: UInt64
    var states: KeptStates
  }

  private struct Contents {
    /// The one used last is the last.
    var known: [Known] = []
    /// The number of questions so far.
    var useCount: UInt64 = 0
    var hasTimer = false
    /// The oldest generation whose states are kept.
    var generation: UInt64 = 0
  }

  private static let (countMax, sizeMax) = (2, 16 << 20)
  /// The time without questions after which states are dropped.
  private static var duration: Duration { .seconds(10) }

  private let contents = Mutex(Contents())
  private let timer: QueryTimer

  init(_ timer: @escaping QueryTimer) { self.timer = timer }

  /// The states of the history of `replay`, which a question of `generation` opened.
  func states(of replay: Replay, _ generation: UInt64) -> KeptStates {
    let number = replay.history.number
    let (states, needsTimer, useCount) = contents.withLock { contents in
      guard generation >= contents.generation else {
        return (KeptStates(sizeMax: Self.sizeMax), false, contents.useCount)
      }
      let index = contents.known.firstIndex { $0.document == number }
      let known =
        index.map { contents.known.remove(at: $0) }
        ?? Known(document: number, states: KeptStates(sizeMax: Self.sizeMax))
      contents.known.append(known)
      if contents.known.count > Self.countMax { contents.known.removeFirst() }
      contents.useCount += 1
      defer { contents.hasTimer = true }
      return (known.states, !contents.hasTimer, contents.useCount)
    }
    if needsTimer { wait(useCount) }
    return states
  }

  /// Drops all states, and keeps none of generations before `generation`.
  func drop(before generation: UInt64) {
    contents.withLock { contents in
      contents.known = []
      contents.generation = max(contents.generation, generation)
    }
  }

  /// Drops all states if nothing was asked for a while after the question `useCount`.
  private func wait(_ useCount: UInt64) {
    timer(Self.duration) { [weak self] in
      guard let self else { return }
      let later = contents.withLock { contents -> UInt64? in
        guard contents.useCount == useCount else { return contents.useCount }
        (contents.known, contents.hasTimer) = ([], false)
        return nil
      }
      if let later { wait(later) }
    }
  }
}
