public import EditLog
public import EditModel
import TextState

/// Replays a history from its first edit, and compares each stored state with the replayed one. It
/// finds a checkpoint with valid checksums but another text.
public struct CheckpointComparison: CheckpointComparing {
  /// A comparison.
  public init() {}

  /// The checkpoints whose state differs from the replayed one. Nil if `shouldContinue` returned
  /// false.
  ///
  /// - Complexity: O(spans of the history + size of the checkpoints).
  public func differing(
    _ checkpoints: [SequenceNumber], in history: History,
    state stored: (SequenceNumber) throws(LogError) -> [UInt8]?, while shouldContinue: () -> Bool
  ) throws(LogError) -> [SequenceNumber]? {
    var state = TextState()
    var wrong: [SequenceNumber] = []
    for sequence in checkpoints {
      guard try Self.replay(history, &state, through: sequence, while: shouldContinue) else {
        return nil
      }
      if try !Self.isStored(state, as: stored(sequence)) { wrong.append(sequence) }
    }
    let isWhole = try Self.replay(
      history, &state, through: history.lastSequence, while: shouldContinue)
    return isWhole ? wrong : nil
  }

  private struct Stop: Error {}

  private static func replay(
    _ history: History, _ state: inout TextState, through last: SequenceNumber,
    while shouldContinue: () -> Bool
  ) throws(LogError) -> Bool {
    do {
      try history.forEachSpan(after: state.sequence, through: last) { span in
        guard shouldContinue() else { throw Stop() }
        try Replay.apply(span, to: &state)
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

  private static func isStored(_ state: TextState, as bytes: [UInt8]?) -> Bool {
    guard let bytes else { return false }
    // Another version may have encoded the same state in another way.
    return CheckpointCodec.encode(state) == bytes || (try? CheckpointCodec.decode(bytes)) == state
  }
}
