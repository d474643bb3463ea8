public import EditLog
import EditLogFormat
public import EditModel
import Projections
import TextState

/// Replays a history from its first edit, and compares each stored state with the replayed one. It
/// finds a checkpoint with valid checksums but another text, and stored projections that say what the
/// edits do not.
public struct CheckpointComparison: CheckpointComparing {
  /// A comparison.
  public init() {}

  /// The checkpoints whose state differs from the replayed one. Nil if `shouldContinue` returned
  /// false. Of stored projections, those that the daemon stores are compared; if a checkpoint has none
  /// of them in this version, it is not used, and does not differ.
  ///
  /// - Complexity: O(spans of the history + size of the checkpoints); if projections are stored,
  ///   O(entries of the history) and their fold.
  public func differing(
    _ checkpoints: [CheckpointPlace], in history: History,
    state stored: (CheckpointPlace) throws(LogError) -> [UInt8]?, while shouldContinue: () -> Bool
  ) throws(LogError) -> [CheckpointPlace]? {
    let hasProjections = checkpoints.contains { $0.series == .projections }
    var replay = ComparedReplay(history, hasProjections ? ProjectionBuilder.builtIn : [])
    var wrong: [CheckpointPlace] = []
    for place in checkpoints {
      guard try replay.advance(through: place.sequence, while: shouldContinue) else { return nil }
      if try !replay.agrees(with: stored(place), in: place.series) { wrong.append(place) }
    }
    guard try replay.advance(through: history.lastSequence, while: shouldContinue) else {
      return nil
    }
    return wrong
  }
}

/// A replay of a history from its first edit, with projections if some are to be compared.
private struct ComparedReplay {
  private let history: History
  private let hasProjections: Bool
  private var runner: ProjectionRunner
  /// The version, if there are no projections: spans are faster than edits.
  private var state = TextState()

  init(_ history: History, _ projections: [any StoredProjection]) {
    (self.history, hasProjections) = (history, !projections.isEmpty)
    runner = ProjectionRunner(projections)
  }

  private struct Stop: Error {}

  /// Replays to the edit `last`, and not the events that follow it. Returns false if `shouldContinue`
  /// did.
  mutating func advance(
    through last: SequenceNumber, while shouldContinue: () -> Bool
  ) throws(LogError) -> Bool {
    do {
      if hasProjections {
        try fold(through: last, while: shouldContinue)
      } else {
        try history.forEachSpan(after: state.sequence, through: last) { span in
          guard shouldContinue() else { throw Stop() }
          try Replay.apply(span, to: &state)
        }
      }
      return true
    } catch is Stop {
      return false
    } catch {
      guard case .log(let cause) = ReplayError(reading: error) else {
        throw .damaged(
          file: history.path, offset: 0, what: "the edits do not fit together: \(error)")
      }
      throw cause
    }
  }

  private mutating func fold(
    through last: SequenceNumber, while shouldContinue: () -> Bool
  ) throws {
    let start = runner.state.sequence
    guard last > start else { return }
    for event in try history.events(after: start) { try runner.apply(event) }
    try history.forEachEntry(after: start, through: last) { entry in
      // Events at the start are applied above, those after `last` when the fold goes on.
      guard entry.isEdit || start < entry.place && entry.place < last else { return }
      guard !entry.isEdit || entry.place % 64 != 0 || shouldContinue() else { throw Stop() }
      try runner.apply(entry)
    }
  }

  /// True if these bytes are those of this version.
  func agrees(with bytes: [UInt8]?, in series: CheckpointSeries) -> Bool {
    guard let bytes else { return false }
    let state = hasProjections ? runner.state : state
    switch series {
    case .states:
      // Another version may have encoded the same state in another way.
      return CheckpointCodec.encode(state) == bytes
        || (try? CheckpointCodec.decode(bytes)) == state
    case .projections:
      guard let stored = try? StoredProjections(bytes), stored.sequence == state.sequence else {
        return false
      }
      return runner.projections.allSatisfy { projection in
        guard let projection = projection as? any StoredProjection,
          stored.has(type(of: projection))
        else { return true }
        return !stored.differs(from: projection)
      }
    }
  }
}
