import EditLogFormat
import EditModel

/// Which checkpoints a history is read by.
enum CheckpointTrust: Sendable {
  /// Each whose checksums and head are right.
  case checksums
  /// Those whose states have these digests: this process wrote them, or compared them with what the
  /// edits give. What took their place since is not used.
  case digests([CheckpointPlace: ChainHead])

  /// True if a checkpoint at this place may be used.
  func mayUse(_ place: CheckpointPlace) -> Bool {
    switch self {
    case .checksums: true
    case .digests(let digests): digests[place] != nil
    }
  }

  /// True if the state that was read is to be used.
  func uses(_ state: CheckpointFile.Content, of series: CheckpointSeries) -> Bool {
    switch self {
    case .checksums: true
    case .digests(let digests):
      digests[CheckpointPlace(series, state.sequence)] == Self.digest(of: state.bytes)
    }
  }

  /// SHA-256 of a state.
  static func digest(of state: [UInt8]) -> ChainHead { ChainHead(hashing: state) }
}
