import EditLogFormat
public import EditModel

/// Compares stored states, which the log cannot read, with what the edits give. The layer above
/// knows what a state is.
public protocol CheckpointComparing: Sendable {
  /// Replays `history` from its start, without a checkpoint.
  ///
  /// `checkpoints` are the places at which states are stored, ascending by their edits. `state`
  /// returns the bytes of such a state; nil if they are not usable. `shouldContinue` is called from
  /// time to time.
  ///
  /// - Returns: Those of `checkpoints` whose state is not the one that the edits give; nil if
  ///   `shouldContinue` returned false.
  /// - Throws: `LogError` if the history cannot be read or does not fit together.
  func differing(
    _ checkpoints: [CheckpointPlace], in history: History,
    state: (CheckpointPlace) throws(LogError) -> [UInt8]?, while shouldContinue: () -> Bool
  ) throws(LogError) -> [CheckpointPlace]?
}

/// A checkpoint that readers must not use.
struct BadCheckpoint: Hashable, Sendable {
  var place: CheckpointPlace
  var file: String
  var what: String
}

/// Which checkpoints of a document are valid.
struct CheckpointVerdict {
  var bad: [BadCheckpoint] = []
  /// The digests of the states of the others.
  var good: [CheckpointPlace: ChainHead] = [:]
}

extension History {
  /// Which checkpoints are intact, belong to this history, and hold the state that its edits give;
  /// nil if `shouldContinue` returned false. Without `comparing`, states are not compared, and the
  /// history is not replayed.
  func checkpointVerdict(
    _ comparing: (any CheckpointComparing)?, while shouldContinue: () -> Bool = { true }
  ) throws(LogError) -> CheckpointVerdict? {
    var verdict = CheckpointVerdict()
    let folders = CheckpointSeries.allCases.compactMap { checkpointFolder($0) }
    func folder(_ place: CheckpointPlace) -> CheckpointFolder? {
      folders.first { $0.series == place.series }
    }
    func condemn(_ place: CheckpointPlace, _ what: String) {
      guard let path = folder(place)?.path(of: place.sequence) else { return }
      verdict.bad.append(BadCheckpoint(place: place, file: path, what: what))
    }
    var usable: [CheckpointPlace] = []
    for folder in folders {
      for sequence in try folder.sequences() {
        let place = CheckpointPlace(folder.series, sequence)
        if sequence <= lastSequence {
          usable.append(place)
        } else {
          condemn(place, "the history ends before the checkpoint")
        }
      }
    }
    usable.sort { $0.sequence < $1.sequence }
    var broken: Set<CheckpointPlace> = []
    func state(_ place: CheckpointPlace) throws(LogError) -> [UInt8]? {
      let content = try folder(place)?.content(at: place.sequence, head: head(at:))
      guard let bytes = content?.bytes else {
        broken.insert(place)
        return nil
      }
      verdict.good[place] = CheckpointTrust.digest(of: bytes)
      return bytes
    }
    var differing: [CheckpointPlace] = []
    if let comparing {
      let found = try comparing.differing(usable, in: self, state: state, while: shouldContinue)
      guard let found else { return nil }
      differing = found
    } else {
      for place in usable where try state(place) == nil { differing.append(place) }
    }
    for place in differing { verdict.good[place] = nil }
    for folder in folders {
      // A writer at work may have removed one since the names were read.
      let left = Set(try folder.sequences())
      for place in differing where place.series == folder.series && left.contains(place.sequence) {
        condemn(
          place,
          broken.contains(place)
            ? "the checkpoint is not whole, or refers to one that is not, or is of another history"
            : "the checkpoint is not the state that the edits give")
      }
      // Its state is right, and goes with the one that it refers to.
      for place in usable where place.series == folder.series && verdict.good[place] != nil {
        let base = CheckpointPlace(folder.series, try folder.base(of: place.sequence))
        guard base.sequence > 0, verdict.good[base] == nil,
          verdict.bad.contains(where: { $0.place == base })
        else { continue }
        verdict.good[place] = nil
        condemn(place, "the checkpoint refers to one that is bad")
      }
    }
    return verdict
  }

  /// True if the document has checkpoints.
  var hasCheckpoints: Bool {
    get throws(LogError) {
      for series in CheckpointSeries.allCases {
        if try checkpointFolder(series)?.sequences().isEmpty == false { return true }
      }
      return false
    }
  }

  /// The document's checkpoints of a series; nil if it has no folder.
  func checkpointFolder(_ series: CheckpointSeries) -> CheckpointFolder? {
    sealed.map { CheckpointFolder(series, in: $0.directory, store: store, document: number) }
  }
}
