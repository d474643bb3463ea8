import EditLogFormat
public import EditModel

/// Compares stored states, which the log cannot read, with what the edits give. The layer above
/// knows what a state is.
public protocol CheckpointComparing: Sendable {
  /// Replays `history` from its start, without a checkpoint.
  ///
  /// `checkpoints` are the edits after which states are stored, ascending. `state` returns the
  /// bytes of such a state; nil if they are not usable. `shouldContinue` is called from time to
  /// time.
  ///
  /// - Returns: Those of `checkpoints` whose state is not the one that the edits give; nil if
  ///   `shouldContinue` returned false.
  /// - Throws: `LogError` if the history cannot be read or does not fit together.
  func differing(
    _ checkpoints: [SequenceNumber], in history: History,
    state: (SequenceNumber) throws(LogError) -> [UInt8]?, while shouldContinue: () -> Bool
  ) throws(LogError) -> [SequenceNumber]?
}

/// A checkpoint that readers must not use.
struct BadCheckpoint: Hashable, Sendable {
  var sequence: SequenceNumber
  var file: String
  var what: String
}

/// Which checkpoints of a document are valid.
struct CheckpointVerdict {
  var bad: [BadCheckpoint] = []
  /// The digests of the states of the others.
  var good: [SequenceNumber: ChainHead] = [:]
}

extension History {
  /// Which checkpoints are intact, belong to this history, and hold the state that its edits give;
  /// nil if `shouldContinue` returned false. Without `comparing`, states are not compared, and the
  /// history is not replayed.
  func checkpointVerdict(
    _ comparing: (any CheckpointComparing)?, while shouldContinue: () -> Bool = { true }
  ) throws(LogError) -> CheckpointVerdict? {
    guard let folder = checkpointFolder else {
      guard let comparing else { return CheckpointVerdict() }
      let found = try comparing.differing([], in: self, state: { _ in nil }, while: shouldContinue)
      return found.map { _ in CheckpointVerdict() }
    }
    let all = try folder.sequences()
    let usable = all.filter { $0 <= lastSequence }
    var verdict = CheckpointVerdict()
    verdict.bad = all.filter { $0 > lastSequence }.map {
      BadCheckpoint(
        sequence: $0, file: folder.path(of: $0), what: "the history ends before the checkpoint")
    }
    var broken: Set<SequenceNumber> = []
    func state(_ sequence: SequenceNumber) throws(LogError) -> [UInt8]? {
      let content = try folder.content(at: sequence, head: head(at:))
      guard let bytes = content?.bytes else {
        broken.insert(sequence)
        return nil
      }
      verdict.good[sequence] = CheckpointTrust.digest(of: bytes)
      return bytes
    }
    var differing: [SequenceNumber] = []
    if let comparing {
      let found = try comparing.differing(usable, in: self, state: state, while: shouldContinue)
      guard let found else { return nil }
      differing = found
    } else {
      for sequence in usable where try state(sequence) == nil { differing.append(sequence) }
    }
    // A writer at work may have removed one since the names were read.
    let left = Set(try folder.sequences())
    for sequence in differing { verdict.good[sequence] = nil }
    for sequence in differing where left.contains(sequence) {
      let what =
        broken.contains(sequence)
        ? "the checkpoint is not whole, or refers to one that is not, or is of another history"
        : "the checkpoint is not the state that the edits give"
      verdict.bad.append(
        BadCheckpoint(sequence: sequence, file: folder.path(of: sequence), what: what))
    }
    // Its state is right, and goes with the one that it refers to.
    for sequence in usable where verdict.good[sequence] != nil {
      let base = try folder.base(of: sequence)
      guard base > 0, verdict.good[base] == nil,
        verdict.bad.contains(where: { $0.sequence == base })
      else { continue }
      verdict.good[sequence] = nil
      verdict.bad.append(
        BadCheckpoint(
          sequence: sequence, file: folder.path(of: sequence),
          what: "the checkpoint refers to one that is bad"))
    }
    return verdict
  }

  /// The document's checkpoints; nil if it has no folder.
  var checkpointFolder: CheckpointFolder? {
    sealed.map { CheckpointFolder($0.directory, store: store, document: number) }
  }
}
