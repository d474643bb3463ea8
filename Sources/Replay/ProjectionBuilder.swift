package import EditLog
import EditLogFormat
package import EditModel
package import Projections
import TextState

/// Stores the states of projections, so that later folds resume from them. It resumes from the newest
/// stored states itself, and stores states as often as they save more time than reading them takes.
package struct ProjectionBuilder {
  /// The projections that the daemon stores.
  package static var builtIn: [any StoredProjection] { [ParagraphModels(), UndoHistory()] }

  /// The minimum number of edits between stored states. Folding them takes about 10 ms.
  package static let spacing: SequenceNumber = 32_768
  /// The minimum number of edits between the last stored states and those at the sealed end.
  static let spacingAtEnd: SequenceNumber = 4_096
  /// Bytes of states that take less time to read than an edit takes to fold.
  package static let bytesPerEdit = 64
  /// The maximum size of states that are stored. A fold that needs more memory is not worth keeping.
  private static let sizeMax = 64 << 20

  private let sink: CheckpointSink
  private var runner: ProjectionRunner
  private var storedSequence: SequenceNumber
  private var storedSize = 0

  /// Stores the states of `projections` along the sealed history of `sink`. If the newest stored
  /// states lack one of them, or have it in another version, all are stored anew.
  /// There are at least `spacing` edits between two, and one for each `bytesPerEdit` bytes.
  ///
  /// - Throws: `LogError` if the history cannot be read, or states cannot be written.
  package static func run(
    _ sink: CheckpointSink, _ projections: [any StoredProjection] = builtIn,
    spacing: SequenceNumber = spacing, bytesPerEdit: Int = bytesPerEdit
  ) throws(LogError) {
    let history = sink.history
    guard history.sealedSequence >= spacingAtEnd else { return }
    do {
      var builder = try ProjectionBuilder(sink, projections)
      guard history.sealedSequence >= builder.storedSequence + spacingAtEnd else { return }
      try builder.fold(spacing, bytesPerEdit)
    } catch is Stop {
      return
    } catch {
      let error = ReplayError(reading: error)
      throw error.damage(of: history)
        ?? .damaged(file: history.file(of: history.lastSequence), offset: 0, what: "\(error)")
    }
  }

  /// Thrown if the job is cancelled, or the states are too large.
  private struct Stop: Error {}

  private init(_ sink: CheckpointSink, _ projections: [any StoredProjection]) throws {
    self.sink = sink
    let sealed = sink.history.sealedSequence
    guard let resumed = Replay(sink.history).resumed(projections, notAfter: sealed) else {
      try sink.removeAll()
      (runner, storedSequence) = (ProjectionRunner(projections), 0)
      return
    }
    (runner, storedSequence) = (resumed, resumed.state.sequence)
    for event in try sink.history.events() where event.after == storedSequence {
      try runner.apply(event)
    }
  }

  private mutating func fold(_ spacing: SequenceNumber, _ bytesPerEdit: Int) throws {
    let sealed = sink.history.sealedSequence
    try sink.history.forEachEntry(after: runner.state.sequence, through: sealed) { entry in
      try runner.apply(entry)
      guard entry.isEdit else { return }
      let sequence = runner.state.sequence
      if sequence % 256 == 0, sink.isCancelled { throw Stop() }
      guard sequence % History.linkSize == 0 || sequence == sealed else { return }
      // The end is where most folds resume, so it is stored after fewer edits.
      let countMin =
        sequence == sealed
        ? max(Self.spacingAtEnd, UInt64(storedSize / bytesPerEdit / 8))
        : max(spacing, UInt64(storedSize / bytesPerEdit))
      if sequence - storedSequence >= countMin { try store(at: sequence) }
    }
  }

  private mutating func store(at sequence: SequenceNumber) throws {
    let bytes = ProjectionCodec.encode(
      runner.projections.compactMap { $0 as? any StoredProjection }, at: sequence)
    guard bytes.count <= Self.sizeMax else { throw Stop() }
    try sink.store(bytes, at: sequence)
    (storedSequence, storedSize) = (sequence, bytes.count)
  }
}
