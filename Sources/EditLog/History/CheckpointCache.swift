import EditLogFormat
import EditModel
import Synchronization

/// What a history has read of the checkpoints of one series: their numbers, and the states that others refer to.
///
/// A checkpoint that a writer stores later is not seen. One that it removes is skipped, as one that
/// is not valid.
final class CheckpointCache: Sendable {
  /// The maximum size of the states together, in bytes.
  static let sizeMax = 4 << 20

  private struct Known {
    var sequences: [SequenceNumber]?
    var bases: [CheckpointFile.Content] = []
    var obstacle: LogError?
  }

  private let known = Mutex(Known())

  /// The edits after which there are checkpoints, ascending; as `read` returns them the first time.
  func sequences(
    _ read: () throws(LogError) -> [SequenceNumber]
  ) throws(LogError) -> [SequenceNumber] {
    if let sequences = known.withLock({ $0.sequences }) { return sequences }
    let sequences = try read()
    known.withLock { $0.sequences = sequences }
    return sequences
  }

  /// Why a checkpoint could not be read, and was skipped. It may be sound, so that it must not be
  /// removed.
  var obstacle: LogError? { known.withLock { $0.obstacle } }

  func note(obstacle: LogError) { known.withLock { $0.obstacle = obstacle } }

  /// The state after the edit `sequence`; nil if it is not kept.
  func base(_ sequence: SequenceNumber) -> CheckpointFile.Content? {
    known.withLock { known in known.bases.first { $0.sequence == sequence } }
  }

  /// Keeps a state, and drops the oldest.
  func keep(_ content: CheckpointFile.Content) {
    guard content.bytes.count <= Self.sizeMax else { return }
    known.withLock { known in
      known.bases.append(content)
      var size = known.bases.reduce(0) { $0 + $1.bytes.count }
      while size > Self.sizeMax { size -= known.bases.removeFirst().bytes.count }
    }
  }
}
