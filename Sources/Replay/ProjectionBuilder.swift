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
  /// The maximum size of states that are stored, in bytes. In memory they take about ten times as much,
  /// while the job runs.
  private static let sizeMax = 16 << 20

  private let sink: CheckpointSink
  private var runner: ProjectionRunner
  private var storedSequence: SequenceNumber
  private var storedSize = 0

  /// Stores the states of `projections` along the sealed history of `sink`. If the newest stored
  /// states lack one of them, or have it in another version, all are stored anew.
  /// There are at least `spacing` edits between two, and one for each `bytesPerEdit` bytes. Once the
  /// states are nearly as large as `sizeMax`, no more are stored.
  ///
  /// - Throws: `LogError` if the history cannot be read, or states cannot be written.
  package static func run(
    _ sink: CheckpointSink, _ projections: [any StoredProjection] = builtIn,
    spacing: SequenceNumber = spacing, bytesPerEdit: Int = bytesPerEdit
  ) throws(LogError) {
    let history = sink.history
    guard history.sealedSequence >= spacingAtEnd, try !areTooLarge(in: history) else { return }
    do {
      var builder = try ProjectionBuilder(sink, projections)
      guard builder.storedSize < sizeMax / 8 * 7,
        history.sealedSequence >= builder.storedSequence + builder.countMinAtEnd(bytesPerEdit)
      else { return }
      try builder.fold(spacing, bytesPerEdit)
    } catch is Stop {
      return
    } catch {
      let error = ReplayError(reading: error)
      throw error.damage(of: history)
        ?? .damaged(file: history.file(of: history.lastSequence), offset: 0, what: "\(error)")
    }
  }

  /// True if the states were too large to be stored, and the history has not doubled since.
  private static func areTooLarge(in history: History) throws(LogError) -> Bool {
    guard let newest = try history.checkpoint(atOrBefore: .max, of: .projections),
      let stored = try? StoredProjections(newest.bytes)
    else { return false }
    return stored.isEmpty && history.sealedSequence < 2 * newest.sequence
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
    storedSize = bytes.count
    for event in try sink.history.events(after: storedSequence) {
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
      let countMin =
        sequence == sealed
        ? countMinAtEnd(bytesPerEdit) : max(spacing, UInt64(storedSize / bytesPerEdit))
      if sequence - storedSequence >= countMin { try store(at: sequence) }
    }
  }

  /// The minimum number of edits between the last stored states and the sealed end. Most folds resume
  /// there, so fewer edits are enough.
  private func countMinAtEnd(_ bytesPerEdit: Int) -> SequenceNumber {
    max(Self.spacingAtEnd, UInt64(storedSize / bytesPerEdit / 8))
  }

  /// The bytes of the projections as they are.
  private var bytes: [UInt8] {
    ProjectionCodec.encode(
      runner.projections.compactMap { $0 as? any StoredProjection }, at: runner.state.sequence)
  }

  private mutating func store(at sequence: SequenceNumber) throws {
    let bytes = bytes
    guard bytes.count <= Self.sizeMax else {
      try sink.store(ProjectionCodec.encode([], at: sequence), at: sequence)
      throw Stop()
    }
    try sink.store(bytes, at: sequence)
    (storedSequence, storedSize) = (sequence, bytes.count)
  }
}
