package import EditLog
import EditModel
import TextState

/// Makes a document's checkpoints. It starts from the newest one, and stores a state at each place
/// at which replay would cost more than reading the state.
package struct CheckpointBuilder {
  private let sink: CheckpointSink
  private var state: TextState
  private var places: CheckpointPlaces

  /// Stores the checkpoints of the history of `sink`. `spacing` is the cost of replay from which a
  /// checkpoint is made, in the unit of `ReplayCost`.
  ///
  /// - Throws: `LogError` if the history cannot be read, or a checkpoint cannot be written.
  package static func run(
    _ sink: CheckpointSink, spacing: Int = ReplayCost.spacing
  ) throws(LogError) {
    var builder = CheckpointBuilder(sink, spacing)
    do {
      guard try builder.finds() else { return }
      // The head after an edit that is not sealed would have to be computed from all edits before it.
      try sink.history.forEachSpan(
        after: builder.state.sequence, through: sink.history.sealedSequence
      ) { try builder.take($0) }
    } catch is Stop {
      return
    } catch {
      let error = ReplayError(reading: error)
      // No point was given, so the error is damage.
      throw error.damage(of: sink.history)
        ?? .damaged(
          file: sink.history.file(of: sink.history.lastSequence), offset: 0, what: "\(error)")
    }
  }

  /// Thrown if the job is cancelled.
  private struct Stop: Error {}

  private init(_ sink: CheckpointSink, _ spacing: Int) {
    self.sink = sink
    let replay = Replay(sink.history)
    state = replay.checkpointedState(notAfter: sink.history.lastSequence)
    places = CheckpointPlaces(
      after: state, sealedSequence: sink.history.sealedSequence, spacing: spacing)
  }

  /// False if no checkpoint will be made. True is also returned for a history of short edits, because
  /// reading their lengths takes almost as long as replay. The texts of long edits are not read, and
  /// no state is made.
  private func finds() throws -> Bool {
    guard try sink.history.hasLongEdit(after: state.sequence) else { return true }
    var (places, isFound) = (places, false)
    try sink.history.forEachSpanLength(
      after: state.sequence, through: sink.history.sealedSequence
    ) { span, insertedLength in
      if sink.isCancelled { throw Stop() }
      let parts = CheckpointPlaces.parts(of: span)
      for part in parts {
        // A span of a single edit is not divided, and may be without its text.
        let inserted = parts.count == 1 && part.count == 1 ? insertedLength : part.insertedLength
        if places.pass(part, inserting: inserted) { isFound = true }
      }
    }
    return isFound
  }

  private mutating func take(_ span: EditSpan) throws {
    if sink.isCancelled { throw Stop() }
    for part in CheckpointPlaces.parts(of: span) { try apply(part) }
  }

  private mutating func apply(_ span: EditSpan) throws {
    try Replay.apply(span, to: &state)
    guard places.pass(span, inserting: span.insertedLength) else { return }
    try sink.store(CheckpointCodec.encode(state), at: state.sequence)
  }
}
